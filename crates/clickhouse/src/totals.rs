//! Totals of whole days, which ClickHouse keeps beside the visits.
//!
//! Each is a projection of the table of visits. ClickHouse makes its rows with each insertion, and
//! again when a merge, a mutation or retention removes visits, on each replica. It takes them by
//! itself for a statement about columns and days that they have. So a statement only has to ask for
//! whole days apart from the ends of its time range. A ClickHouse without projections scans both.

use std::slice;

use slugline_analytics::utc::{MILLIS_PER_DAY, whole_days};
use slugline_domain::{Dimension, VisitFilter};

use crate::sql::{asked, asked_in, floor};

/// The totals that ClickHouse keeps for each UTC day and each combination of values.
#[derive(Debug)]
struct Totals {
    /// The name of the projection.
    name: &'static str,
    /// The columns with the values. Each has the kind of the browser, so that people are told from
    /// bots.
    columns: &'static [&'static str],
    /// Also the set of visitors: some eight bytes for each visitor and day.
    visitors: bool,
}

/// Columns that stand together take fewer rows than visits: those of one total depend on each other,
/// or have few values. User agents and cities have nearly as many as a day has visits.
const TOTALS: [Totals; 5] = [
    Totals {
        name: "slugline_visitors",
        columns: &["browser_type"],
        visitors: true,
    },
    Totals {
        name: "slugline_links",
        columns: &["browser_type", "link_id", "slug", "url", "protection"],
        visitors: false,
    },
    Totals {
        name: "slugline_sources",
        columns: &[
            "browser_type",
            "referer",
            "utm_source",
            "utm_medium",
            "utm_campaign",
        ],
        visitors: false,
    },
    Totals {
        name: "slugline_countries",
        columns: &["browser_type", "country", "timezone", "language"],
        visitors: false,
    },
    Totals {
        name: "slugline_devices",
        columns: &["browser_type", "os", "browser", "device", "device_type"],
        visitors: false,
    },
];

/// The visits of a day as columns `v` and `u`: their number, and the set of their visitors, if each was
/// stored. `m` is above 1 if a visit stands for several. ClickHouse takes totals for these very
/// expressions.
pub(crate) const OF_EACH_DAY: &str = "sum(sampling_interval) AS v, \
    uniqExactIfState(visitor, coherent = 1) AS u, max(sampling_interval) AS m";

/// The number of visitors in several sets.
pub(crate) const VISITORS: &str = "uniqExactIfMerge(u)";

/// The visits that a statement is about: texts after `FROM`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum VisitSource {
    /// All of them, to be scanned.
    Visits(String),
    /// Whole days, which have totals, and then the visits at the ends of the time range, if there
    /// are such.
    Days(Vec<String>),
}

impl VisitSource {
    /// Texts that have no visit in common.
    pub(crate) fn parts(&self) -> &[String] {
        match self {
            Self::Visits(all) => slice::from_ref(all),
            Self::Days(parts) => parts,
        }
    }
}

/// The UTC day of a visit, as a number since 1970.
pub(crate) fn day() -> String {
    floor("ts_ms", MILLIS_PER_DAY)
}

/// The statement that adds the projections to a new table.
pub(crate) fn creation() -> String {
    let projection = |totals: &Totals| {
        let groups = format!("{}, {}", totals.columns.join(", "), day());
        let visitors = if totals.visitors {
            ", uniqExactIfState(visitor, coherent = 1), max(sampling_interval)"
        } else {
            ""
        };
        format!(
            "ADD PROJECTION IF NOT EXISTS {} \
             (SELECT {groups}, sum(sampling_interval){visitors} GROUP BY {groups})",
            totals.name
        )
    };
    let all = TOTALS.iter().map(projection);
    format!(
        "ALTER TABLE access_log {}",
        all.collect::<Vec<_>>().join(", ")
    )
}

/// The visits that meet a filter, for a statement that adds up intervals by these dimensions.
pub(crate) fn asked_for(filter: &VisitFilter, by: &[Dimension], visitors: bool) -> VisitSource {
    let needed = columns(filter, by);
    let have = |totals: &Totals| {
        needed.iter().all(|name| totals.columns.contains(name)) && (totals.visitors || !visitors)
    };
    let (from, until) = filter.millis();
    match whole_days((from, until)) {
        Some(days) if TOTALS.iter().any(have) => {
            VisitSource::Days(by_days(filter, (from, until), days))
        }
        _ => VisitSource::Visits(asked(filter)),
    }
}

