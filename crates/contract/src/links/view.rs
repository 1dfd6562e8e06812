//! A link as clients see it, and as an export holds it.

use std::{borrow::Cow, collections::BTreeMap};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};
use serde_json::Value;
use slugline_application::{Created, LinkStates, SeenLink, Upserted};
use slugline_domain::{
    Delivery, Link, LinkContent, Password, PasswordHash, Preview, Routing, UnixSeconds,
};

use super::{
    broken::BrokenView,
    kind::Kind,
    life_view::{self, LifeView},
    short_link::{short_link, shown_domain},
    shown_routing::{show_rules, show_split},
    status_name::StatusName,
};

/// A link. Members that were never set are absent.
// The names of `P` make the schemas `Link` and `ExportedLink`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "{P}Link")]
pub struct LinkView<P = Mask> {
    /// Identity; stays through edits.
    pub id: String,
    /// Where the link leads.
    pub url: String,
    /// The path of the short link.
    pub slug: String,
    /// The host of its domain; left out for the default one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// A private note about the link.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// When the link was made, in Unix seconds.
    pub created_at: i64,
    /// When the link last changed, in Unix seconds.
    pub updated_at: i64,
    /// When the link expires, in Unix seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expiration: Option<i64>,
    /// Title of the preview.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Description of the preview.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Image of the social preview.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    /// Where iPhones and iPads are sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub apple: Option<String>,
    /// Where Android devices are sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub google: Option<String>,
    /// True if the destination is shown in a frame.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cloaking: Option<bool>,
    /// True if the visitor's query parameters are merged into the destination.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redirect_with_query: Option<bool>,
    /// True if the server fetches the destination and passes it on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proxy: Option<bool>,
    /// Present when visitors must give a password: a mask, never to be sent back, or in exports the stored hash.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub password: Option<P>,
    /// True if visitors are warned.
    #[serde(skip_serializing_if = "Option::is_none", rename = "unsafe")]
    pub flagged_unsafe: Option<bool>,
    /// Where visitors from a country are sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub geo: Option<BTreeMap<String, String>>,
    /// Rules in order: what visitors meet, and where they are sent then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "objects")]
    pub rules: Option<Vec<Value>>,
    /// Destinations of percentages of the visitors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "objects")]
    pub split: Option<Vec<Value>>,
    /// When the split ends, in Unix seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub split_until: Option<i64>,
    /// True if what stands behind the slug is passed on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forward_path: Option<bool>,
    /// Tags.
    pub tags: Vec<String>,
    /// When the link starts and ends, and where visitors go before and after.
    #[serde(flatten)]
    pub life: LifeView,
    /// Present in answers that read links unless the link is active.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<StatusName>,
    /// Present in answers that read links if the watch found the destination broken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broken: Option<BrokenView>,
}

impl LinkView {
    /// Shows a link, and how it stands.
    pub fn of(link: &Link, states: &LinkStates) -> Self {
        Self {
            status: StatusName::unless_active(states.status(link)),
            broken: states.failures(link).map(BrokenView::from),
            ..link.into()
        }
    }
}

/// Every member as a column of a table, in the order of exports.
pub(super) fn link_columns() -> impl Iterator<Item = (&'static str, Kind)> {
    COLUMNS.into_iter().chain(life_view::COLUMNS)
}

const COLUMNS: [(&str, Kind); 24] = [
    ("id", Kind::Text),
    ("slug", Kind::Text),
    ("url", Kind::Text),
    ("comment", Kind::Text),
    ("tags", Kind::Tags),
    ("createdAt", Kind::Number),
    ("updatedAt", Kind::Number),
    ("expiration", Kind::Number),
    ("title", Kind::Text),
    ("description", Kind::Text),
    ("image", Kind::Text),
    ("apple", Kind::Text),
    ("google", Kind::Text),
    ("geo", Kind::Geo),
    ("redirectWithQuery", Kind::Flag),
    ("cloaking", Kind::Flag),
    ("proxy", Kind::Flag),
    ("unsafe", Kind::Flag),
    ("rules", Kind::Json),
    ("split", Kind::Json),
    ("splitUntil", Kind::Number),
    ("forwardPath", Kind::Flag),
    ("password", Kind::Text),
    ("domain", Kind::Text),
];

/// A link with its stored password, as exports hold it.
pub type ExportedLink = LinkView<StoredHash>;

/// A password in answers: a constant that tells that there is a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mask;

/// A stored password. Only exports show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct StoredHash(String);

impl From<&PasswordHash> for Mask {
    fn from(_: &PasswordHash) -> Self {
        Self
    }
}

impl From<&PasswordHash> for StoredHash {
    fn from(hash: &PasswordHash) -> Self {
        Self(hash.as_str().to_owned())
    }
}

impl Serialize for Mask {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(Password::MASK)
    }
}

impl JsonSchema for Mask {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string"})
    }
}

