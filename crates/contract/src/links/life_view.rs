//! The members that bound a link's life, as answers show them and as columns of tables.

use schemars::JsonSchema;
use serde::Serialize;
use slugline_domain::{Life, Link, MaxVisits, UnixSeconds};

use super::kind::Kind;

/// When a link starts and ends, and where visitors go before and after.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LifeView {
    /// When the link starts, in Unix seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub starts_at: Option<i64>,
    /// The destination before it starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_url: Option<String>,
    /// The destination when it is expired or used up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expired_url: Option<String>,
    /// The number of visits after which it is used up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_visits: Option<u32>,
    /// The number of visits that are left, beside maxVisits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visits_left: Option<u32>,
    /// True if visitors find no link.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disabled: Option<bool>,
}

/// Each member as a column of a table.
pub(super) const COLUMNS: [(&str, Kind); 6] = [
    ("startsAt", Kind::Number),
    ("startUrl", Kind::Text),
    ("expiredUrl", Kind::Text),
    ("maxVisits", Kind::Number),
    ("visitsLeft", Kind::Number),
    ("disabled", Kind::Flag),
];

impl From<&Link> for LifeView {
    fn from(link: &Link) -> Self {
        let Life {
            starts_at,
            start_url,
            expired_url,
            max_visits,
            disabled,
        } = &link.content.life;
        Self {
            starts_at: starts_at.map(UnixSeconds::get),
            start_url: start_url.as_ref().map(ToString::to_string),
            expired_url: expired_url.as_ref().map(ToString::to_string),
            max_visits: max_visits.map(MaxVisits::get),
            visits_left: link.visits_left(),
            disabled: disabled.then_some(true),
        }
    }
}

#[cfg(test)]
mod tests {
    use slugline_testkit::full_link;

    use super::*;

    #[test]
    fn each_member_is_a_column() {
        let view = serde_json::to_value(LifeView::from(&full_link("docs"))).unwrap();
        let members = view.as_object().unwrap();
        let mut columns: Vec<&str> = COLUMNS.iter().map(|(name, _)| *name).collect();
        columns.sort_unstable();
        let mut names: Vec<&str> = members.keys().map(String::as_str).collect();
        names.sort_unstable();
        assert_eq!(names, columns);
    }
}
