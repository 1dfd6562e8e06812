//! The bodies that change a link: all of it, or some members.

use std::iter;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use slugline_application::{self as application, EditedLink};
use slugline_domain::{Change, Link, Password, Slug};

use super::{
    LinkView, Note, SeenLinkView,
    key::{host_schema, key, short_link},
    member_reader::{Body, MemberReader},
    members::{LinkMembers, MEMBERS, members_or_null, ours_or_null},
    trash::Undo,
};
use crate::{
    Problem,
    bounds::Bounds,
    issue::{Issue, IssueCode},
    sent::{Sent, Wire, no_option_of},
    validation::Validation,
};

/// A link's new content. A member that is left out is removed, except the password, a warning, and
/// the members that clients of Sink do not know. The schema names these.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["slug", "url"]), transform = ours_or_null)]
pub struct EditLink {
    /// The link, and what it becomes.
    #[serde(flatten)]
    pub link: ChangedLink,
    /// Check and store nothing.
    #[serde(rename = "validateOnly")]
    #[schemars(extend("default" = false))]
    pub validate_only: Sent<bool>,
}

/// Changes to a link. A member that is left out is kept, `null` removes it. Tags
/// and countries are replaced as a whole; the slug itself cannot be changed.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["slug"]), transform = members_or_null)]
pub struct PatchLink {
    /// The link, and what it becomes.
    #[serde(flatten)]
    pub link: ChangedLink,
    /// Check and store nothing.
    #[serde(rename = "validateOnly")]
    #[schemars(extend("default" = false))]
    pub validate_only: Sent<bool>,
}

/// A link's new content, or with `partial` the members that change. `remove` does what null does in
/// the other bodies: in the arguments of a tool null is absent.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["slug"]))]
pub struct UpdateLink {
    /// The link, and what it becomes.
    #[serde(flatten)]
    pub link: ChangedLink,
    /// Keep members left out; an empty text removes one. Else url is required.
    #[schemars(extend("default" = false))]
    pub partial: Sent<bool>,
    /// Members to remove, by name.
    #[schemars(schema_with = "names_schema")]
    pub remove: Sent<Vec<Sent<String>>>,
}

/// A link, and what it becomes.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ChangedLink {
    /// The link to change.
    #[schemars(length(min = 1, max = Slug::MAX_CHARS), regex(pattern = Slug::PATTERN))]
    pub slug: Sent<String>,
    /// Host of its domain; the default one if left out.
    #[schemars(schema_with = "host_schema")]
    pub domain: Sent<String>,
    /// The members that the author decides.
    #[serde(flatten)]
    pub members: LinkMembers,
    /// A new password; left out, the old one stays; an empty text removes it. Never send a mask back.
    #[schemars(length(max = Password::MAX_CHARS))]
    pub password: Sent<String>,
}

impl EditLink {
    /// Makes domain values of the members.
    ///
    /// # Errors
    /// Lists every member that is missing, of another type or out of bounds.
    pub fn validate(&self, bounds: &Bounds) -> Result<application::EditLink, Problem> {
        let only = &self.validate_only;
        self.link.change(Body::Whole, &[], only, bounds)
    }
}

impl PatchLink {
    /// Makes domain values of the members.
    ///
    /// # Errors
    /// Lists every member that is missing, of another type or out of bounds.
    pub fn validate(&self, bounds: &Bounds) -> Result<application::EditLink, Problem> {
        let only = &self.validate_only;
        self.link.change(Body::Partial, &[], only, bounds)
    }
}

impl UpdateLink {
    /// True if the members that are left out are kept.
    pub fn is_partial(&self) -> bool {
        self.partial == Sent::Value(true)
    }

