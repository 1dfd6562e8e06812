//! The versions of a link.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use slugline_domain::{Ending, Keeping, Link, LinkVersions, Revision};

use super::{LinkView, Mask, key::shown_domain};

/// The number of a version as clients see it: that of a new link is 1.
pub(super) fn version_number(revision: Revision) -> i64 {
    revision.get().saturating_add(1)
}

/// The versions of a link, as far as they are kept.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LinkHistory {
    /// The id of the link.
    pub id: String,
    /// Its slug; that of a deleted link is the one that it had.
    pub slug: String,
    /// The host of its domain; left out for the default one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// The versions, the newest first.
    pub versions: Vec<VersionView>,
    /// Present if the link is in the trash.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deleted: Option<DeletionView>,
}

/// A version of a link, and what made it differ from the one before.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "LinkVersion")]
pub struct VersionView {
    /// Its number; later versions have greater ones.
    pub version: i64,
    /// When it began, in Unix seconds.
    pub at: i64,
    /// Who made it: the name of a token, `site`, `operator` or `service`. Absent of the oldest version that is kept; the audit trail may know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The kind of change, as in the audit trail. Absent of the oldest version that is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// True of the version that visitors get.
    pub current: bool,
    /// The members that differ from the version before; none of the oldest version that is kept.
    pub members: Vec<MemberChange>,
}

/// A member that changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MemberChange {
    /// The member.
    pub name: String,
    /// Its value before; null if there was none. Of a password the mask.
    pub old: Value,
    /// Its value since; null if there is none. Of a password the mask.
    pub new: Value,
}

/// A deletion.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DeletionView {
    /// When, in Unix seconds.
    pub at: i64,
    /// Who did it: the name of a token, `site`, `operator` or `service`.
    pub by: String,
    /// The kind of change: link.delete; another one if a new link took the slug of the expired one.
    pub operation: String,
    /// The Unix second until which the link can be brought back.
    pub until: i64,
}

impl DeletionView {
    /// Shows the change that deleted a link.
    pub(super) fn new(end: &Ending, keeping: Keeping) -> Self {
        Self {
            at: end.at.second().get(),
            by: end.by.to_string(),
            operation: end.operation.clone(),
            until: keeping.until(end.at).second().get(),
        }
    }
}

impl LinkHistory {
    /// Shows the versions of a link, and the link as it is or was last.
    pub fn new(latest: &Link, versions: &LinkVersions, keeping: Keeping) -> Self {
        let LinkVersions { current, former } = versions;
        let all = current
            .iter()
            .chain(former.iter().map(|former| &former.link));
        // A version began with the change that ended the one before.
        let skipped = usize::from(current.is_none());
        let before = former.iter().skip(skipped).map(Some).chain([None]);
        let shown = all.zip(before).map(|(link, before)| VersionView {
            version: version_number(link.revision),
            at: before
                .map_or(link.updated_at, |one| one.end.at.second())
                .get(),
            by: before.map(|one| one.end.by.to_string()),
            operation: before.map(|one| one.end.operation.clone()),
            current: current.as_ref() == Some(link),
            members: before.map_or_else(Vec::new, |one| changes(&one.link, link)),
        });
        let deleted = former.first().filter(|_| current.is_none());
        Self {
            id: latest.id.to_string(),
            slug: latest.key.slug.to_string(),
            domain: shown_domain(&latest.key.domain),
            versions: shown.collect(),
            deleted: deleted.map(|last| DeletionView::new(&last.end, keeping)),
        }
    }
}

/// Members that differ without an author's doing.
const DERIVED: [&str; 2] = ["updatedAt", "visitsLeft"];

/// The members that differ between two versions of a link.
fn changes(old: &Link, new: &Link) -> Vec<MemberChange> {
    let (before, after) = (members(old), members(new));
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let value = |members: &Map<String, Value>, name: &str| {
        let value = members.get(name).cloned();
        value.unwrap_or(Value::Null)
    };
    let all = names.into_iter().map(|name| MemberChange {
        name: name.clone(),
        old: value(&before, name),
        new: value(&after, name),
    });
    // Two passwords have one mask.
    let changed = |one: &MemberChange| {
        one.old != one.new || one.name == "password" && old.password != new.password
    };
    let is_own = |one: &MemberChange| !DERIVED.contains(&one.name.as_str());
    all.filter(|one| changed(one) && is_own(one)).collect()
}

fn members(link: &Link) -> Map<String, Value> {
    LinkView::<Mask>::from(link).into_members()
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use slugline_domain::{AuditNote, AuditedOperation, Author, FormerVersion};
    use slugline_testkit::{full_link, link, seconds};

    use super::*;

    fn ended(number: i64, link: Link, second: i64, operation: AuditedOperation) -> FormerVersion {
        let end = Ending::by(&AuditNote {
            at: seconds(second).start(),
            author: Author::operator(),
            operation,
        });
        FormerVersion {
            number,
            link,
            end,
            is_deleted: operation == AuditedOperation::LinkDelete,
        }
    }

    #[test]
    fn a_version_shows_who_made_it_and_what_changed() {
        let first = link("docs").comment("a").password("$one").build();
        let mut second = link("docs").tags(&["t"]).password("$two").build();
        second.revision = first.revision.next();
        second.updated_at = seconds(1);
        let edited = ended(1, first.clone(), 1, AuditedOperation::LinkEdit);
        let there = LinkVersions::new(Some(second.clone()), vec![edited.clone()]);
        let shown = LinkHistory::new(&second, &there, Keeping::default());
        let noon = seconds(0).get();
        assert_eq!(
            serde_json::to_value(&shown).unwrap(),
            json!({"id": "id-docs", "slug": "docs", "versions": [
                {"version": 2, "at": noon + 1, "by": "operator", "operation": "link.edit",
                    "current": true, "members": [
                        {"name": "comment", "old": "a", "new": null},
                        {"name": "password", "old": "__SINK_MASKED__•••••",
                            "new": "__SINK_MASKED__•••••"},
                        {"name": "tags", "old": [], "new": ["t"]},
                    ]},
                {"version": 1, "at": noon, "current": false, "members": []},
            ]})
        );
        let deleted = ended(2, second.clone(), 9, AuditedOperation::LinkDelete);
        let gone = LinkVersions::new(None, vec![deleted, edited]);
        let shown = LinkHistory::new(&second, &gone, Keeping::default());
        assert_eq!(shown.versions.len(), 2);
        assert!(shown.versions.iter().all(|version| !version.current));
        assert_eq!(shown.versions[0].operation.as_deref(), Some("link.edit"));
        let deleted = shown.deleted.unwrap();
        assert_eq!(
            (deleted.at, deleted.until),
            (noon + 9, noon + 9 + 30 * 86_400)
        );
    }

    #[test]
    fn no_hash_of_a_password_is_shown() {
        let mut full = full_link("docs");
        full.content.comment = None;
        let changes = changes(&link("docs").build(), &full);
        let text = serde_json::to_string(&changes).unwrap();
        assert!(text.contains("\"password\""), "{text}");
        assert!(!text.contains("argon2"), "{text}");
    }
}
