//! Undoing: the trash, bringing a link back, erasing one, and what programs are told about it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use slugline_application::{self as application, EditedLink, SeenLink, WhichLink};
use slugline_domain::{
    Change, DomainName, FormerVersion, Keeping, LinkId, LinkKey, PageSize, Revision, Slug,
    TrashPosition, UnixMillis,
};

use super::{
    LinkView,
    history::{DeletionView, version_number},
    key::{SlugOrId, host_schema, key, listed_domain},
    search::page_size,
};
use crate::{
    Problem, cursor,
    issue::IssueCode,
    scalars::{Instant, IntOrString},
    sent::Sent,
    validation::Validation,
};

/// Which deleted links, and how many.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ListTrash {
    /// Links per page.
    #[schemars(range(min = 1, max = PageSize::MAX), extend("default" = PageSize::DEFAULT))]
    pub limit: Sent<IntOrString>,
    /// The cursor of the previous page.
    #[schemars(length(max = cursor::MAX_CHARS))]
    pub cursor: Sent<String>,
    /// Host of the domain; `*` for all, the default one if left out.
    #[schemars(schema_with = "host_schema")]
    pub domain: Sent<String>,
}

impl ListTrash {
    /// Makes domain values of the members.
    ///
    /// # Errors
    /// Lists every member that is of another type or out of bounds, or says that the cursor
    /// belongs to another listing.
    pub fn validate(&self) -> Result<application::ListTrash, Problem> {
        let mut validation = Validation::default();
        let size = page_size(&mut validation, &self.limit);
        let cursor = validation.value(&["cursor"], &self.cursor);
        let domain = listed_domain(&mut validation, &self.domain);
        validation.finish(|| Some(()))?;
        Ok(application::ListTrash {
            size,
            after: read(cursor, domain.as_ref())?,
            domain,
        })
    }
}

/// Comes first, so that a later layout can be told apart.
const VERSION: u8 = 1;

/// The content of a cursor: version, domain, and the last link of the page.
#[derive(Serialize, Deserialize)]
struct Cursor(u8, Option<String>, i64, i64);

fn write(position: TrashPosition, domain: Option<&DomainName>) -> String {
    let at = position.deleted_at.get();
    let domain = domain.map(ToString::to_string);
    cursor::write(&Cursor(VERSION, domain, at, position.number))
}

fn read(
    sent: Option<&String>,
    domain: Option<&DomainName>,
) -> Result<Option<TrashPosition>, Problem> {
    let wanted = domain.map(DomainName::as_str);
    cursor::read(sent, "domain", |Cursor(version, domain, at, number)| {
        let deleted_at = UnixMillis::new(at);
        let belongs = version == VERSION && domain.as_deref() == wanted;
        belongs.then_some(TrashPosition { deleted_at, number })
    })
}

/// A page of deleted links.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TrashList {
    /// The links, the one deleted last first.
    pub links: Vec<TrashedLink>,
    /// True if this is the last page.
    pub list_complete: bool,
    /// Where the next page starts; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A deleted link.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrashedLink {
    /// The link as it was.
    pub link: LinkView,
    /// When it was deleted, in Unix seconds.
    pub deleted_at: i64,
    /// Who deleted it: the name of a token, `site`, `operator` or `service`.
    pub deleted_by: String,
    /// The kind of change: link.delete; another one if a new link took the slug of the expired one.
    pub operation: String,
    /// The Unix second until which it can be brought back.
    pub until: i64,
    /// The number of its last version.
    pub version: i64,
}

impl TrashList {
    /// Shows a page, with a cursor that continues with the same domain.
    pub fn new(request: &ListTrash, page: &application::TrashPage, keeping: Keeping) -> Self {
        let domain = listed_domain(&mut Validation::default(), &request.domain);
        let cursor = page.next.map(|position| write(position, domain.as_ref()));
        let shown = page.links.iter();
        Self {
            links: shown.map(|last| TrashedLink::new(last, keeping)).collect(),
            list_complete: cursor.is_none(),
            cursor,
        }
    }
}

impl TrashedLink {
    fn new(last: &FormerVersion, keeping: Keeping) -> Self {
        let DeletionView {
            at,
            by,
            operation,
            until,
        } = DeletionView::new(&last.end, keeping);
        Self {
            link: (&last.link).into(),
            deleted_at: at,
            deleted_by: by,
            operation,
            until,
            version: version_number(last.link.revision),
        }
    }
}

