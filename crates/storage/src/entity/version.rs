//! Former versions of links. A row has the columns of a link that are not made for searches, and
//! those of the change that ended the version.

use sea_orm::sea_query::{Condition, Expr, ExprTrait, Query, SelectStatement};
use slugline_domain::{CallerName, Ending, FormerVersion, Link, LinkId, MadeLink, UnixMillis};

use super::link::{self, Column};
use crate::{
    failure::Failure,
    row::{Columns, Row},
};

pub(crate) const TABLE: &str = "link_versions";

/// The columns of the change that ended the version.
pub(crate) const END: [&str; 4] = ["ended_at", "ended_by", "operation", "deleted_at"];

/// The columns that a version takes over as they are.
pub(crate) fn columns() -> impl Iterator<Item = Column> {
    link::read_columns().filter(|column| !matches!(column, Column::Number))
}

/// Selects versions, the one that ended last first.
pub(crate) fn select() -> SelectStatement {
    Query::select()
        .columns(link::read_columns())
        .columns(END)
        .from(TABLE)
        .take()
}

/// The versions of the link with this identity.
pub(crate) fn is_of(id: &LinkId) -> Expr {
    Expr::col(Column::Id).eq(id.as_str())
}

/// The versions in the trash of links that these requests made, by the digests of their keys.
pub(crate) fn is_deleted_of(keys: &[String]) -> Condition {
    Condition::all()
        .add(link::is_made_by(keys))
        .add(Expr::col("deleted_at").is_not_null())
}

impl Row for FormerVersion {
    fn read(columns: &mut impl Columns) -> Result<Self, Failure> {
        let row = link::Model::read(columns)?;
        let ended_at = columns.next()?;
        former(row, ended_at, columns)
    }
}

/// A link that is there, or a former version.
pub(crate) enum Version {
    Current(Link),
    Former(FormerVersion),
}

impl Row for Version {
    fn read(columns: &mut impl Columns) -> Result<Self, Failure> {
        let row = link::Model::read(columns)?;
        Ok(match columns.next()? {
            Some(ended_at) => Self::Former(former(row, ended_at, columns)?),
            None => Self::Current(link::to_link(row)?),
        })
    }
}

impl Row for MadeLink {
    fn read(columns: &mut impl Columns) -> Result<Self, Failure> {
        let (link, is_deleted) = match Version::read(columns)? {
            Version::Current(link) => (link, false),
            Version::Former(FormerVersion {
                link, is_deleted, ..
            }) => (link, is_deleted),
        };
        Ok(Self { link, is_deleted })
    }
}

/// A former version, of which the columns after the moment of its end are still to be taken.
fn former(
    row: link::Model,
    ended_at: i64,
    columns: &mut impl Columns,
) -> Result<FormerVersion, Failure> {
    Ok(FormerVersion {
        number: row.number,
        link: link::to_link(row)?,
        end: Ending {
            at: UnixMillis::new(ended_at),
            by: CallerName::parse(&columns.next::<String>()?)?,
            operation: columns.next()?,
        },
        is_deleted: columns.next::<Option<i64>>()?.is_some(),
    })
}
