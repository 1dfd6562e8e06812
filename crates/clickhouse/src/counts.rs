//! The questions that count visits and visitors: counters, and visits by time.

use slugline_analytics::moments::Crowd;
use slugline_domain::{
    CounterRow, Counters, CountersQuery, Dimension, HeatmapQuery, HeatmapRow, HourOfWeek, LinkId,
    LocalSeconds, TimeUnit, UtcOffset, Variance, ViewRow, ViewsQuery, VisitFilter, ZoneOffsets,
};

use crate::{
    row_binary::{Cursor, DecodeError},
    sql::{asked, floor, local_seconds},
    totals::{OF_EACH_DAY, VISITORS, VisitSource, asked_for, day},
};

/// The way in which a statement counts visitors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Estimate {
    /// Every visit was stored, so visitors are a set. The answer says if that is wrong.
    No,
    /// Visits were sampled, so visitors stand for several, and have a variance.
    Yes,
}

/// Visits and visitors of a group, once rows are grouped by visitor too: `v`
/// adds up to visits, and `u` to visitors. A visitor without a coherent row counts zero.
pub(crate) const OF_EACH_VISITOR: &str =
    "sum(sampling_interval) AS v, minIf(sampling_interval, coherent = 1) AS u";

/// The same, with the parts of the variance: of the sampled rows that the visitor's luck decided
/// about, `s` is the sum of intervals and `n` the number; `c` is the variance of those that chance
/// decided about.
const OF_EACH_VARYING_VISITOR: &str = "sum(sampling_interval) AS v, \
    minIf(sampling_interval, coherent = 1) AS u, \
    sumIf(sampling_interval, coherent = 1 AND sampling_interval > 1) AS s, \
    countIf(coherent = 1 AND sampling_interval > 1) AS n, \
    sumIf(toUInt64(sampling_interval) * (sampling_interval - 1), coherent = 0) AS c";

/// Two columns over the visitors of a group: the variance of visits and of visitors.
const VARIANCE: &str =
    "toUInt64(sum(s * (s - n) + c)), toUInt64(sum(if(u > 1, toUInt64(u) * (u - 1), 0)))";

/// A statement that counts visits: all that were asked for, or those with each value of an expression.
/// Columns: the value, visits, visitors, the variance of both, and whether it needs an estimate. Old
/// servers drop one of two columns with the same name.
fn count(asked: &VisitSource, by: Option<&str>, estimate: Estimate) -> String {
    let value = by.map(|by| format!("{by} AS k, ")).unwrap_or_default();
    let (k, group) = by.map_or(("", ""), |_| ("k, ", " GROUP BY k"));
    let exact = "toUInt64(0) AS of_visits, toUInt64(0) AS of_visitors";
    match (asked, estimate) {
        (VisitSource::Days(parts), _) => {
            // The sets of all days come together once. As one set of each part they would do so
            // twice.
            let day = by.map_or_else(day, |_| "k".to_owned());
            let part = |part| format!("SELECT {value}{OF_EACH_DAY} FROM {part} GROUP BY {day}");
            let rows: Vec<String> = parts.iter().map(part).collect();
            format!(
                "SELECT {k}sum(v), {VISITORS}, {exact}, toUInt8(max(m) > 1) FROM ({}){group}",
                rows.join(" UNION ALL ")
            )
        }
        (VisitSource::Visits(visits), Estimate::No) => format!(
            "SELECT {value}sum(sampling_interval), uniqExactIf(visitor, coherent = 1), {exact}, \
                    toUInt8(max(sampling_interval) > 1) \
             FROM {visits}{group}"
        ),
        (VisitSource::Visits(visits), Estimate::Yes) => format!(
            "SELECT {k}sum(v), sum(u), {VARIANCE}, toUInt8(0) FROM \
                (SELECT {value}{OF_EACH_VARYING_VISITOR} FROM {visits} GROUP BY {k}visitor){group}"
        ),
    }
}

/// The visits to count: days that have totals, or else all together, in which a visitor is one group.
fn visits(filter: &VisitFilter, estimate: Estimate) -> VisitSource {
    match estimate {
        Estimate::No => asked_for(filter, &[], true),
        Estimate::Yes => VisitSource::Visits(asked(filter)),
    }
}

/// Some visits, with what they have in common.
#[derive(Debug)]
pub(crate) struct Counted<K> {
    pub(crate) of: K,
    pub(crate) crowd: Crowd,
    /// Visits were sampled, so that [`Estimate::Yes`] gives the numbers.
    pub(crate) needs_estimate: bool,
}

impl<K> Counted<K> {
    fn read(of: K, row: &mut Cursor<'_>) -> Result<Self, DecodeError> {
        let crowd = Crowd {
            visits: row.u64()?,
            visitors: row.u64()?,
            variance: variance(row)?,
        };
        Ok(Self {
            of,
            crowd,
            needs_estimate: row.u8()? > 0,
        })
    }
}

fn variance(row: &mut Cursor<'_>) -> Result<Variance, DecodeError> {
    Ok(Variance {
        visits: row.u64()?,
        visitors: row.u64()?,
    })
}

