//! The audit trail.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use slugline_application as application;
use slugline_domain::{
    AuditLine, AuditPosition, AuditedOperation, CallerName, PageSize, Slug, UnixMillis, UnixSeconds,
};

use crate::{
    Problem, cursor,
    links::key::{host_schema, listed_domain, optional_key, shown_domain},
    scalars::{IntOrString, UnixTime},
    sent::{Sent, options, same_variants},
    validation::Validation,
};

/// Comes first, so that a later layout can be told apart.
const VERSION: u8 = 1;

/// Which lines of the audit trail, and how many. A line must meet every condition.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ListAudit {
    /// First moment.
    pub from: Sent<UnixTime>,
    /// Last moment or day.
    pub until: Sent<UnixTime>,
    /// Only changes of the link with this slug, also if it is gone.
    #[schemars(length(min = 1, max = Slug::MAX_CHARS))]
    pub slug: Sent<String>,
    /// The host of the slug's domain; the default domain if left out. Without a slug, only changes of this domain and of its links.
    #[schemars(schema_with = "host_schema")]
    pub domain: Sent<String>,
    /// Only changes by this caller: the name of a token, `site`, `operator` or `service`.
    #[schemars(length(min = 1, max = CallerName::MAX_CHARS))]
    pub caller: Sent<String>,
    /// Only changes of this kind.
    pub operation: Sent<AuditOperation>,
    /// Lines per page.
    #[schemars(range(min = 1, max = PageSize::MAX), extend("default" = PageSize::DEFAULT))]
    pub limit: Sent<IntOrString>,
    /// Where to continue: the cursor of the previous page, with the rest as it was.
    #[schemars(length(max = cursor::MAX_CHARS))]
    pub cursor: Sent<String>,
}

/// A kind of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub enum AuditOperation {
    /// A link was created.
    #[serde(rename = "link.create")]
    LinkCreate,
    /// A link was edited.
    #[serde(rename = "link.edit")]
    LinkEdit,
    /// A link was deleted.
    #[serde(rename = "link.delete")]
    LinkDelete,
    /// A link was imported.
    #[serde(rename = "link.import")]
    LinkImport,
    /// A link was moved here from an older instance's store.
    #[serde(rename = "link.migrate")]
    LinkMigrate,
    /// The imported hash of a link's password was replaced by a stronger one of the same password.
    #[serde(rename = "link.rehash")]
    LinkRehash,
    /// A link was moved to another domain: a line about its former key and one about its new key.
    #[serde(rename = "link.move")]
    LinkMove,
    /// A deleted link, or an older version of a link, was brought back.
    #[serde(rename = "link.restore")]
    LinkRestore,
    /// A link was erased with all of its versions.
    #[serde(rename = "link.purge")]
    LinkPurge,
    /// A token was added.
    #[serde(rename = "token.add")]
    TokenAdd,
    /// A token was revoked.
    #[serde(rename = "token.revoke")]
    TokenRevoke,
    /// The visits of a link were to be erased.
    #[serde(rename = "visits.erase")]
    VisitsErase,
    /// A host was named, so that it has links of its own.
    #[serde(rename = "domain.add")]
    DomainAdd,
    /// The record of a domain was replaced.
    #[serde(rename = "domain.edit")]
    DomainEdit,
    /// A domain was taken away.
    #[serde(rename = "domain.remove")]
    DomainRemove,
}

options!(AuditOperation);

same_variants! { AuditOperation => AuditedOperation:
    LinkCreate, LinkEdit, LinkDelete, LinkImport, LinkMigrate, LinkRehash, LinkMove,
    LinkRestore, LinkPurge, TokenAdd, TokenRevoke, VisitsErase, DomainAdd, DomainEdit,
    DomainRemove
}

impl ListAudit {
    /// Makes domain values of the members.
    ///
    /// # Errors
    /// Lists every member that is of another type or out of bounds, or says that the cursor
    /// belongs to other conditions.
    pub fn validate(&self) -> Result<application::ListAudit, Problem> {
        let mut validation = Validation::default();
        let mut request = self.conditions(&mut validation);
        let size = validation.optional(&["limit"], &self.limit, |IntOrString(lines)| {
            PageSize::new(*lines)
        });
        request.size = size.unwrap_or_default();
        let cursor = validation.value(&["cursor"], &self.cursor);
        validation.finish(|| Some(()))?;
        request.after = read(cursor, &request)?;
        Ok(request)
    }

