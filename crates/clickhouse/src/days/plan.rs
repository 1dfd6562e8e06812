//! The day totals of a part, as one statement found them, and which of them a question may take.

use std::{collections::BTreeMap, time::Duration};

use slugline_analytics::{
    moments::{Crowd, Moments},
    utc::{MILLIS_PER_DAY, without_days},
};
use slugline_domain::{
    Destinations, Dimension, LocalSeconds, TimeUnit, UnixMillis, VisitFilter, ZoneOffsets,
};

use super::{
    apart::COMPARED,
    fingerprint::{Fingerprint, select},
    lists::DOMAINS,
    part::Part,
    proof::Proof,
    rest::{Rest, Values},
};
use crate::{
    client::Client,
    error::ClickHouseError,
    row_binary::{Cursor, DecodeError},
};

/// The parts of totals that a question needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    /// The list whose values it needs: the name of a column.
    pub(crate) list: Option<&'static str>,
    /// The column that it ranks, on which it may have conditions.
    pub(crate) ranked: Option<Dimension>,
    /// Numbers of visitors.
    pub(crate) visitors: bool,
}

/// Visits and visitors by the clock.
pub(crate) const MOMENTS: Wanted = Wanted {
    list: None,
    ranked: None,
    visitors: true,
};

/// The totals of one day.
#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) day: i64,
    moments: Moments,
    count: u64,
    link: String,
    protected: bool,
    lists: Vec<String>,
    /// The day has no visits of the part.
    is_nothing: bool,
}

impl Known {
    /// The totals of a part that has no visits on a day.
    fn nothing(day: i64) -> Self {
        Self {
            day,
            moments: Moments::none(day.saturating_mul(MILLIS_PER_DAY)),
            count: 0,
            link: String::new(),
            protected: false,
            lists: Vec::new(),
            is_nothing: true,
        }
    }

    /// Returns whether all visits of the day are of the default domain, if these totals are of all.
    fn is_of_default_domain(&self) -> bool {
        self.link.is_empty() && !self.lists.iter().any(|name| name == DOMAINS)
    }

    fn has_list(&self, list: &str) -> bool {
        // Such a day stores no list of domains.
        let is_default = list == Dimension::Domain.column() && self.is_of_default_domain();
        self.is_nothing || is_default || self.lists.iter().any(|name| name == list)
    }

    /// Visits and visitors of the whole day.
    pub(crate) fn whole(&self) -> Crowd {
        self.moments.whole()
    }

    /// Visits and visitors of each hour or day of the clock; `None` if the totals do not contain
    /// them.
    pub(crate) fn by_clock(
        &self,
        zone: &ZoneOffsets,
        unit: TimeUnit,
    ) -> Option<Vec<(LocalSeconds, Crowd)>> {
        let start = UnixMillis::new(self.day.saturating_mul(MILLIS_PER_DAY));
        self.moments.by_clock(zone.stretch_at(start), unit)
    }
}

/// The totals of a part.
#[derive(Debug)]
pub(crate) struct Plan {
    part: Part,
    /// The fingerprint of every day's visits.
    visits: BTreeMap<i64, Fingerprint>,
    /// The totals of the visits that were there.
    totals: BTreeMap<i64, Known>,
    comparisons: BTreeMap<i64, Comparison>,
}

impl Plan {
    pub(crate) async fn read(
        client: &Client,
        part: Part,
        deadline: Duration,
    ) -> Result<Self, ClickHouseError> {
        let rows = client.rows(&statement(&part), deadline, row).await?;
        let mut plan = Self {
            part,
            visits: BTreeMap::new(),
            totals: BTreeMap::new(),
            comparisons: BTreeMap::new(),
        };
        let mut totals = Vec::new();
        for row in rows {
            match row {
                Row::Visits(of) => {
                    plan.visits.insert(of.day, of);
                }
                Row::Totals(of, known) => totals.extend(known.map(|known| (of, known))),
                Row::Comparison(day, comparison) => {
                    plan.comparisons.insert(day, comparison);
                }
            }
        }
        let mut by_day: BTreeMap<i64, Vec<Known>> = BTreeMap::new();
        for (of, known) in totals {
            if plan.visits.get(&of.day) == Some(&of) {
                by_day.entry(of.day).or_default().push(known);
            }
        }
        for (day, known) in by_day {
            plan.totals
                .extend(plan.find(day, known).map(|known| (day, known)));
        }
        Ok(plan)
    }