/// The counters of all visits; [`read_counters`] reads the row. ClickHouse reads the referring hosts
/// apart from the visitors: with the hosts of each visitor it takes twice as long.
pub(crate) fn counters(query: &CountersQuery, estimate: Estimate) -> String {
    let filter = &query.filter;
    let by_host = asked_for(filter, &[Dimension::Referer], false);
    let hosts = |part| format!("SELECT toString(referer) AS host FROM {part} GROUP BY host");
    let hosts = by_host.parts().iter().map(hosts);
    format!(
        "SELECT *, ifNull((SELECT uniqExactIf(host, host != '') FROM ({})), 0) FROM ({})",
        hosts.collect::<Vec<_>>().join(" UNION ALL "),
        count(&visits(filter, estimate), None, estimate)
    )
}

pub(crate) fn read_counters(row: &mut Cursor<'_>) -> Result<Counted<u64>, DecodeError> {
    let counted = Counted::read((), row)?;
    Ok(Counted {
        of: row.u64()?,
        crowd: counted.crowd,
        needs_estimate: counted.needs_estimate,
    })
}

/// The counters of all visits, and the number of their referring hosts.
pub(crate) fn counter_row((referers, crowd): (u64, Crowd)) -> CounterRow {
    CounterRow {
        link: None,
        counters: Counters {
            visits: crowd.visits,
            visitors: crowd.visitors,
            referers,
        },
        variance: crowd.variance,
    }
}

/// The counters of each link; [`read_counters_of_link`] reads the rows.
pub(crate) fn counters_of_links(query: &CountersQuery) -> String {
    let asked = asked(&query.filter);
    format!(
        "SELECT link_id, sum(v), sum(u), uniqExactArray(r), {VARIANCE} FROM \
            (SELECT link_id, {OF_EACH_VARYING_VISITOR}, \
                    groupUniqArrayIf(referer, referer != '') AS r \
             FROM {asked} GROUP BY link_id, visitor) \
         GROUP BY link_id ORDER BY link_id"
    )
}

/// A link whose identity was lost is no row.
pub(crate) fn read_counters_of_link(
    row: &mut Cursor<'_>,
) -> Result<Option<CounterRow>, DecodeError> {
    let link = LinkId::parse(&row.text()?).ok();
    let counters = Counters {
        visits: row.u64()?,
        visitors: row.u64()?,
        referers: row.u64()?,
    };
    let variance = variance(row)?;
    Ok(link.map(|link| CounterRow {
        link: Some(link),
        counters,
        variance,
    }))
}

/// Visits over time; [`read_view`] reads the rows. Totals are of UTC's days, so that they serve
/// those only.
pub(crate) fn views(query: &ViewsQuery, estimate: Estimate) -> String {
    let (filter, unit, zone) = (&query.filter, query.unit, &query.zone);
    let seconds = unit.seconds();
    let by = |number: &str| format!("{number} * {seconds}");
    if unit == TimeUnit::Day && *zone == ZoneOffsets::fixed(UtcOffset::UTC) {
        return count(&visits(filter, estimate), Some(&by(&day())), estimate) + " ORDER BY k";
    }
    let by = by(&floor(&local_seconds(zone), seconds));
    count(&VisitSource::Visits(asked(filter)), Some(&by), estimate) + " ORDER BY k"
}

pub(crate) fn read_view(row: &mut Cursor<'_>) -> Result<Counted<LocalSeconds>, DecodeError> {
    Counted::read(LocalSeconds::new(row.i64()?), row)
}

pub(crate) fn view_row((start, crowd): (LocalSeconds, Crowd)) -> ViewRow {
    ViewRow {
        start,
        visits: crowd.visits,
        visitors: crowd.visitors,
        variance: crowd.variance,
    }
}

/// Visits by hour of the week; [`read_hour`] reads the rows.
pub(crate) fn heatmap(query: &HeatmapQuery, estimate: Estimate) -> String {
    let hours = floor(&local_seconds(&query.zone), 3_600);
    // 1970 began on a Thursday, three days after a Monday. The remainder of a
    // negative number is negative. A remainder has the type of the divisor, and
    // old servers took 168 as a signed number of eight bits.
    let week = "toInt64(168)";
    let hour = format!("toUInt64((({hours} + 72) % {week} + {week}) % {week})");
    count(
        &VisitSource::Visits(asked(&query.filter)),
        Some(&hour),
        estimate,
    ) + " ORDER BY k"
}

pub(crate) fn read_hour(row: &mut Cursor<'_>) -> Result<Counted<HourOfWeek>, DecodeError> {
    let hour = u8::try_from(row.u64()?).ok().and_then(HourOfWeek::new);
    Counted::read(hour.ok_or(DecodeError::OutOfRange)?, row)
}

pub(crate) fn heatmap_row((hour, crowd): (HourOfWeek, Crowd)) -> HeatmapRow {
    HeatmapRow {
        hour,
        visits: crowd.visits,
        visitors: crowd.visitors,
        variance: crowd.variance,
    }
}
