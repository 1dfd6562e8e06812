//! Former versions of links. A row has the columns of a link that are not made for searches, and
//! those of the change that ended the version.

use sea_orm::sea_query::{Expr, ExprTrait, Query, SelectStatement};
use slugline_domain::{CallerName, Ending, FormerVersion, Link, LinkId, UnixMillis};

use super::link::{self, Column};
use crate::{
    failure::Failure,
    row::{Columns, Row},
};

pub(crate) const TABLE: &str = "link_versions";

/// The columns of the change that ended the version.
pub(crate) const END: [&str; 4] = ["ended_at", "ended_by", "operation", "deleted_at"];

/// The columns that a version takes over as they are. The tags are one more.
pub(crate) fn columns() -> impl Iterator<Item = Column> {
    link::read_columns().filter(|column| !matches!(column, Column::Number))
}

/// Selects versions, the one that ended last first.
pub(crate) fn select() -> SelectStatement {
    Query::select()
        .columns(link::read_columns())
        .column(Column::Tags)
        .columns(END)
        .from(TABLE)
        .take()
}

/// The versions of the link with this identity.
pub(crate) fn is_of(id: &LinkId) -> Expr {
    Expr::col(Column::Id).eq(id.as_str())
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
