//! The days that a question takes from totals, and what is left to scan.

use std::time::Duration;

use slugline_analytics::{
    moments::{Crowd, Moments},
    utc::MILLIS_PER_DAY,
};
use slugline_domain::{
    Destinations, Dimension, LocalSeconds, TimeUnit, UnixMillis, VisitFilter, ZoneOffsets,
};

use super::{
    apart::{COMPARED, MIXED_UNTIL},
    fingerprint::select,
    part::Part,
};
use crate::{
    client::Client,
    error::ClickHouseError,
    row_binary::{Cursor, DecodeError, number},
    sql::{asked_in, text},
};

/// The parts of totals that a question needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    /// The list whose values it needs: the name of a column.
    pub(crate) list: Option<&'static str>,
    /// The column that it ranks, on which it may have conditions.
    pub(crate) ranked: Option<Dimension>,
    /// The visits by the quarter of an hour.
    pub(crate) moments: bool,
    /// Numbers of visitors.
    pub(crate) visitors: bool,
}

/// Visits and visitors by the clock.
pub(crate) const MOMENTS: Wanted = Wanted {
    list: None,
    ranked: None,
    moments: true,
    visitors: true,
};

/// The totals of one day.
#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) day: i64,
    /// `None` unless [`Wanted::moments`] is set.
    pub(crate) moments: Option<Moments>,
    count: u64,
    link: String,
}

impl Known {
    /// Visits and visitors of each hour or day of the clock; `None` if the totals do not contain
    /// them.
    pub(crate) fn by_clock(
        &self,
        zone: &ZoneOffsets,
        unit: TimeUnit,
    ) -> Option<Vec<(LocalSeconds, Crowd)>> {
        let start = UnixMillis::new(self.start_ms());
        let moments = self.moments.as_ref()?;
        moments.by_clock(zone.stretch_at(start), unit)
    }

    /// The first moment of the day, in milliseconds.
    fn start_ms(&self) -> i64 {
        self.day.saturating_mul(MILLIS_PER_DAY)
    }
}

/// What the totals leave to do.
#[derive(Debug, Default)]
pub(crate) struct Rest {
    /// The time ranges to scan: milliseconds, inclusive; `None` for all of the question's.
    pub(crate) spans: Option<Vec<(i64, i64)>>,
    /// The values of the list of all days that were taken: the text after `FROM`.
    pub(crate) values: Option<String>,
    /// The days that were taken with their counts, as literals, and their number.
    counts: (String, u64),
}

impl Rest {
    /// The visits that a question has to scan: the text after `FROM`.
    pub(crate) fn asked(&self, filter: &VisitFilter) -> String {
        asked_in(filter, self.spans.as_deref())
    }

    /// Returns whether the counts are still there. Ask after their values were read: a count whose day
    /// changes loses its row before it loses its values.
    pub(crate) async fn holds(
        &self,
        client: &Client,
        deadline: Duration,
    ) -> Result<bool, ClickHouseError> {
        if self.values.is_none() {
            return Ok(true);
        }
        let (counts, days) = &self.counts;
        let sql =
            format!("SELECT uniqExact(day) FROM slugline_day WHERE (day, count) IN ({counts})");
        let found = client.rows(&sql, deadline, number).await?;
        Ok(found.first() == Some(days))
    }

    /// Returns whether there is nothing left to scan.
    pub(crate) fn is_nothing(&self) -> bool {
        self.spans.as_ref().is_some_and(Vec::is_empty)
    }
}

/// Takes the days of a question that have totals with what it needs, and returns what `read` makes
/// of them. The question scans a day for which `read` returns `None`.
pub(crate) async fn take<T>(
    client: &Client,
    (filter, wanted): (&VisitFilter, Wanted),
    deadline: Duration,
    read: impl Fn(&Known) -> Option<T>,
) -> Result<(Vec<T>, Rest), ClickHouseError> {
    let Some(part) = Part::of(filter, wanted.ranked) else {
        return Ok((Vec::new(), Rest::default()));
    };
    let sql = statement(&part, wanted.moments);
    let days = client.rows(&sql, deadline, row).await?;
    let hides = wanted.ranked == Some(Dimension::Url) && filter.destinations != Destinations::All;
    let known = usable(days, wanted, hides);
    let mut taken = Vec::new();
    let mut found = Vec::new();
    for day in known {
        if let Some(of_day) = read(&day) {
            found.push(of_day);
            taken.push(day);
        }
    }
    if taken.is_empty() {
        return Ok((found, Rest::default()));
    }
    let from = filter.from.map_or(i64::MIN, |from| from.start().get());
    let until = filter
        .until
        .map_or(i64::MAX, |until| until.start().get() + 999);
    let counts = taken
        .iter()
        .map(|day| format!("({},{})", day.day, day.count));
    let counts = counts.collect::<Vec<String>>().join(", ");
    let rest = Rest {
        spans: Some(spans((from, until), &taken)),
        values: wanted
            .list
            .map(|list| values(list, &part, (&taken, &counts))),
        counts: (counts, u64::try_from(taken.len()).unwrap_or(u64::MAX)),
    };
    Ok((found, rest))
}

