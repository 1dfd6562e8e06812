//! Rows of visits.

use slugline_analytics::{
    columns::{STORED, TEXTS},
    row::{Row, VisitedLink},
    visitor::VisitorHash,
};
use slugline_domain::{StoredVisit, UnixMillis};
use slugline_testkit::visit_log_contract::RandomVisit;

/// A visit of which only the moment and the visitor matter.
pub(crate) fn row(at: i64, visitor: u64) -> Row<'static> {
    let target = VisitedLink {
        link_id: "docs-1",
        slug: "docs",
        url: "https://example.com/",
        protection: "",
    };
    Row::new(UnixMillis::new(at), target, VisitorHash(visitor))
}

/// Visits of the contract suite as the log stores them.
pub(crate) fn stored(visits: &[RandomVisit]) -> Vec<StoredVisit> {
    let columns = || TEXTS[..STORED].iter().map(|column| column.dimension);
    visits.iter().map(|visit| visit.stored(columns())).collect()
}
