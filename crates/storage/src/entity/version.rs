//! Former versions of links. A row has the columns of a link that are not made for searches, and
//! those of the change that ended the version.

use sea_orm::sea_query::{Expr, ExprTrait, Query, SelectStatement};
use slugline_domain::{CallerName, Ending, FormerVersion, LinkId, UnixMillis};

use super::link::{self, Column};
use crate::{
    failure::Failure,
    session::{Columns, Row},
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
    fn read(columns: &impl Columns) -> Result<Self, Failure> {
        let row = link::Model::read(columns)?;
        let end = link::read_columns().count() + 1;
        Ok(Self {
            number: row.number,
            link: link::to_link(row)?,
            end: Ending {
                at: UnixMillis::new(columns.number(end)?),
                by: CallerName::parse(&columns.text(end + 1)?)?,
                operation: columns.text(end + 2)?,
            },
            is_deleted: columns.optional_number(end + 3)?.is_some(),
        })
    }
}