/// The link to bring back, and its version.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["id"]))]
pub struct RestoreLink {
    /// The id of the link, which is in the trash or there.
    #[schemars(length(min = 1, max = LinkId::MAX_CHARS), regex(pattern = LinkId::PATTERN))]
    pub id: Sent<String>,
    /// The number of the version. Left out, it is the last one of a deleted link, and the one before the present one of another.
    #[schemars(range(min = 1))]
    pub version: Sent<IntOrString>,
    /// Another slug for a deleted link.
    #[schemars(length(min = 1, max = Slug::MAX_CHARS), regex(pattern = Slug::PATTERN))]
    pub slug: Sent<String>,
    /// The host of another domain for a deleted link; empty for the default one.
    #[schemars(schema_with = "host_schema")]
    pub domain: Sent<String>,
    /// Another expiry: Unix seconds or RFC 3339, in the future; null removes that of the version.
    #[schemars(extend("type" = ["integer", "string", "null"], "nullable" = true))]
    pub expiration: Sent<Instant>,
}

impl RestoreLink {
    /// Makes domain values of the members.
    ///
    /// # Errors
    /// Lists every member that is missing, of another type or out of bounds.
    pub fn validate(&self) -> Result<application::RestoreLink, Problem> {
        let mut validation = Validation::default();
        let id = validation.required(&["id"], &self.id, |id| LinkId::parse(id));
        let version = validation.value(&["version"], &self.version);
        let version = version.and_then(|IntOrString(number)| revision(&mut validation, *number));
        let slug = validation.optional(&["slug"], &self.slug, |slug| Slug::parse(slug));
        let domain = validation.optional(&["domain"], &self.domain, |text| {
            DomainName::parse(text.trim())
        });
        let planned = |sent: &Instant| sent.planned();
        let expires_at = if let Sent::Null = self.expiration {
            Change::Clear
        } else {
            let sent = validation.optional(&["expiration"], &self.expiration, planned);
            sent.map_or(Change::Keep, Change::Set)
        };
        validation.finish(|| {
            Some(application::RestoreLink {
                id: id?,
                version,
                slug,
                domain,
                expires_at,
            })
        })
    }
}

fn revision(validation: &mut Validation, number: i64) -> Option<Revision> {
    if number < 1 {
        let fault = format!("version {number} is less than 1");
        let expected = "a number from GET /api/link/history".to_owned();
        validation.note(&["version"], (IssueCode::TooSmall, fault, expected));
        return None;
    }
    Some(Revision::new(number - 1))
}

/// A link to delete: `slug`, or with `purge` also the `id` of one in the trash.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct LinkDeletion {
    /// The link.
    #[serde(flatten)]
    pub link: SlugOrId,
    /// true: erases the link with all of its versions, for good. Needs the scope `admin`.
    #[schemars(extend("default" = false))]
    pub purge: Sent<bool>,
}

/// The requested deletion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deletion {
    /// Into the trash.
    Delete(LinkKey),
    /// For good.
    Purge(WhichLink),
}

impl LinkDeletion {
    /// Returns the link, and what becomes of it.
    ///
    /// # Errors
    /// Lists every member that is missing, of another type or malformed.
    pub fn validate(&self) -> Result<Deletion, Problem> {
        let SlugOrId { slug, domain, id } = &self.link;
        let mut validation = Validation::default();
        if validation.flag("purge", &self.purge) {
            return self.link.validate().map(Deletion::Purge);
        }
        if *id != Sent::Absent {
            let message = "id names a link to purge".to_owned();
            let expected = "slug in its place, or purge: true beside it".to_owned();
            validation.note(&["id"], (IssueCode::Custom, message, expected));
        }
        let key = key(&mut validation, domain, slug);
        validation.finish(|| key.map(Deletion::Delete))
    }
}

/// What is kept of links, and where people find it.
#[derive(Clone, Copy, Debug)]
pub struct Undo<'o> {
    /// The address of the dashboard's host, such as `https://sl.example`.
    pub dashboard: &'o str,
    /// What is kept.
    pub keeping: Keeping,
}

