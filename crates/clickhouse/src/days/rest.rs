//! What day totals leave to do for a statement.

use slugline_analytics::moments::QUARTERS;
use slugline_domain::VisitFilter;

use super::{part::Part, proof::Proof};
use crate::sql::{asked_in, text};

/// What a question has to read besides the totals of the days that it takes: all visits, if it
/// takes none.
#[derive(Debug, Default)]
pub(crate) struct Rest {
    /// The time ranges to scan: milliseconds, inclusive; `None` for all of the question's.
    spans: Option<Vec<(i64, i64)>>,
    values: Option<Values>,
    proof: Option<Proof>,
}

/// The values of a list of all days that were taken: the text after `FROM`.
#[derive(Debug)]
pub(crate) struct Values(String);

impl Values {
    /// The values of these links and counts.
    pub(crate) fn of(list: &str, part: &Part, counts: &[(&str, u64)]) -> Self {
        if counts.is_empty() {
            return Self("slugline_day_value WHERE 0".to_owned());
        }
        let mut links: Vec<&str> = counts.iter().map(|(link, _)| *link).collect();
        links.sort_unstable();
        links.dedup();
        let links: Vec<String> = links.into_iter().map(text).collect();
        // One count may have totals of several of the links.
        let of_each = counts
            .iter()
            .map(|(link, count)| format!("({}, {count})", text(link)));
        Self(format!(
            "slugline_day_value WHERE name = {} AND link_id IN ({}) AND {} AND {} \
             AND (link_id, count) IN ({})",
            text(list),
            links.join(", "),
            part.is_of_segment(),
            part.is_of_days(),
            of_each.collect::<Vec<String>>().join(", ")
        ))
    }

    /// The same, and all visits of these counts as those of the default domain.
    pub(crate) fn and_of_default_domain(self, part: &Part, counts: &[u64]) -> Self {
        if counts.is_empty() {
            return self;
        }
        let Self(values) = self;
        let counts: Vec<String> = counts.iter().map(u64::to_string).collect();
        Self(format!(
            "(SELECT value, visits, visitors FROM {values} UNION ALL \
              SELECT '' AS value, arraySum(d.visits) AS visits, d.visitors[{QUARTERS}] AS visitors \
              FROM slugline_day AS d WHERE {} AND count IN ({})) WHERE 1",
            part.condition(),
            counts.join(", ")
        ))
    }
}

impl Rest {
    pub(crate) fn of(spans: Vec<(i64, i64)>, values: Option<Values>, proof: Proof) -> Self {
        Self {
            spans: Some(spans),
            values,
            proof: Some(proof),
        }
    }

    /// The rows that a question reads: those that `scanned` selects from visits, and those that
    /// `known` selects from the values of totals.
    pub(crate) fn rows(
        &self,
        filter: &VisitFilter,
        scanned: impl FnOnce(&str) -> String,
        known: impl FnOnce(&str) -> String,
    ) -> String {
        match (&self.values, self.visits(filter)) {
            (None, _) => scanned(&self.asked(filter)),
            (Some(values), None) => known(&values.0),
            (Some(values), Some(asked)) => {
                format!("{} UNION ALL {}", scanned(&asked), known(&values.0))
            }
        }
    }

    /// The visits to scan, as the text after `FROM`; `None` if there are none.
    pub(crate) fn visits(&self, filter: &VisitFilter) -> Option<String> {
        let is_nothing = self.spans.as_ref().is_some_and(Vec::is_empty);
        (!is_nothing).then(|| self.asked(filter))
    }

    /// The same, as a text that may select nothing.
    pub(crate) fn asked(&self, filter: &VisitFilter) -> String {
        asked_in(filter, self.spans.as_deref())
    }

    /// What has to hold once the totals were read.
    pub(crate) fn proof(&self) -> Option<&Proof> {
        self.proof.as_ref()
    }
}
