//! The trash.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use slugline_application as application;
use slugline_domain::{DomainName, FormerVersion, Keeping, PageSize, TrashPosition, UnixMillis};

use super::{
    LinkView, cursor,
    history::{DeletionView, version_number},
    key::{host_schema, listed_domain},
    search::page_size,
};
use crate::{Code, Problem, scalars::IntOrString, sent::Sent, validation::Validation};

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
        let cursor = cursor.filter(|cursor| !cursor.is_empty());
        let after = cursor.map(|cursor| read(cursor, domain.as_ref()));
        Ok(application::ListTrash {
            size,
            after: after.transpose()?,
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
    let cursor = Cursor(VERSION, domain, at, position.number);
    URL_SAFE_NO_PAD.encode(serde_json::to_vec(&cursor).expect("a cursor is plain data"))
}

fn read(text: &str, wanted: Option<&DomainName>) -> Result<TrashPosition, Problem> {
    let bytes = (text.len() <= cursor::MAX_CHARS).then(|| URL_SAFE_NO_PAD.decode(text).ok());
    let cursor = bytes
        .flatten()
        .and_then(|bytes| serde_json::from_slice(&bytes).ok());
    match cursor {
        Some(Cursor(VERSION, domain, at, number))
            if domain.as_deref() == wanted.map(DomainName::as_str) =>
        {
            let deleted_at = UnixMillis::new(at);
            Ok(TrashPosition { deleted_at, number })
        }
        Some(_) | None => Err(Problem::new(
            Code::InvalidCursor,
            "use the cursor of the previous page with the same domain, or start again without one",
        )),
    }
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::reader::read as read_input;

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
}