    fn conditions(&self, validation: &mut Validation) -> application::ListAudit {
        let from = validation.optional(&["from"], &self.from, UnixTime::first);
        let until = validation.optional(&["until"], &self.until, UnixTime::last);
        validation.in_order(("from", from), ("until", until));
        let operation = validation.value(&["operation"], &self.operation);
        let key = optional_key(validation, &self.domain, &self.slug);
        let domain = match &self.domain {
            sent @ Sent::Value(_) if key.is_none() => {
                listed_domain(&mut Validation::default(), sent)
            }
            Sent::Value(_) | Sent::Absent | Sent::Null | Sent::Wrong(_) => None,
        };
        application::ListAudit {
            from: from.map(UnixSeconds::start),
            until: until.map(after),
            key,
            domain,
            caller: validation.optional(&["caller"], &self.caller, |caller| {
                CallerName::parse(caller)
            }),
            operation: operation.copied().map(Into::into),
            ..application::ListAudit::default()
        }
    }
}

/// The first moment after a second.
fn after(second: UnixSeconds) -> UnixMillis {
    UnixMillis::new(second.start().get().saturating_add(1000))
}

/// The content of a cursor: version, conditions, and the last line of the page.
#[derive(Serialize, Deserialize)]
struct Cursor(u8, Conditions, i64, i64);

/// From, until, key, domain, caller and operation.
#[derive(PartialEq, Serialize, Deserialize)]
struct Conditions(
    Option<i64>,
    Option<i64>,
    Option<String>,
    Option<String>,
    Option<String>,
    Option<String>,
);

impl From<&application::ListAudit> for Conditions {
    fn from(request: &application::ListAudit) -> Self {
        Self(
            request.from.map(UnixMillis::get),
            request.until.map(UnixMillis::get),
            request.key.as_ref().map(ToString::to_string),
            request.domain.as_ref().map(ToString::to_string),
            request.caller.as_ref().map(ToString::to_string),
            request
                .operation
                .map(|operation| operation.as_str().to_owned()),
        )
    }
}

fn write(position: AuditPosition, request: &application::ListAudit) -> String {
    cursor::write(&Cursor(
        VERSION,
        request.into(),
        position.at.get(),
        position.number,
    ))
}

fn read(
    sent: Option<&String>,
    request: &application::ListAudit,
) -> Result<Option<AuditPosition>, Problem> {
    let same = "from, until, slug, domain, caller and operation";
    cursor::read(sent, same, |Cursor(version, conditions, at, number)| {
        let at = UnixMillis::new(at);
        let belongs = version == VERSION && conditions == request.into();
        belongs.then_some(AuditPosition { at, number })
    })
}

/// A page of the audit trail.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AuditList {
    /// The lines, the newest first.
    pub lines: Vec<AuditLineView>,
    /// True if this is the last page.
    pub list_complete: bool,
    /// Where the next page starts; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// One change.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "AuditLine")]
pub struct AuditLineView {
    /// When, in Unix seconds, by the clock of the node that made the change.
    pub at: i64,
    /// Who: the name of a token, `site` for the site token, `operator` for commands on the machine, `service` for the service itself.
    pub caller: String,
    /// What: link.create, link.edit, link.delete, link.import, link.migrate, link.rehash, link.move, link.restore, link.purge, token.add, token.revoke, visits.erase, domain.add, domain.edit or domain.remove. Later versions may add others.
    pub operation: String,
    /// The slug of the changed link.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slug: Option<String>,
    /// The host of its domain, or of the changed domain; left out for the default one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// The name of the changed token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// A hash of the caller's address, keyed anew whenever a node starts; absent for changes that came from the machine itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
}

impl AuditList {
    /// Shows a page, with a cursor that continues with the same conditions.
    pub fn new(request: &ListAudit, page: &application::AuditPage) -> Self {
        let conditions = request.conditions(&mut Validation::default());
        let cursor = page.next.map(|position| write(position, &conditions));
        Self {
            lines: page.lines.iter().map(AuditLineView::from).collect(),
            list_complete: cursor.is_none(),
            cursor,
        }
    }
}

