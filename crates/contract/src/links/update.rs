//! The input of the tool that changes a link, wholly or in part.

use std::iter;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use slugline_application::{self as application, ChangeTerms, EditedLink};
use slugline_domain::{Link, LinkKey, LinkPatch, Password, Slug};

use super::{
    EditLink, LinkView, PatchLink, SeenLinkView,
    key::host_schema,
    member_reader::Body,
    members::{LinkMembers, members_or_null},
    short_link::short_link,
    undo::Undo,
};
use crate::{
    Problem,
    bounds::Bounds,
    issue::{Issue, IssueCode},
    sent::Sent,
    validation::Validation,
};

/// A link's new content, or with `partial` the members that change.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["slug"]), transform = members_or_null)]
pub struct UpdateLink {
    /// The link to change.
    #[schemars(length(min = 1, max = Slug::MAX_CHARS), regex(pattern = Slug::PATTERN))]
    pub slug: Sent<String>,
    /// Host of its domain; the default one if left out.
    #[schemars(schema_with = "host_schema")]
    pub domain: Sent<String>,
    /// Keep members left out; null or an empty text removes one. Else url is required.
    #[schemars(extend("default" = false))]
    pub partial: Sent<bool>,
    /// The members that the author decides.
    #[serde(flatten)]
    pub members: LinkMembers,
    /// A new password; left out, the old one stays; an empty text removes it.
    #[schemars(length(max = Password::MAX_CHARS))]
    pub password: Sent<String>,
}

/// The requested change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkUpdate {
    /// The whole content is replaced.
    Whole(Box<application::EditLink>),
    /// Some members change.
    Partial(LinkKey, Box<LinkPatch>),
}

impl UpdateLink {
    /// Makes domain values of the members.
    ///
    /// # Errors
    /// Lists every member that is missing, of another type or out of bounds.
    pub fn validate(self, bounds: &Bounds) -> Result<(LinkUpdate, ChangeTerms), Problem> {
        let Self {
            slug,
            domain,
            partial,
            members,
            password,
        } = self;
        let mut validation = Validation::default();
        let is_partial = validation.value(&["partial"], &partial).copied();
        validation.finish(|| Some(()))?;
        if is_partial == Some(true) {
            let patch = PatchLink {
                slug,
                domain,
                members,
                password,
                validate_only: Sent::Absent,
            };
            let (key, patch, terms) = patch.validate_as(Body::PartialByTool, bounds)?;
            Ok((LinkUpdate::Partial(key, Box::new(patch)), terms))
        } else {
            let meant_partial = members.url == Sent::Absent;
            let edit = EditLink {
                slug,
                domain,
                members,
                password,
                validate_only: Sent::Absent,
            };
            let edit = edit.validate(bounds);
            let edit = edit.map(|(edit, terms)| (LinkUpdate::Whole(Box::new(edit)), terms));
            if meant_partial {
                edit.map_err(missing_partial)
            } else {
                edit
            }
        }
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
}

impl LinkUpdated {
    /// Shows a link whose members were changed.
    pub fn changed(edited: &EditedLink, origin: &str, undo: Undo<'_>) -> Self {
        let EditedLink { before: _, link } = edited;
        Self {
            link: link.into(),
            short_link: short_link(link.key(), origin),
            removed: None,
            undo: undo.of_change(edited),
        }
    }

    /// Shows a link that was replaced, and names the members it lost.
    pub fn replaced(edited: &EditedLink, origin: &str, undo: Undo<'_>) -> Self {
        let lost = edited.before.whole().zip(edited.link.whole());
        let lost = lost.map(|(before, link)| {
            let (mut lost, now) = (members(before), members(link));
            lost.retain(|name| !now.contains(name));
            lost
        });
        Self {
            removed: lost.filter(|lost| !lost.is_empty()),
            ..Self::changed(edited, origin, undo)
        }
    }
}

/// The names of the members that a link has.
fn members(link: &Link) -> Vec<String> {
    let members = LinkView::<super::Mask>::from(link).into_members();
    let is_there = |value: &Value| value.as_array().is_none_or(|items| !items.is_empty());
    let there = members.into_iter().filter(|(_, value)| is_there(value));
    there.map(|(name, _)| name).collect()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde::de::DeserializeOwned;
    use serde_json::json;
    use slugline_application::SeenLink;
    use slugline_domain::{Change, Keeping};
    use slugline_testkit::link;

    use super::*;
    use crate::{
        faults::paths,
        links::{CreateLink, ImportLink},
        reader::read,
    };

    fn validate(body: &Value) -> Result<LinkUpdate, Problem> {
        let (update, _) = read::<UpdateLink>(body)?.validate(&Bounds::default())?;
        Ok(update)
    }

    #[test]
    fn a_partial_update_keeps_what_is_left_out_and_removes_what_is_empty() {
        let body = json!({"slug": "docs", "partial": true, "url": "https://e.example/",
            "comment": "", "title": null, "password": ""});
        let Ok(LinkUpdate::Partial(key, patch)) = validate(&body) else {
            panic!("expected a partial update");
        };
        assert_eq!(key.slug.as_str(), "docs");
        assert!(patch.destination.is_some());
        assert_eq!(patch.comment, Change::Clear);
        assert_eq!(patch.title, Change::Clear);
        assert_eq!(patch.password, Change::Clear);
        assert_eq!(patch.tags, Change::Keep);
    }

    #[test]
    fn a_replacing_update_needs_a_url_and_takes_no_null() {
        let path = |body: &Value| validate(body).unwrap_err().issues[0].path.join(".");
        // The first thing to mend is what keeps the other members.
        let comment = validate(&json!({"slug": "docs", "comment": "c"})).unwrap_err();
        assert!(
            comment
                .detail
                .starts_with("partial: to change only some members"),
            "{}",
            comment.detail
        );
        assert_eq!(comment.issues[1].path, ["url"]);
        let null = json!({"slug": "docs", "url": "https://e.example/", "title": null});
        assert_eq!(path(&null), "title");
        assert_eq!(path(&json!({"slug": "docs", "partial": "yes"})), "partial");
    }

    #[test]
    fn a_replaced_link_names_what_it_lost() {
        let before = link("docs").comment("c").tags(&["a"]).password("h").build();
        let seen = |link: Link| SeenLink::Whole(link.into());
        let edited = EditedLink {
            before: seen(before),
            link: seen(link("docs").password("h").build()),
        };
        let undo = Undo {
            dashboard: "https://admin.example",
            keeping: Keeping::default(),
        };
        let shown = LinkUpdated::replaced(&edited, "https://sl.example", undo);
        assert_eq!(shown.removed.unwrap(), ["comment", "tags"]);
        assert_eq!(shown.short_link, "https://sl.example/docs");
    }

    fn bounds() -> Bounds {
        Bounds::default().seen_at("https://sl.example")
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
