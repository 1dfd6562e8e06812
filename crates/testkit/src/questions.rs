//! Questions about visits that state only what matters to a test.

use slugline_domain::{
    Choice, CountersQuery, Dimension, EventsQuery, LinkId, MetricsQuery, RowLimit, TimeUnit,
    UnixSeconds, ViewsQuery, VisitFilter, ZoneOffsets,
};

/// The visits from one second since 1970 to another, both inclusive.
pub fn between(from: i64, until: i64) -> VisitFilter {
    VisitFilter {
        from: UnixSeconds::new(from).ok(),
        until: UnixSeconds::new(until).ok(),
        ..VisitFilter::default()
    }
}

/// The visits that have a value.
pub fn having(dimension: Dimension, value: &str) -> VisitFilter {
    meeting([(dimension, Choice::any_of([value.to_owned()]))])
}

/// The visits that meet conditions.
pub fn meeting(values: impl IntoIterator<Item = (Dimension, Choice<String>)>) -> VisitFilter {
    VisitFilter {
        values: values.into_iter().collect(),
        ..VisitFilter::default()
    }
}

/// The visits of links.
pub fn of_links(links: Choice<LinkId>) -> VisitFilter {
    VisitFilter {
        links,
        ..VisitFilter::default()
    }
}

/// The counters of all these visits.
pub fn total(filter: VisitFilter) -> CountersQuery {
    CountersQuery {
        filter,
        per_link: false,
    }
}

/// The counters of each link.
pub fn by_link(filter: VisitFilter) -> CountersQuery {
    CountersQuery {
        filter,
        per_link: true,
    }
}

/// Visits and visitors over time by UTC.
pub fn by_time(filter: VisitFilter, unit: TimeUnit) -> ViewsQuery {
    ViewsQuery {
        filter,
        unit,
        zone: ZoneOffsets::default(),
    }
}

/// All values of a dimension, with their visitors.
pub fn by_value(filter: VisitFilter, dimension: Dimension) -> MetricsQuery {
    MetricsQuery {
        filter,
        dimension,
        limit: RowLimit::MAX,
        visitors: true,
    }
}

/// The latest visits, as many as one answer may have.
pub fn latest(filter: VisitFilter) -> EventsQuery {
    EventsQuery {
        filter,
        limit: RowLimit::MAX,
    }
}