impl JsonSchema for StoredHash {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Exported".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string"})
    }
}

impl<P: for<'h> From<&'h PasswordHash>> From<&Link> for LinkView<P> {
    fn from(link: &Link) -> Self {
        let LinkContent {
            destination,
            comment,
            expires_at,
            tags,
            preview:
                Preview {
                    title,
                    description,
                    image,
                },
            routing:
                Routing {
                    apple,
                    google,
                    geo,
                    with_query,
                    rules,
                    split,
                    split_until,
                    forward_path,
                },
            delivery: Delivery { cloaking, proxy },
            flagged_unsafe,
            life: _,
        } = &link.content;
        let geo = geo.iter();
        let geo: BTreeMap<String, String> = geo
            .map(|(code, to)| (code.to_string(), to.to_string()))
            .collect();
        Self {
            id: link.id.to_string(),
            url: destination.to_string(),
            slug: link.key.slug.to_string(),
            domain: shown_domain(&link.key.domain),
            comment: shown(comment.as_ref()),
            created_at: link.created_at.get(),
            updated_at: link.updated_at.get(),
            // An expiry that the instance set is shown, too.
            expiration: expires_at.or(link.ends_at).map(UnixSeconds::get),
            title: shown(title.as_ref()),
            description: shown(description.as_ref()),
            image: shown(image.as_ref()),
            apple: shown(apple.as_ref()),
            google: shown(google.as_ref()),
            cloaking: *cloaking,
            redirect_with_query: *with_query,
            proxy: *proxy,
            password: link.password.as_ref().map(P::from),
            flagged_unsafe: *flagged_unsafe,
            geo: (!geo.is_empty()).then_some(geo),
            rules: show_rules(rules),
            split: split.as_ref().map(show_split),
            split_until: split_until.map(UnixSeconds::get),
            forward_path: *forward_path,
            tags: tags.iter().map(ToString::to_string).collect(),
            life: link.into(),
            status: None,
            broken: None,
        }
    }
}

fn objects(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "array", "items": {"type": "object"}})
}

fn shown<T: ToString>(member: Option<&T>) -> Option<String> {
    member.map(ToString::to_string)
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
            SeenLink::Whole(link) => Self::from(&**link),
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

/// A link that was just made.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "LinkCreated")]
pub struct LinkResponse {
    /// The link.
    pub link: LinkView,
    /// Its public address.
    pub short_link: String,
    /// Present and true if the link was there before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reused: Option<bool>,
    /// Present and true if the link was only checked: nothing is stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub validate_only: Option<bool>,
}

impl LinkResponse {
    /// Shows the outcome of a creation, or of its check, under an origin such as
    /// `https://sl.example`.
    pub fn new(created: &Created, validate_only: bool, origin: &str) -> Self {
        let link = created.link();
        Self {
            link: link.into(),
            short_link: short_link(&link.key, origin),
            reused: matches!(created, Created::Reused(_)).then_some(true),
            validate_only: validate_only.then_some(true),
        }
    }
}

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
}

impl LinkChanged {
    /// Shows a link, or the link that would be, under an origin such as `https://sl.example`.
    pub fn new(seen: &SeenLink, validate_only: bool, origin: &str) -> Self {
        Self {
            link: seen.into(),
            short_link: short_link(seen.key(), origin),
            validate_only: validate_only.then_some(true),
        }
    }
}

/// A link that was made, or found in the way.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinkUpserted {
    /// The link.
    pub link: SeenLinkView,
    /// Its public address.
    pub short_link: String,
    /// Tells if it was made now or existed before.
    pub status: UpsertStatus,
    /// Present and true if the link was only checked: nothing is stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub validate_only: Option<bool>,
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
    /// Shows the outcome, or that of a check, under an origin such as `https://sl.example`.
    pub fn new(outcome: &Upserted, validate_only: bool, origin: &str) -> Self {
        let (link, key, status) = match outcome {
            Upserted::Created(link) => ((&**link).into(), &link.key, UpsertStatus::Created),
            Upserted::Existing(link) => (link.into(), link.key(), UpsertStatus::Existing),
        };
        Self {
            link,
            short_link: short_link(key, origin),
            status,
            validate_only: validate_only.then_some(true),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{json, to_value};

    use slugline_domain::{LinkKey, Revision};

    use super::*;
    use crate::{bounds::Bounds, links::ImportLink, schema::arguments};

    #[test]
    fn columns_are_the_members_of_exports_and_imports() {
        let mut columns: Vec<&str> = link_columns().map(|(name, _)| name).collect();
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
        let made = Created::Stored(link.clone().into());
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
        let existing = Upserted::Existing(SeenLink::Key(key, Revision::FIRST));
        assert_eq!(
            to_value(LinkUpserted::new(&existing, false, "https://sl.example")).unwrap(),
            json!({
                "link": {"slug": "docs"}, "shortLink": "https://sl.example/docs",
                "status": "existing",
            })
        );
    }
}
