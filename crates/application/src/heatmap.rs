//! Visits by hour of the week, and on average.

use slugline_domain::{HeatmapQuery, HeatmapRow, UnixSeconds, VisitFilter, WeekSeconds};

/// The query for visits by hour of the week.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WeekQuery {
    /// The query to the access log.
    pub heatmap: HeatmapQuery,
    /// Also count how often each hour of the week was.
    pub average: bool,
}

/// One hour of the week, over all weeks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeekRow {
    /// Visits and visitors of the hour.
    pub row: HeatmapRow,
    /// The seconds of the time asked about that are in this hour of the week, if the query asked
    /// for averages.
    pub seconds: Option<u64>,
}

/// Counts how much of the time of a query is in each hour of the week. Time that is still to come
/// does not count, and without a beginning the time begins at `first_visit`.
pub(crate) fn seconds_of(
    HeatmapQuery { filter, zone, .. }: &HeatmapQuery,
    first_visit: UnixSeconds,
    now: UnixSeconds,
) -> WeekSeconds {
    let VisitFilter { from, until, .. } = filter;
    let last = until.map_or(now, |until| until.min(now));
    WeekSeconds::between(zone, from.unwrap_or(first_visit), last)
}

#[cfg(test)]
mod tests {
    use slugline_domain::{HourOfWeek, ZoneOffsets};

    use super::*;

    #[test]
    fn the_time_ends_now_and_begins_with_the_first_visit_unless_the_query_has_bounds() {
        let second = |seconds| UnixSeconds::new(seconds).unwrap();
        // The first hour of 1970 was one of a Thursday.
        let midnight = HourOfWeek::new(3 * 24).unwrap();
        let counted = |from: Option<i64>, until: Option<i64>| {
            let query = HeatmapQuery {
                filter: VisitFilter {
                    from: from.map(second),
                    until: until.map(second),
                    ..VisitFilter::default()
                },
                zone: ZoneOffsets::default(),
            };
            seconds_of(&query, second(600), second(1_799)).of(midnight)
        };
        assert_eq!(counted(None, None), 1_200);
        assert_eq!(counted(Some(900), None), 900);
        assert_eq!(counted(None, Some(1_199)), 600);
        assert_eq!(counted(Some(900), Some(86_400)), 900);
    }
}
