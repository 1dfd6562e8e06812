//! The question for links of visits that do not say whether there was a password.

use slugline_domain::VisitFilter;

use crate::sql::asked;

pub(crate) const ACTION: &str = "find the links of older visits";

/// The statement. Each row is one link.
pub(crate) fn statement(filter: &VisitFilter, limit: u32) -> String {
    let of_visits = filter.clone().with_values(Vec::new());
    let asked = asked(&of_visits);
    format!("SELECT DISTINCT link_id FROM {asked} AND protection = '' LIMIT {limit}")
}