    /// Finds the totals of the part among those of a day. Two nodes may have counted it.
    fn find(&self, day: i64, known: Vec<Known>) -> Option<Known> {
        let mut known = known.into_iter();
        let Some(domain) = self.part.domain() else {
            return known.next();
        };
        let (of_all, of_domain): (Vec<_>, Vec<_>) = known.partition(|one| one.link.is_empty());
        let of_all = of_all.into_iter().next()?;
        if !of_all.is_of_default_domain() {
            return of_domain.into_iter().next();
        }
        Some(if domain.is_empty() {
            of_all
        } else {
            Known::nothing(day)
        })
    }

    pub(crate) fn part(&self) -> &Part {
        &self.part
    }

    /// The number of days that it holds.
    pub(crate) fn size(&self) -> usize {
        self.visits.len()
    }

    /// Takes the days that have what a question needs, and returns what `read` makes of them. The
    /// question scans a day for which `read` returns `None`.
    pub(crate) fn take<T>(
        &self,
        (filter, wanted): (&VisitFilter, Wanted),
        read: impl Fn(&Known) -> Option<T>,
    ) -> (Vec<T>, Rest) {
        let hides =
            wanted.ranked == Some(Dimension::Url) && filter.destinations != Destinations::All;
        let last = self.last_compared();
        let add_up = self.add_up_until(last);
        let (mut taken, mut found): (Vec<&Known>, _) = (Vec::new(), Vec::new());
        for known in self.totals.values() {
            let shares = self
                .comparisons
                .get(&known.day)
                .is_none_or(|day| day.shares);
            let apart = add_up && known.day <= last && !shares;
            let has_list = wanted.list.is_none_or(|list| known.has_list(list));
            if has_list
                && (apart || !wanted.visitors)
                && !(hides && known.protected)
                && let Some(of_day) = read(known)
            {
                taken.push(known);
                found.push(of_day);
            }
        }
        if taken.is_empty() {
            return (found, Rest::default());
        }
        let days = taken.iter().map(|known| known.day);
        let spans = without_days(filter.millis(), days);
        let values = wanted.list.map(|list| self.values(list, &taken));
        let proof = self.proof(&taken, wanted, last);
        (found, Rest::of(spans, values, proof))
    }

    /// The last day that was compared. Visits of any day up to this one may have come from anywhere.
    /// Later ones are recorded, under salts of their own.
    fn last_compared(&self) -> i64 {
        let is_compared = |day: &&i64| {
            let comparison = self.comparisons.get(day);
            comparison.is_some_and(|comparison| comparison.of.rows > 0)
        };
        let last = self.visits.keys().rev().find(is_compared);
        last.copied().unwrap_or(i64::MIN)
    }

    /// Returns whether visitors of days add up: all days up to the last one were compared as they
    /// are, and it is later than those that may have visitors of other days.
    fn add_up_until(&self, last: i64) -> bool {
        let is_compared = |(day, of): (&i64, &Fingerprint)| {
            let comparison = self.comparisons.get(day);
            comparison.is_some_and(|comparison| comparison.of == *of)
        };
        let is_mixed = |(day, comparison): (&i64, &Comparison)| *day > last && comparison.mixes;
        self.visits.range(..=last).all(is_compared) && !self.comparisons.iter().any(is_mixed)
    }

    fn values(&self, list: &'static str, taken: &[&Known]) -> Values {
        let with_values = taken.iter().filter(|known| !known.is_nothing);
        let of_domains = list == Dimension::Domain.column();
        let (of_default, listed): (Vec<&Known>, Vec<&Known>) =
            with_values.partition(|known| of_domains && known.is_of_default_domain());
        let listed = listed
            .iter()
            .map(|known| (known.link.as_str(), known.count));
        let of_default: Vec<u64> = of_default.iter().map(|known| known.count).collect();
        let values = Values::of(list, &self.part, &listed.collect::<Vec<_>>());
        values.and_of_default_domain(&self.part, &of_default)
    }