impl From<&AuditLine> for AuditLineView {
    fn from(line: &AuditLine) -> Self {
        Self {
            at: line.at.second().get(),
            caller: line.author.caller.to_string(),
            operation: line.operation.clone(),
            slug: line.key.as_ref().map(|key| key.slug.to_string()),
            domain: domain_of(line),
            token: line.token.as_ref().map(ToString::to_string),
            client: line.author.client.map(|client| client.to_string()),
        }
    }
}

fn domain_of(line: &AuditLine) -> Option<String> {
    let of_link = line.key.as_ref().and_then(|key| shown_domain(&key.domain));
    of_link.or_else(|| line.domain.as_ref().map(ToString::to_string))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use slugline_domain::{Author, ClientTag};

    use slugline_domain::LinkKey;

    use super::*;
    use crate::{Code, faults::paths, reader::query_to_json};

    fn request(query: &Value) -> Result<application::ListAudit, Problem> {
        crate::read::<ListAudit>(query)?.validate()
    }

    fn line() -> AuditLine {
        AuditLine {
            at: UnixMillis::new(1_800_000_000_500),
            number: 7,
            author: Author {
                caller: CallerName::parse("ci").unwrap(),
                client: Some(ClientTag::new(0xab)),
            },
            operation: "link.edit".into(),
            key: Some(LinkKey::parse("docs").unwrap()),
            domain: None,
            token: None,
        }
    }

    #[test]
    fn conditions_are_read_from_a_query_and_a_whole_second_is_meant() {
        let query = query_to_json(
            "from=1&until=2&slug=Docs&caller=CI%20bot&operation=link.edit&limit=3&cursor=",
        );
        let expected = application::ListAudit {
            from: Some(UnixMillis::new(1_000)),
            until: Some(UnixMillis::new(3_000)),
            key: LinkKey::parse("Docs").ok(),
            caller: CallerName::parse("CI bot").ok(),
            operation: Some(AuditedOperation::LinkEdit),
            size: PageSize::new(3).unwrap(),
            ..application::ListAudit::default()
        };
        assert_eq!(request(&query).unwrap(), expected);
        let millis = request(&json!({"until": 1_795_413_519_000_i64})).unwrap_err();
        assert!(millis.detail.contains("milliseconds"), "{millis:?}");
        assert_eq!(request(&json!({})), Ok(application::ListAudit::default()));
    }

    #[test]
    fn every_fault_is_named() {
        let wrong = json!({
            "from": 5, "until": 4, "slug": "a b", "caller": "", "operation": "edit", "limit": 0,
        });
        let expected = ["until", "operation", "slug", "caller", "limit"];
        assert_eq!(paths(request(&wrong)), expected);
        let known = &request(&wrong).unwrap_err().issues[1].expected;
        for operation in AuditedOperation::ALL {
            assert!(known.contains(operation.as_str()), "{known}");
        }
    }

    #[test]
    fn the_wire_has_every_operation() {
        for operation in AuditedOperation::ALL {
            let sent = json!({"operation": operation.as_str()});
            assert_eq!(request(&sent).unwrap().operation, Some(operation));
        }
    }

    #[test]
    fn a_cursor_continues_the_same_conditions_only() {
        let sent = json!({"slug": "docs", "from": 1});
        let page = application::AuditPage {
            lines: vec![line()],
            next: Some(AuditPosition::after(&line())),
        };
        let list = AuditList::new(&crate::read::<ListAudit>(&sent).unwrap(), &page);
        let cursor = list.cursor.unwrap();
        let next = request(&json!({"slug": "docs", "from": 1, "cursor": cursor}));
        assert_eq!(next.unwrap().after, page.next);
        for other in [
            json!({"slug": "docs", "cursor": cursor}),
            json!({"slug": "docs", "from": 1, "caller": "ci", "cursor": cursor}),
            json!({"cursor": "nonsense"}),
        ] {
            assert_eq!(request(&other).unwrap_err().code, Code::InvalidCursor);
        }
    }

    #[test]
    fn a_line_names_what_it_has() {
        let shown = serde_json::to_value(AuditLineView::from(&line())).unwrap();
        let expected = json!({
            "at": 1_800_000_000, "caller": "ci", "operation": "link.edit", "slug": "docs",
            "client": "00000000000000ab",
        });
        assert_eq!(shown, expected);
    }
}