impl Undo<'_> {
    /// The sentence about a link that was changed; `None` if it was so already, or no
    /// version before is kept.
    pub(super) fn of_change(self, edited: &EditedLink) -> Option<String> {
        let before = edited.before.revision();
        let is_kept = self.keeping.versions > 0 && before != edited.link.revision();
        is_kept.then(|| {
            format!(
                "Version {} is kept; a person can bring it back at \
                 {}/_dashboard/links?history={}",
                version_number(before),
                self.dashboard,
                edited.link.key()
            )
        })
    }

    /// The sentence about a link that was deleted; `None` if nothing of it is
    /// kept.
    pub(super) fn of_deletion(self, link: &SeenLink) -> Option<String> {
        let days = self.keeping.deleted_for.as_secs() / 86_400;
        let host = link.key().domain.host();
        let of_domain = host.map_or_else(String::new, |host| format!("?domain={host}"));
        self.keeping.has_trash().then(|| {
            format!(
                "Version {} is in the trash for {days} days; a person can bring it back at \
                 {}/_dashboard/trash{of_domain}",
                version_number(link.revision()),
                self.dashboard
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use slugline_testkit::with;

    use super::*;
    use crate::{Code, faults::paths, reader::read as read_input};

    #[test]
    fn a_cursor_goes_on_with_the_same_domain_alone() {
        let position = TrashPosition {
            deleted_at: UnixMillis::new(5),
            number: 7,
        };
        let go = DomainName::parse("go.example").unwrap();
        let of = |sent: serde_json::Value| read_input::<ListTrash>(&sent).unwrap().validate();
        let cursor = write(position, Some(&go));
        let same = of(json!({"cursor": cursor, "domain": "go.example"})).unwrap();
        assert_eq!(same.after, Some(position));
        for other in [
            json!({"cursor": cursor}),
            json!({"cursor": cursor, "domain": "*"}),
            json!({"cursor": "x"}),
        ] {
            assert_eq!(of(other).unwrap_err().code, Code::InvalidCursor);
        }
        let domain = of(json!({"cursor": "", "domain": "*"})).unwrap().domain;
        assert_eq!(domain, None);
    }

    #[test]
    fn only_a_purge_names_a_link_by_its_id() {
        let deletion = |sent: Value| read_input::<LinkDeletion>(&sent)?.validate();
        let key = LinkKey::parse("docs").unwrap();
        let id = LinkId::parse("x").unwrap();
        let slug = deletion(json!({"slug": "docs", "purge": false})).unwrap();
        assert_eq!(slug, Deletion::Delete(key.clone()));
        let purged = deletion(json!({"slug": "docs", "purge": true})).unwrap();
        assert_eq!(purged, Deletion::Purge(WhichLink::Key(key)));
        let by_id = deletion(json!({"id": "x", "purge": true})).unwrap();
        assert_eq!(by_id, Deletion::Purge(WhichLink::Id(id)));
        assert_eq!(paths(deletion(json!({"id": "x"}))), ["id", "slug"]);
        assert_eq!(paths(deletion(json!({"purge": true}))), ["slug"]);
        let wrong = deletion(json!({"slug": "docs", "purge": "yes"}));
        assert_eq!(paths(wrong), ["purge"]);
    }

    #[test]
    fn every_fault_of_a_return_names_its_field() {
        let restore = |sent: Value| read_input::<RestoreLink>(&sent)?.validate();
        let all = restore(json!({"id": "x", "version": 3, "slug": "b", "domain": "",
            "expiration": null}));
        let all = all.unwrap();
        assert_eq!(all.version, Some(Revision::new(2)));
        assert_eq!(all.domain, Some(DomainName::DEFAULT));
        assert_eq!(all.expires_at, Change::Clear);
        let wrong =
            restore(json!({"version": 0, "slug": "a/b", "domain": "a b", "expiration": "x"}));
        let expected = ["id", "version", "slug", "domain", "expiration"];
        assert_eq!(paths(wrong), expected);
    }

    /// A link that the caller may not read.
    fn seen(key: &str, revision: i64) -> SeenLink {
        SeenLink::Key(LinkKey::parse(key).unwrap(), Revision::new(revision))
    }

    #[test]
    fn what_is_kept_can_be_undone_in_the_domain_of_the_link() {
        let undo = Undo {
            dashboard: "https://admin.example",
            keeping: Keeping::default(),
        };
        for (key, of_domain) in [("docs", ""), ("go.example/docs", "?domain=go.example")] {
            let (before, link) = (seen(key, 0), seen(key, 1));
            let edited = EditedLink { before, link };
            assert_eq!(
                undo.of_change(&edited).unwrap(),
                format!(
                    "Version 1 is kept; a person can bring it back at \
                     https://admin.example/_dashboard/links?history={key}"
                )
            );
            assert_eq!(
                undo.of_deletion(&edited.link).unwrap(),
                format!(
                    "Version 2 is in the trash for 30 days; a person can bring it back at \
                     https://admin.example/_dashboard/trash{of_domain}"
                )
            );
            let nothing = with(undo, |it| it.keeping = Keeping::NOTHING);
            assert_eq!(nothing.of_change(&edited), None);
            assert_eq!(nothing.of_deletion(&edited.link), None);
            let same = with(edited.clone(), |it| it.before.clone_from(&edited.link));
            assert_eq!(undo.of_change(&same), None);
        }
    }
}