    /// What an answer that takes these days has to prove afterwards.
    fn proof(&self, taken: &[&Known], wanted: Wanted, last: i64) -> Proof {
        let visitors = wanted.visitors.then(|| {
            let notes = self.comparisons.values().map(|comparison| comparison.notes);
            (last, notes.sum())
        });
        let days: Vec<i64> = taken.iter().map(|known| known.day).collect();
        let needed = |day: &&Fingerprint| match visitors {
            Some((last, _)) => day.day <= last,
            None => days.contains(&day.day),
        };
        let visits: Vec<Fingerprint> = self.visits.values().filter(needed).copied().collect();
        let with_values = taken.iter().filter(|known| !known.is_nothing);
        let counts: Vec<u64> = with_values.map(|known| known.count).collect();
        let reads_values = wanted.list.is_some() && !counts.is_empty();
        let counts = reads_values.then(|| (self.part.condition(), counts));
        Proof::of(&visits, visitors, counts)
    }
}

/// What is known of the visitors of a day.
#[derive(Debug)]
struct Comparison {
    /// The fingerprint of the day's visits at the last comparison; without rows if there was none.
    of: Fingerprint,
    /// Another day has one of the day's visitors.
    shares: bool,
    /// Visitors of days up to this one may come under hashes of other days.
    mixes: bool,
    /// The number of notes that say so.
    notes: u64,
}

/// A row of the statement.
#[derive(Debug)]
enum Row {
    Visits(Fingerprint),
    /// Totals of visits that may have changed; `None` if their numbers make no sense.
    Totals(Fingerprint, Option<Known>),
    Comparison(i64, Comparison),
}

const VISITS: u8 = 0;
const TOTALS: u8 = 1;
const COMPARISON: u8 = 2;

/// The fingerprints of all days, the totals of a part, and the comparisons of days.
fn statement(part: &Part) -> String {
    let (fingerprints, condition) = (select(), part.condition());
    let none = "emptyArrayUInt64()";
    let nothing = format!("'', emptyArrayString(), {none}, {none}, {none}, {none}");
    format!(
        "SELECT toUInt8({VISITS}), toInt64(day), rows, hash, toUInt64(0), toUInt8(0), {nothing} \
         FROM ({fingerprints}) \
         UNION ALL \
         SELECT toUInt8({TOTALS}), day, rows, hash, count, protected, link_id, lists, \
                visits, visitors, visit_variance, visitor_variance \
         FROM slugline_day WHERE {condition} \
         UNION ALL \
         SELECT toUInt8({COMPARISON}), day, compared_rows, compared_hash, notes, \
                toUInt8(shares + 2 * mixes), {nothing} FROM ({COMPARED})"
    )
}

fn row(row: &mut Cursor<'_>) -> Result<Row, DecodeError> {
    let kind = row.u8()?;
    let (day, rows, hash) = (row.i64()?, row.u64()?, row.u64()?);
    let of = Fingerprint { day, rows, hash };
    let (number, flags) = (row.u64()?, row.u8()?);
    let (link, lists) = (row.text()?, row.list(Cursor::text)?);
    let mut numbers = || row.list(Cursor::u64);
    let (visits, visitors, of_visits, of_visitors) =
        (numbers()?, numbers()?, numbers()?, numbers()?);
    Ok(match kind {
        VISITS => Row::Visits(of),
        TOTALS => {
            let variance = (!of_visits.is_empty()).then_some([of_visits, of_visitors]);
            let start = day.saturating_mul(MILLIS_PER_DAY);
            let moments = Moments::new(start, visits, visitors, variance);
            let known = moments.map(|moments| Known {
                day,
                moments,
                count: number,
                link,
                protected: flags > 0,
                lists,
                is_nothing: false,
            });
            Row::Totals(of, known)
        }
        COMPARISON => {
            let comparison = Comparison {
                of,
                shares: flags & 1 > 0,
                mixes: flags & 2 > 0,
                notes: number,
            };
            Row::Comparison(day, comparison)
        }
        _ => return Err(DecodeError::OutOfRange),
    })
}