    /// Makes domain values of the members.
    ///
    /// # Errors
    /// Lists every member that is missing, of another type or out of bounds.
    pub fn validate(&self, bounds: &Bounds) -> Result<application::EditLink, Problem> {
        let mut validation = Validation::default();
        validation.value(&["partial"], &self.partial);
        let removed = self.removed(&mut validation);
        validation.finish(|| Some(()))?;
        let body = if self.is_partial() {
            Body::PartialByTool
        } else {
            Body::Whole
        };
        let edit = self.link.change(body, &removed, &Sent::Absent, bounds);
        if body == Body::Whole && self.link.members.url == Sent::Absent {
            return edit.map_err(missing_partial);
        }
        edit
    }

    /// The names of the members to remove.
    fn removed(&self, validation: &mut Validation) -> Vec<&str> {
        let sent = validation.value(&["remove"], &self.remove);
        let mut names: Vec<&str> = Vec::new();
        for (index, name) in sent.into_iter().flatten().enumerate() {
            let path = ["remove", &index.to_string()];
            match validation.there(&path, name) {
                Some(name) if removable().any(|known| known == name) => names.push(name),
                Some(_) => {
                    let known: Vec<&str> = removable().collect();
                    validation.note(&path, no_option_of(&known, String::TYPE));
                }
                None => {}
            }
        }
        names
    }
}

/// The names of the members that a change can remove.
fn removable() -> impl Iterator<Item = &'static str> {
    MEMBERS.iter().map(|(name, _)| *name).chain(["password"])
}

fn names_schema(_: &mut SchemaGenerator) -> Schema {
    let names: Vec<&str> = removable().collect();
    json_schema!({
        "type": "array", "items": {"type": "string", "enum": names}, "maxItems": names.len(),
    })
}

impl ChangedLink {
    fn change(
        &self,
        body: Body,
        removed: &[&str],
        validate_only: &Sent<bool>,
        bounds: &Bounds,
    ) -> Result<application::EditLink, Problem> {
        let mut validation = Validation::default();
        let key = key(&mut validation, &self.domain, &self.slug);
        let mut reader = MemberReader {
            validation: &mut validation,
            bounds,
            body,
            removed,
        };
        let mut patch = self.members.patch(&mut reader);
        let circles = patch.circles(key.as_ref(), &bounds.own_addresses);
        reader.validation.circles(Some(circles));
        let password = self.password.value();
        patch.password = if password.is_some_and(|text| text.trim().is_empty()) {
            Change::Clear
        } else {
            reader.sinks("password", &self.password, |it, name, text| {
                it.validation.member(&[name], Password::parse(text))
            })
        };
        if body == Body::Whole {
            patch = patch.replacing();
        }
        let validate_only = validation.flag("validateOnly", validate_only);
        validation.finish(|| {
            Some(application::EditLink {
                validate_only,
                ..application::EditLink::new(key?, patch)
            })
        })
    }
}

/// Puts the way to change only some members before the faults of a replacing call without a
/// destination. A client that only adds the destination would lose the other members.
fn missing_partial(problem: Problem) -> Problem {
    let first = Issue {
        code: IssueCode::Custom,
        path: vec!["partial".to_owned()],
        message: "to change only some members and keep the others, send partial: true; without it \
                  the whole link is replaced"
            .to_owned(),
        expected: "true".to_owned(),
    };
    Problem::invalid(iter::once(first).chain(problem.issues).collect())
}

/// A link that was changed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinkUpdated {
    /// The link as it is now.
    pub link: SeenLinkView,
    /// Its public address.
    pub short_link: String,
    /// Members that a replacing call left out, and which are therefore gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed: Option<Vec<String>>,
    /// Which version was before, and where a person can bring it back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undo: Option<String>,
    /// Present if the link asks what no visit will tell, such as places where they are unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Note,
}

impl LinkUpdated {
    /// Shows a link that was changed, and names the members that a replacement took from it.
    pub fn new(edited: &EditedLink, replaced: bool, origin: &str, undo: Undo<'_>) -> Self {
        let EditedLink { before, link } = edited;
        let both = before.whole().zip(link.whole()).filter(|_| replaced);
        let removed = both.map(|(before, link)| {
            let (mut lost, now) = (members(before), members(link));
            lost.retain(|name| !now.contains(name));
            lost
        });
        Self {
            link: link.into(),
            short_link: short_link(link.key(), origin),
            removed: removed.filter(|lost| !lost.is_empty()),
            undo: undo.of_change(edited),
            note: link.note(),
        }
    }
}

