//! A link as clients see it, and as an export holds it.

use std::{borrow::Cow, marker::PhantomData};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::{Map, Value};
use slugline_application::{Created, LinkStates, SeenLink};
use slugline_domain::{Link, Password, PasswordHash};

use super::{
    key::{short_link, shown_domain},
    parts::{IN_ANSWERS, PASSWORD},
    status::{BrokenView, StatusName},
};

/// A link. Members that were never set are absent.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct LinkView<F = Mask> {
    members: Map<String, Value>,
    #[serde(skip)]
    face: PhantomData<F>,
}

impl LinkView {
    /// Shows a link, and how it stands.
    pub fn of(link: &Link, states: &LinkStates) -> Self {
        let mut view = Self::from(link);
        let name = StatusName::unless_active(states.status(link)).map(plain);
        let broken = states.failures(link).map(BrokenView::from).map(plain);
        for (member, value) in [("status", name), ("broken", broken)] {
            let shown = value.map(|value| (member.to_owned(), value));
            view.members.extend(shown);
        }
        view
    }
}

impl<F> LinkView<F> {
    /// The members that the link has, by name.
    pub(super) fn into_members(self) -> Map<String, Value> {
        self.members
    }
}

impl<F: Face> From<&Link> for LinkView<F> {
    fn from(link: &Link) -> Self {
        let mut link = Cow::Borrowed(link);
        if link.content.expires_at.is_none() && link.ends_at.is_some() {
            // An expiry that the instance set is shown, too.
            link.to_mut().content.expires_at = link.ends_at;
        }
        let parts = IN_ANSWERS.iter();
        let shown = parts.filter_map(|part| Some((part.name.to_owned(), (part.show)(&link)?)));
        let mut members: Map<String, Value> = shown.collect();
        if let Some(hash) = &link.password {
            members.insert(PASSWORD.name.to_owned(), F::password(hash).into());
        }
        Self {
            members,
            face: PhantomData,
        }
    }
}

fn plain(value: impl Serialize) -> Value {
    serde_json::to_value(value).expect("it is plain data")
}

impl<F: Face> JsonSchema for LinkView<F> {
    fn schema_name() -> Cow<'static, str> {
        F::SCHEMA.into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let parts = IN_ANSWERS.iter();
        let mut members: Map<String, Value> = parts
            .map(|part| described(part.kind.schema(), part.name, part.says))
            .collect();
        let status = "Present in answers that read links unless the link is active.";
        let broken =
            "Present in answers that read links if the watch found the destination broken.";
        members.extend([
            described(generator.subschema_for::<StatusName>(), "status", status),
            described(generator.subschema_for::<BrokenView>(), "broken", broken),
        ]);
        let always = IN_ANSWERS.iter().filter(|part| part.is_everywhere);
        let always: Vec<&str> = always.map(|part| part.name).collect();
        json_schema!({
            "description": "A link. Members that were never set are absent.",
            "type": "object",
            "properties": members,
            "required": always,
        })
    }
}

fn described(mut schema: Schema, name: &str, says: &str) -> (String, Value) {
    schema.insert("description".into(), says.into());
    (name.to_owned(), schema.into())
}

/// A link with its stored password, as exports hold it.
pub type ExportedLink = LinkView<StoredHash>;

/// Who a link is shown to, which decides how its password looks.
pub trait Face {
    /// The name of the schema.
    const SCHEMA: &'static str;

    /// Shows a stored password.
    fn password(hash: &PasswordHash) -> &str;
}

/// A link in answers, with a constant that tells that there is a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mask;

impl Face for Mask {
    const SCHEMA: &'static str = "Link";

    fn password(_: &PasswordHash) -> &str {
        Password::MASK
    }
}

/// A link in exports, with the stored password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredHash;

impl Face for StoredHash {
    const SCHEMA: &'static str = "ExportedLink";

    fn password(hash: &PasswordHash) -> &str {
        hash.as_str()
    }
}

/// A link in the answer to a change. A caller who may not read links sees its key alone.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum SeenLinkView {
    /// All of it.
    Whole(Box<LinkView>),
    /// The key alone.
    Key {
        /// The path of the short link.
        slug: String,
        /// The host of its domain; left out for the default one.
        #[serde(skip_serializing_if = "Option::is_none")]
        domain: Option<String>,
    },
}

impl From<&SeenLink> for SeenLinkView {
    fn from(seen: &SeenLink) -> Self {
        match seen {
            SeenLink::Whole(link, _) => Self::from(&**link),
            SeenLink::Key(key, _) => Self::Key {
                slug: key.slug.to_string(),
                domain: shown_domain(&key.domain),
            },
        }
    }
}

impl From<&Link> for SeenLinkView {
    fn from(link: &Link) -> Self {
        Self::Whole(Box::new(link.into()))
    }
}

