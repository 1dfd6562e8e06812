//! The members of a link that its author sets, for every body that has them.

use schemars::{JsonSchema, Schema};
use serde::Deserialize;
use serde_json::{Value, json};
use slugline_domain::{
    Comment, Countries, Description, Destination, ImageRef, LinkContent, LinkPatch, MaxVisits,
    Rules, Split, Tags, Title, UnixSeconds, VisitsBefore, link_members,
};

use super::{
    member::Raw,
    member_reader::{Body, MemberReader},
};
use crate::{bounds::Bounds, issue::Issue, sent::Sent, validation::Validation};

macro_rules! bodies {
    ($(
        $(#[$says:meta])+
        $name:ident: $Type:ty, $wire:tt, $whose:ident, $($place:ident).+, $shown:literal;
    )+) => {
        /// What the author of a link decides. Bodies that hold a link hold these
        /// members beside their own.
        #[expect(clippy::doc_link_with_quotes, reason = "the row of rules shows JSON")]
        #[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
        #[serde(default)]
        pub struct LinkMembers {
            /// Where the link leads: http or https.
            pub(super) url: Sent<Raw<Destination>>,
            $($(#[$says])+ #[serde(rename = $wire)] $name: Sent<Raw<$Type>>,)+
        }

        impl LinkMembers {
            /// Returns the change that the members make. The password is not among them, so it
            /// stays.
            pub(super) fn patch(&self, reader: &mut MemberReader<'_>) -> LinkPatch {
                LinkPatch {
                    destination: reader.url(&self.url),
                    $($name: reader.$whose($wire, &self.$name, Raw::<$Type>::read),)+
                    ..LinkPatch::default()
                }
            }
        }

        /// The members, and `sinks` or `ours`.
        pub(super) const MEMBERS: &[(&str, &str)] = &[$(($wire, stringify!($whose))),+];
    };
}

link_members!(bodies);

impl LinkMembers {
    /// Parses the members of a new link; `None` after it noted a fault.
    pub(super) fn content(
        &self,
        body: Body,
        validation: &mut Validation,
        bounds: &Bounds,
    ) -> Option<LinkContent> {
        let mut reader = MemberReader {
            validation,
            bounds,
            body,
            removed: &[],
        };
        let content = self.patch(&mut reader).into_content()?;
        if let Err(fault) = content.check() {
            validation.found(Issue::of_life(fault));
        }
        Some(content)
    }
}

/// Adapts the schemas of changes: members may be `null`, except those that cannot be
/// removed.
pub(super) fn members_or_null(schema: &mut Schema) {
    or_null(schema, |name| {
        !["slug", "domain", "url", "validateOnly"].contains(&name)
    });
}

/// Adapts the schemas of replacing bodies: members that clients of Sink do not know may be `null`.
pub(super) fn ours_or_null(schema: &mut Schema) {
    let kept = kept_members();
    let says = format!(
        "A link's new content. A member that is left out is removed, except the password and a \
         warning, which are kept, as are {kept}; null removes these."
    );
    schema.insert("description".into(), says.into());
    or_null(schema, |name| MEMBERS.contains(&(name, "ours")));
}

/// The members that clients of Sink do not know, in words. A replacement keeps them if it leaves
/// them out.
pub fn kept_members() -> String {
    let ours = MEMBERS.iter().filter(|(_, whose)| *whose == "ours");
    let mut names: Vec<&str> = ours.map(|(name, _)| *name).collect();
    let last = names.pop().unwrap_or_default();
    format!("{} and {last}", names.join(", "))
}

fn or_null(schema: &mut Schema, is_meant: impl Fn(&str) -> bool) {
    for (name, member) in properties(schema) {
        if !is_meant(name) {
            continue;
        }
        let types = &member["type"];
        let mut types = types
            .as_array()
            .cloned()
            .unwrap_or_else(|| vec![types.clone()]);
        types.push(json!("null"));
        member["type"] = types.into();
        member["nullable"] = true.into();
    }
}

/// Adapts the schemas of imports: texts may be as long as in any earlier export, and the
/// slug may be absent.
pub(super) fn widest_texts(schema: &mut Schema) {
    for (name, member) in properties(schema) {
        if ["title", "image"].contains(&name.as_str()) {
            member["maxLength"] = Description::MAX_CHARS.into();
        }
        if name == "slug" {
            member["type"] = json!(["string", "null"]);
            member["nullable"] = true.into();
        }
    }
}

fn properties(schema: &mut Schema) -> impl Iterator<Item = (&String, &mut Value)> {
    let members = schema.get_mut("properties").and_then(Value::as_object_mut);
    members.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use slugline_domain::{Change, Life};
    use slugline_testkit::{assert_matches, full_link};

    use super::*;
    use crate::{
        Problem,
        links::{CreateLink, EditLink, ExportedLink, ImportLink, PatchLink},
        reader::read,
    };

    fn create(life: &Value) -> Result<Life, Problem> {
        let mut link = json!({"url": "https://example.com/", "expiration": 1_900_000_000});
        let members = link.as_object_mut().unwrap();
        members.extend(life.as_object().unwrap().clone());
        let (link, _) = read::<CreateLink>(&link)?.validate(&Bounds::default())?;
        Ok(link.content.life)
    }

    #[test]
    fn faults_name_the_member_and_the_way_out() {
        for (life, path, message) in [
            (json!({"startsAt": "soon"}), "startsAt", "RFC"),
            (
                json!({"startsAt": 1_900_000_000}),
                "startsAt",
                "earlier than expiration",
            ),
            (
                json!({"startUrl": "https://soon.example/"}),
                "startUrl",
                "needs startsAt",
            ),
            (json!({"startsAt": 5, "startUrl": "x"}), "startUrl", "URL"),
            (json!({"apple": "https:docs"}), "apple", "two slashes after"),
            (json!({"expiredUrl": "javascript:1"}), "expiredUrl", ""),
            (json!({"maxVisits": 0}), "maxVisits", "from 1 to 1000000000"),
            (
                json!({"maxVisits": 1_000_000_001}),
                "maxVisits",
                "from 1 to",
            ),
            (json!({"maxVisits": 1.5}), "maxVisits", "integer"),
        ] {
            let problem = create(&life).unwrap_err();
            let issue = &problem.issues[0];
            assert_eq!(issue.path, [path], "{life}");
            let said = format!("{} {}", issue.message, issue.expected);
            assert!(message == "RFC" || said.contains(message), "{life}: {said}");
            assert_eq!(problem.issues.len(), 1, "{problem}");
        }
        let life = create(
            &json!({"startsAt": "2027-01-15T08:00:00Z", "maxVisits": 1.0,
            "startUrl": "https://soon.example/", "disabled": false}),
        );
        let life = life.unwrap();
        assert_eq!(life.starts_at.unwrap().get(), 1_800_000_000);
        assert_eq!(life.max_visits.unwrap().get(), 1);
        assert!(!life.disabled && life.expired_url.is_none());
    }

    #[test]
    fn a_replacing_body_keeps_what_it_leaves_out_and_removes_what_is_null() {
        let body = json!({"slug": "docs", "url": "https://e.example/", "maxVisits": null,
            "startsAt": 5});
        let edit = read::<EditLink>(&body).unwrap();
        let life = edit.validate(&Bounds::default()).unwrap().patch;
        assert_eq!(life.max_visits, Change::Clear);
        assert_matches!(life.starts_at, Change::Set(_));
        assert_eq!(life.expired_url, Change::Keep);
        let patch = read::<PatchLink>(&json!({"slug": "docs", "disabled": null})).unwrap();
        let patch = patch.validate(&Bounds::default()).unwrap().patch;
        assert_eq!(patch.disabled, Change::Clear);
        assert_eq!(patch.max_visits, Change::Keep);
    }

    #[test]
    fn an_export_is_imported_with_the_visits_that_were_used() {
        let mut link = full_link("docs");
        link.password = None;
        let exported = serde_json::to_value(ExportedLink::from(&link)).unwrap();
        assert_eq!(exported["visitsLeft"], 60);
        let read_back = |exported: &Value| {
            let link = read::<ImportLink>(exported).unwrap();
            link.validate(&Bounds::default())
        };
        let imported = read_back(&exported).unwrap();
        assert_eq!(imported.visits_used, 40);
        assert_eq!(imported.content.life, link.content.life);
        let mut wrong = exported.clone();
        for left in [json!(101), json!(-1)] {
            wrong["visitsLeft"] = left;
            let problem = read_back(&wrong).unwrap_err();
            assert_eq!(problem.issues[0].path, ["visitsLeft"]);
        }
        wrong.as_object_mut().unwrap().remove("maxVisits");
        assert_eq!(read_back(&wrong).unwrap().visits_used, 0);
    }
}