/// The names of the members that a link has.
fn members(link: &Link) -> Vec<String> {
    let view = serde_json::to_value(LinkView::<super::Mask>::from(link));
    let Ok(Value::Object(members)) = view else {
        return Vec::new();
    };
    let is_there = |value: &Value| value.as_array().is_none_or(|items| !items.is_empty());
    let there = members.into_iter().filter(|(_, value)| is_there(value));
    there.map(|(name, _)| name).collect()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use schemars::SchemaGenerator;
    use serde::de::DeserializeOwned;
    use serde_json::json;
    use slugline_application::SeenLink;
    use slugline_domain::{Keeping, LinkPatch};
    use slugline_testkit::{assert_matches, link, with};

    use super::*;
    use crate::{
        faults::paths,
        links::{CreateLink, ImportLink},
        reader::read,
        schema::settings,
    };

    type Checked = Result<application::EditLink, Problem>;

    fn put(body: &Value) -> Checked {
        read::<EditLink>(body)?.validate(&Bounds::default())
    }

    fn patch(body: &Value) -> Checked {
        read::<PatchLink>(body)?.validate(&Bounds::default())
    }

    fn update(body: &Value) -> Checked {
        read::<UpdateLink>(body)?.validate(&Bounds::default())
    }

    #[test]
    fn slug_and_url_are_required_and_what_is_left_out_is_replaced() {
        let body =
            json!({"slug": "Docs", "url": "https://example.com/", "id": "x", "createdAt": 1});
        let edit = put(&body).unwrap();
        assert_eq!(edit.key.slug.as_str(), "Docs");
        let url = LinkPatch {
            destination: edit.patch.destination.clone(),
            ..LinkPatch::default()
        };
        assert_eq!(edit.patch, url.replacing());
        for (body, path) in [
            (json!({"url": "https://e.example"}), "slug"),
            (json!({"slug": "a"}), "url"),
        ] {
            assert_eq!(paths(put(&body))[0], path);
        }
    }

    #[test]
    fn all_faults_of_a_replacement_are_listed_at_once() {
        let body = json!({"url": "x", "cloaking": "yes", "tags": ["ok", ""], "password": 1});
        let expected = ["slug", "url", "tags.1", "cloaking", "password"];
        assert_eq!(paths(put(&body)), expected);
    }

    #[test]
    fn a_password_is_kept_removed_or_replaced_but_never_a_mask() {
        let with = |password: Option<&str>| {
            let mut body = json!({"slug": "a", "url": "https://example.com/"});
            if let Some(password) = password {
                body["password"] = password.into();
            }
            put(&body).map(|edit| edit.patch.password)
        };
        assert_eq!(with(None).unwrap(), Change::Keep);
        assert_eq!(with(Some(" ")).unwrap(), Change::Clear);
        assert_matches!(with(Some("new")).unwrap(), Change::Set(_));
        assert_eq!(paths(with(Some(Password::MASK))), ["password"]);
    }

    #[test]
    fn absent_null_and_a_value_are_three_things() {
        let edit = patch(&json!({
            "slug": "docs", "comment": null, "title": "t", "tags": null, "password": null,
            "cloaking": false, "geo": {"DE": "https://example.de/"},
        }))
        .unwrap();
        let patch = edit.patch;
        assert_eq!(edit.key.slug.as_str(), "docs");
        assert_eq!(patch.comment, Change::Clear);
        assert_matches!(patch.title, Change::Set(_));
        assert_eq!(patch.description, Change::Keep);
        assert_eq!(patch.tags, Change::Clear);
        assert_eq!(patch.password, Change::Clear);
        assert_eq!(patch.cloaking, Change::Set(false));
        assert_matches!(patch.geo, Change::Set(ref geo) if geo.len() == 1);
        assert_eq!(patch.destination, None);
    }

    #[test]
    fn all_faults_of_a_patch_are_listed_at_once() {
        let body = json!({"slug": "a/b", "url": "x", "tags": [" ", 1], "apple": "javascript:1",
            "proxy": 0, "password": ["p"]});
        let expected = "slug url tags.0 tags.1 apple proxy password";
        assert_eq!(paths(patch(&body)).join(" "), expected);
    }

    #[test]
    fn the_document_lets_members_be_null_except_those_that_cannot_be_removed() {
        let generator = SchemaGenerator::new(settings(&Bounds::default()));
        let schema = generator.into_root_schema_for::<PatchLink>().to_value();
        let kind = |member: &str| schema["properties"][member]["type"].clone();
        assert_eq!(kind("comment"), json!(["string", "null"]));
        assert_eq!(kind("tags"), json!(["array", "null"]));
        assert_eq!(kind("geo"), json!(["object", "null"]));
        assert_eq!(kind("url"), "string");
        assert!(!schema.to_string().contains("nullable"));
        assert_eq!(schema["required"], json!(["slug"]));
    }

    #[test]
    fn a_partial_update_keeps_what_is_left_out_and_removes_what_is_empty() {
        let body = json!({"slug": "docs", "partial": true, "url": "https://e.example/",
            "comment": "", "remove": ["title", "maxVisits"], "password": ""});
        let edit = update(&body).unwrap();
        let patch = edit.patch;
        assert_eq!(edit.key.slug.as_str(), "docs");
        assert!(patch.destination.is_some());
        assert_eq!(patch.comment, Change::Clear);
        assert_eq!(patch.title, Change::Clear);
        assert_eq!(patch.max_visits, Change::Clear);
        assert_eq!(patch.password, Change::Clear);
        assert_eq!(patch.tags, Change::Keep);
    }

    #[rstest]
    #[case(json!({"remove": ["password", "tags"]}), &[])]
    #[case(json!({"remove": ["comment"], "comment": ""}), &[])]
    #[case(json!({"remove": ["comment", "tags"], "comment": "c", "tags": []}), &["comment", "tags"])]
    #[case(json!({"remove": ["url", "comments", null, "slug"]}),
        &["remove.0", "remove.1", "remove.2", "remove.3"])]
    #[case(json!({"remove": "comment"}), &["remove"])]
    fn what_is_removed_is_named_and_not_set(#[case] sent: Value, #[case] faults: &[&str]) {
        let body = with(sent, |it| {
            it["slug"] = json!("docs");
            it["partial"] = json!(true);
        });
        assert_eq!(paths(update(&body)), faults);
    }

    #[test]
    fn a_replacement_removes_by_name_what_it_would_keep() {
        let body = json!({"slug": "docs", "url": "https://e.example/",
            "remove": ["maxVisits", "unsafe", "password", "comment"]});
        let patch = update(&body).unwrap().patch;
        assert_eq!(patch.max_visits, Change::Clear);
        assert_eq!(patch.flagged_unsafe, Change::Clear);
        assert_eq!(patch.password, Change::Clear);
        assert_eq!(patch.starts_at, Change::Keep);
    }

    #[test]
    fn a_replacing_update_needs_a_url() {
        let path = |body: &Value| update(body).unwrap_err().issues[0].path.join(".");
        // The first thing to mend is what keeps the other members.
        let comment = update(&json!({"slug": "docs", "comment": "c"})).unwrap_err();
        assert!(
            comment
                .detail
                .starts_with("partial: to change only some members"),
            "{}",
            comment.detail
        );
        assert_eq!(comment.issues[1].path, ["url"]);
        assert_eq!(path(&json!({"slug": "docs", "partial": "yes"})), "partial");
    }

    #[test]
    fn a_replaced_link_names_what_it_lost() {
        let before = link("docs").comment("c").tags(&["a"]).password("h").build();
        let seen = |link: Link| SeenLink::Whole(link.into(), None);
        let edited = EditedLink {
            before: seen(before),
            link: seen(link("docs").password("h").build()),
        };
        let undo = Undo {
            dashboard: "https://admin.example",
            keeping: Keeping::default(),
        };
        let shown = LinkUpdated::new(&edited, true, "https://sl.example", undo);
        assert_eq!(shown.removed.unwrap(), ["comment", "tags"]);
        assert_eq!(shown.short_link, "https://sl.example/docs");
        let kept = LinkUpdated::new(&edited, false, "https://sl.example", undo);
        assert_eq!(kept.removed, None);
    }

    fn bounds() -> Bounds {
        Bounds::default().seen_at(&"https://sl.example".parse().unwrap())
    }

    fn faults_of<T: DeserializeOwned, O>(
        link: &Value,
        check: impl FnOnce(T, &Bounds) -> Result<O, Problem>,
    ) -> Vec<String> {
        paths(check(read(link).unwrap(), &bounds()))
    }

    #[rstest]
    #[case(json!({"slug": "Docs", "url": "https://sl.example/docs"}), &["url"])]
    #[case(
        json!({"slug": "docs", "url": "https://e.example/", "apple": "http://sl.example/docs/",
               "google": "https://sl.example/docs?x", "geo": {"DE": "https://sl.example/docs"},
               "startsAt": 5, "startUrl": "https://sl.example/docs",
               "expiredUrl": "https://sl.example/docs"}),
        &["apple", "google", "geo.DE", "startUrl", "expiredUrl"]
    )]
    #[case(
        json!({"slug": "docs", "url": "https://sl.example/docs", "comment": 5}),
        &["comment", "url"]
    )]
    #[case(json!({"slug": "docs", "url": "https://sl.example/other"}), &[])]
    #[case(json!({"slug": "docs", "url": "https://sl.example/docs/x"}), &[])]
    #[case(
        json!({"slug": "docs", "url": "https://sl.example/Docs/{path}", "forwardPath": true}),
        &["url"]
    )]
    #[case(
        json!({"slug": "docs", "url": "https://{1}.e.example/", "forwardPath": true}),
        &["url"]
    )]
    #[case(
        json!({"slug": "docs", "url": "https://e.example/{1}", "forwardPath": true,
               "apple": "https://apps.example/{path}", "google": "https://{1}.e.example/",
               "geo": {"DE": "https://e.example/{1}"}, "startsAt": 5,
               "startUrl": "https://e.example/#{9}", "expiredUrl": "https://e.example/{1}"}),
        &["apple", "google", "startUrl", "expiredUrl"]
    )]
    #[case(
        json!({"slug": "docs", "url": "https://e.example/", "expiredUrl": "https://e.example/{1}"}),
        &[]
    )]
    #[case(
        json!({"slug": "API", "url": "https://e.example/", "forwardPath": true}),
        &["forwardPath"]
    )]
    #[case(
        json!({"slug": "docs", "url": "https://e.example/",
               "rules": [{"when": {"bot": true}, "url": "https://e.example/"},
                         {"when": {"bot": true}, "url": "https://sl.example/docs"}],
               "split": [{"url": "https://sl.example/docs", "weight": 1}]}),
        &["rules.1.url", "split.0.url"]
    )]
    fn every_input_with_a_link_refuses_its_own_address(
        #[case] link: Value,
        #[case] expected: &[&str],
    ) {
        for found in [
            faults_of(&link, |l: CreateLink, r| l.validate(r)),
            faults_of(&link, |l: EditLink, r| l.validate(r)),
            faults_of(&link, |l: PatchLink, r| l.validate(r)),
            faults_of(&link, |l: UpdateLink, r| l.validate(r)),
            faults_of(&link, |l: ImportLink, r| l.validate(r)),
        ] {
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn a_link_whose_slug_is_not_chosen_yet_may_lead_to_others() {
        let link = json!({"url": "https://sl.example/docs"});
        assert_eq!(faults_of(&link, |l: CreateLink, r| l.validate(r)), [""; 0]);
    }
}