/// A day with its fingerprint, and with a count if there is one.
#[derive(Debug)]
struct Day {
    known: Known,
    /// The day's visitors were compared with those of other days: its visits as they are now, or
    /// as they were.
    compared: Compared,
    /// Another day has one of the day's visitors.
    shared: bool,
    /// The last day whose visitors may come under hashes of other days.
    mixed_until: i64,
    protected: bool,
    lists: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Compared {
    Never,
    Before,
    Now,
}

/// All days, with the totals of a part if they are those of the visits that are there.
fn statement(part: &Part, moments: bool) -> String {
    let fingerprints = select();
    let condition = part.condition();
    let arrays = ["visits", "visitors", "visit_variance", "visitor_variance"];
    let arrays = arrays.map(|array| {
        if moments {
            format!(", {array}")
        } else {
            format!(", emptyArrayUInt64() AS {array}")
        }
    });
    let arrays = arrays.concat();
    format!(
        "SELECT toInt64(day), count, link_id, protected, lists, \
                toUInt8(compared_rows > 0), toUInt8((rows, hash) = (compared_rows, compared_hash)), \
                shares, {MIXED_UNTIL}, visits, visitors, visit_variance, visitor_variance \
         FROM ({fingerprints}) AS f \
         LEFT JOIN (SELECT day, rows, hash, count, link_id, protected, lists{arrays} \
                    FROM slugline_day WHERE {condition}) AS m USING (day, rows, hash) \
         LEFT JOIN ({COMPARED}) AS a USING (day) \
         ORDER BY day, count"
    )
}

fn row(row: &mut Cursor<'_>) -> Result<Day, DecodeError> {
    let day = row.i64()?;
    let count = row.u64()?;
    let link = row.text()?;
    let protected = row.u8()? > 0;
    let lists = row.list(Cursor::text)?;
    let compared = match (row.u8()?, row.u8()?) {
        (0, _) => Compared::Never,
        (_, 0) => Compared::Before,
        (_, _) => Compared::Now,
    };
    let shared = row.u8()? > 0;
    let mixed_until = row.i64()?;
    let mut numbers = || row.list(Cursor::u64);
    let (visits, visitors, of_visits, of_visitors) =
        (numbers()?, numbers()?, numbers()?, numbers()?);
    let variance = (!of_visits.is_empty()).then_some([of_visits, of_visitors]);
    let start = day.saturating_mul(MILLIS_PER_DAY);
    Ok(Day {
        known: Known {
            day,
            moments: Moments::new(start, visits, visitors, variance),
            count,
            link,
        },
        compared,
        shared,
        mixed_until,
        protected,
        lists,
    })
}

/// The days whose totals have what a question needs, in their order.
fn usable(days: Vec<Day>, wanted: Wanted, hides: bool) -> Vec<Known> {
    // Visits of any day up to the last one that was compared may have come from anywhere. Later
    // ones are recorded, under salts of their own.
    let last = days
        .iter()
        .rev()
        .find(|day| day.compared != Compared::Never);
    let last = last.map_or(i64::MIN, |last| last.known.day);
    let is_open = |day: &Day| {
        day.mixed_until > last || (day.known.day <= last && day.compared != Compared::Now)
    };
    let add_up = !days.iter().any(is_open);
    let mut usable: Vec<Known> = Vec::new();
    for day in days {
        let apart = add_up && !day.shared && day.known.day <= last;
        let has_list = wanted
            .list
            .is_none_or(|list| day.lists.iter().any(|name| name == list));
        let is_counted = day.known.count != 0;
        let is_first = usable.last().is_none_or(|known| known.day != day.known.day);
        if is_counted
            && is_first
            && has_list
            && (apart || !wanted.visitors)
            && !(hides && day.protected)
            && wanted.moments == day.known.moments.is_some()
        {
            usable.push(day.known);
        }
    }
    usable
}

/// A time range without some days, which are in order.
fn spans((from, until): (i64, i64), without: &[Known]) -> Vec<(i64, i64)> {
    let mut spans = Vec::new();
    let mut next = from;
    for day in without {
        let start = day.start_ms();
        if next < start {
            spans.push((next, start - 1));
        }
        next = start.saturating_add(MILLIS_PER_DAY);
    }
    if next <= until {
        spans.push((next, until));
    }
    spans
}

fn values(list: &str, part: &Part, (taken, counts): (&[Known], &str)) -> String {
    let mut links: Vec<String> = taken.iter().map(|day| text(&day.link)).collect();
    links.dedup();
    format!(
        "slugline_day_value WHERE name = {} AND link_id IN ({}) AND {} AND (day, count) IN ({counts})",
        text(list),
        links.join(", "),
        part.is_of_segment(),
    )
}