/// The schema of a link of which only the slug is required.
impl JsonSchema for SeenLinkView {
    fn schema_name() -> Cow<'static, str> {
        "SeenLink".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = LinkView::<Mask>::json_schema(generator);
        let told = "A link; the slug alone if the token lacks links:read.";
        schema.insert("description".into(), told.into());
        schema.insert("required".into(), ["slug"].as_slice().into());
        schema
    }
}

/// A sentence for the author of a link.
pub type Note = Option<&'static str>;

/// A link that was changed or brought back.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinkChanged {
    /// The link.
    pub link: SeenLinkView,
    /// Its public address.
    pub short_link: String,
    /// Present and true if the link was only checked: nothing is stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub validate_only: Option<bool>,
    /// Present if the link asks what no visit will tell, such as places where they are unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Note,
}

impl LinkChanged {
    /// Shows a link, or the link that would be, under an origin such as `https://sl.example`.
    pub fn new(seen: &SeenLink, validate_only: bool, origin: &str) -> Self {
        Self {
            link: seen.into(),
            short_link: short_link(seen.key(), origin),
            validate_only: validate_only.then_some(true),
            note: seen.note(),
        }
    }
}

/// A link that was just made.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "LinkCreated")]
pub struct LinkResponse {
    /// The link.
    #[serde(flatten)]
    pub shown: LinkChanged,
    /// Present and true if the link was there before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reused: Option<bool>,
}

impl LinkResponse {
    /// Shows the outcome of a creation, or of its check, as [`LinkChanged::new`] does.
    pub fn new(created: &Created, validate_only: bool, origin: &str) -> Self {
        Self {
            shown: LinkChanged::new(created.link(), validate_only, origin),
            reused: matches!(created, Created::Existing(_)).then_some(true),
        }
    }
}

/// A link that was made, or found in the way.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LinkUpserted {
    /// The link.
    #[serde(flatten)]
    pub shown: LinkChanged,
    /// Tells if it was made now or existed before.
    pub status: UpsertStatus,
}

/// The outcome of an upsert.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum UpsertStatus {
    /// The link was made.
    Created,
    /// An active link had the slug; it stays as it is.
    Existing,
}

impl LinkUpserted {
    /// Shows the outcome, or that of a check, as [`LinkChanged::new`] does.
    pub fn new(outcome: &Created, validate_only: bool, origin: &str) -> Self {
        Self {
            shown: LinkChanged::new(outcome.link(), validate_only, origin),
            status: match outcome {
                Created::Stored(_) | Created::Valid(_) => UpsertStatus::Created,
                Created::Existing(_) => UpsertStatus::Existing,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{json, to_value};

    use slugline_domain::{LinkKey, Revision, UnixSeconds};

    use super::*;
    use crate::{
        bounds::Bounds,
        links::{ImportLink, parts::IN_TABLES},
        schema::arguments,
    };

    #[test]
    fn columns_are_the_members_of_exports_and_imports() {
        let mut columns: Vec<&str> = IN_TABLES.iter().map(|part| part.name).collect();
        columns.sort_unstable();
        for schema in [
            arguments::<ExportedLink>(&Bounds::default()),
            arguments::<ImportLink>(&Bounds::default()),
        ] {
            let schema = schema.to_value();
            let members = schema["properties"].as_object().unwrap();
            let members = members.keys().map(String::as_str);
            // How a link stands at a moment is no part of it.
            let mut members: Vec<&str> = members
                .filter(|name| !["status", "broken"].contains(name))
                .collect();
            members.sort_unstable();
            assert_eq!(members, columns);
        }
    }

    #[test]
    fn what_is_unset_is_absent_and_the_password_is_a_constant() {
        let moment = UnixSeconds::new(7).unwrap();
        let [id, slug] = ["x", "docs"];
        let to = "https://example.com/".parse().unwrap();
        let mut link = Link::new(id.parse().unwrap(), slug.parse().unwrap(), to, moment);
        link.password = Some(PasswordHash::new("$argon2id$secret"));
        let made = Created::Stored(SeenLink::Whole(link.clone().into(), None));
        assert_eq!(
            to_value(LinkResponse::new(&made, false, "https://sl.example")).unwrap(),
            json!({
                "link": {
                    "id": "x", "url": "https://example.com/", "slug": "docs", "createdAt": 7,
                    "updatedAt": 7, "password": "__SINK_MASKED__•••••", "tags": [],
                },
                "shortLink": "https://sl.example/docs",
            })
        );
        let exported = to_value(ExportedLink::from(&link)).unwrap();
        assert_eq!(exported["password"], "$argon2id$secret");
    }

    #[test]
    fn who_may_not_read_links_is_shown_the_slug_alone() {
        let key = LinkKey::parse("docs").unwrap();
        let existing = Created::Existing(SeenLink::Key(key, Revision::FIRST));
        assert_eq!(
            to_value(LinkUpserted::new(&existing, false, "https://sl.example")).unwrap(),
            json!({
                "link": {"slug": "docs"}, "shortLink": "https://sl.example/docs",
                "status": "existing",
            })
        );
    }
}