fn by_days(
    filter: &VisitFilter,
    (from, until): (i64, i64),
    (first, last): (i64, i64),
) -> Vec<String> {
    let day = day();
    let (mut days, mut ends) = (Vec::new(), Vec::new());
    if filter.from.is_some() {
        days.push(format!(" AND {day} >= {first}"));
        let start = first.saturating_mul(MILLIS_PER_DAY);
        if from < start {
            ends.push(format!("ts_ms >= {from} AND ts_ms < {start}"));
        }
    }
    if filter.until.is_some() {
        days.push(format!(" AND {day} <= {last}"));
        let end = last.saturating_add(1).saturating_mul(MILLIS_PER_DAY);
        if end <= until {
            ends.push(format!("ts_ms >= {end} AND ts_ms <= {until}"));
        }
    }
    let mut parts = vec![asked_in(filter, &days.concat())];
    if !ends.is_empty() {
        parts.push(asked_in(filter, &format!(" AND ({})", ends.join(" OR "))));
    }
    parts
}

/// The columns that a statement reads besides time, visitor and interval.
fn columns(filter: &VisitFilter, by: &[Dimension]) -> Vec<&'static str> {
    let of_links = (!filter.links.is_everything()).then_some("link_id");
    let dimensions = filter.values.iter().map(|(dimension, _)| dimension);
    let of_each = dimensions.chain(by).flat_map(|dimension| {
        let stored = slice::from_ref(dimension);
        dimension.derivation().map_or(stored, |from| from.sources())
    });
    let of_each = of_each.map(|dimension| dimension.column());
    of_links.into_iter().chain(of_each).collect()
}

#[cfg(test)]
mod tests {
    use slugline_domain::{Bots, Choice};
    use slugline_testkit::questions::between;

    use super::*;

    #[test]
    fn whole_days_are_asked_for_apart_from_the_ends() {
        let asked_for = |filter: &VisitFilter| asked_for(filter, &[], true);
        let two = asked_for(&between(86_399, 3 * 86_400));
        let [days, ends] = two.parts() else {
            panic!("{two:?}");
        };
        assert!(days.contains("0)) >= 1 AND "), "{days}");
        assert!(days.ends_with("0)) <= 2"), "{days}");
        let expected = "AND (ts_ms >= 86399000 AND ts_ms < 86400000 \
                        OR ts_ms >= 259200000 AND ts_ms <= 259200999)";
        assert!(ends.ends_with(expected), "{ends}");
        let one = asked_for(&between(86_400, 2 * 86_400 - 1));
        assert_eq!(one.parts().len(), 1);
        let all = asked_for(&VisitFilter::default());
        assert_eq!(
            all,
            VisitSource::Days(vec!["access_log WHERE 1".to_owned()])
        );
        // There is no whole day.
        let within = between(1, 2 * 86_400 - 2);
        assert_eq!(asked_for(&within), VisitSource::Visits(asked(&within)));
    }

    #[test]
    fn only_what_one_projection_has_is_asked_for_by_days() {
        let people = VisitFilter {
            values: vec![Bots::Exclude.condition().unwrap()],
            ..between(1, 864_000)
        };
        let has_totals = |filter: &VisitFilter, by, visitors| {
            matches!(asked_for(filter, by, visitors), VisitSource::Days(_))
        };
        assert!(has_totals(&people, &[], true));
        assert!(has_totals(
            &people,
            &[Dimension::Domain, Dimension::Url],
            false
        ));
        assert!(has_totals(&people, &[Dimension::Channel], false));
        assert!(!has_totals(&people, &[Dimension::Channel], true));
        assert!(!has_totals(&people, &[Dimension::Ip], false));
        let one = VisitFilter {
            links: Choice::any_of([]),
            ..people
        };
        assert!(has_totals(&one, &[Dimension::Slug], false));
        assert!(!has_totals(&one, &[Dimension::Country], false));
    }
}
