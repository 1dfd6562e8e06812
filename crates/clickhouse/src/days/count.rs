//! Counts a day.
//!
//! ClickHouse groups the visits; this process adds the groups up, by the arithmetic of the embedded
//! engine. Visitors with the same pattern of quarters and intervals come as one group, so few bytes
//! travel. The values of lists stay in ClickHouse. The rows of `slugline_day` come last, in one
//! insertion, so that an interrupted count leaves nothing that a question would take.

use std::collections::BTreeMap;

use slugline_analytics::{
    moments::{QUARTERS, VisitorSums},
    utc::MILLIS_PER_DAY,
};

use super::{
    background, begun,
    fingerprint::{Fingerprint, is_unchanged},
    lists::{self, DOMAINS, List},
    part::{SEGMENTS, key_of, segments},
};
use crate::{
    answer::OF_EACH_VISITOR,
    client::Client,
    error::ClickHouseError,
    row_binary::{self, Cursor, DecodeError, put_length, put_numbers, put_text},
    sql::{domain, text},
};

/// The most links of a day that get totals of their own, and the most domains.
const MOST_LINKS: u32 = 1_000;
const MOST_DOMAINS: u32 = 100;

/// Counts a day under a number of its own. Links with at least `least_of_link` visits get totals
/// too, if all their visits came by one slug that no other link had on this day: then the totals are
/// those of the slug as well. So do domains with as many visits, unless there is only the default one.
pub(crate) async fn count(
    client: &Client,
    of: Fingerprint,
    number: u64,
    least_of_link: u64,
) -> Result<(), ClickHouseError> {
    begun::begin(client, of, number).await?;
    let day = Day::of(client, of.day).await?;
    let links = day.busy_links(least_of_link).await?;
    let domains = day.domains(least_of_link).await?;
    let mut rows = Vec::new();
    for group in Group::all(&links, &domains) {
        let mut parts = day.parts(&group).await?;
        let all = lists::all(day.has_domains && group.is_of_all());
        let facts = day.facts(&group, &all).await?;
        let visits = facts.iter().map(|facts| facts.visits).sum();
        let lists = lists::with_room(&all, &sizes(&facts), visits);
        for some in lists.chunks(lists_at_a_time(visits)) {
            day.store_values(&group, some, number).await?;
        }
        let mut names: Vec<&str> = lists.iter().map(|list| list.name).collect();
        if day.has_domains && group.is_of_all() {
            names.push(DOMAINS);
        }
        for Facts {
            link, protected, ..
        } in &facts
        {
            let slug = links.get(link).map_or("", String::as_str);
            for segment in SEGMENTS {
                let sums = parts.remove(&(link.clone(), segment));
                let part = (link.as_str(), slug, segment, *protected);
                put_row(
                    &mut rows,
                    (of, number),
                    part,
                    &names,
                    sums.unwrap_or_default(),
                );
            }
        }
    }
    // A visit that came during the count is in some of these numbers only. If it has gone again, some
    // values may have gone with it.
    if !is_unchanged(client, of).await? || begun::is_void(client, number).await? {
        return Ok(());
    }
    let into = "slugline_day (day, rows, hash, count, link_id, slug, segment, protected, lists, \
                visits, visitors, visit_variance, visitor_variance)";
    client
        .insert(into, &format!("count {number}"), rows, background::TIMEOUT)
        .await
}

/// Visits by the link that they are grouped by: none, or each of some busy links or domains.
#[derive(Clone, Debug)]
struct Group {
    /// The expression of the link, or of the key in its place.
    link: String,
    /// A condition, after those of the day.
    condition: String,
}

impl Group {
    fn all(links: &BTreeMap<String, String>, domains: &[String]) -> Vec<Self> {
        let all = Self {
            link: "''".to_owned(),
            condition: String::new(),
        };
        let names: Vec<&str> = links.keys().map(String::as_str).collect();
        let busy = (!names.is_empty()).then(|| Self::of_links(&names));
        let domains = (!domains.is_empty()).then(|| Self::of_domains(domains));
        [Some(all), busy, domains].into_iter().flatten().collect()
    }

    fn is_of_all(&self) -> bool {
        self.condition.is_empty()
    }

    fn of_domains(domains: &[String]) -> Self {
        let domains: Vec<String> = domains.iter().map(|domain| text(domain)).collect();
        let domain = domain();
        Self {
            link: format!("concat({}, {domain})", text(&key_of(""))),
            condition: format!(" AND {domain} IN ({})", domains.join(", ")),
        }
    }

    fn of_links(links: &[&str]) -> Self {
        let links: Vec<String> = links.iter().map(|link| text(link)).collect();
        Self {
            link: "link_id".to_owned(),
            condition: format!(" AND link_id IN ({})", links.join(", ")),
        }
    }
}

/// Facts about the visits of a link, or about all.
#[derive(Debug)]
struct Facts {
    link: String,
    visits: u64,
    /// 1 if a visit hides its destination.
    protected: u8,
    /// The number of values of each list.
    sizes: Vec<u64>,
}

/// The number of values of each list, for all links.
fn sizes(facts: &[Facts]) -> Vec<u64> {
    let mut sums = Vec::new();
    for facts in facts {
        sums.resize(facts.sizes.len(), 0);
        for (sum, size) in sums.iter_mut().zip(&facts.sizes) {
            *sum += size;
        }
    }
    sums
}

/// The lists whose values ClickHouse groups in one pass: they take some hundred bytes for each
/// visit.
fn lists_at_a_time(visits: u64) -> usize {
    const PAIRS: u64 = 4_000_000;
    usize::try_from(PAIRS / visits.max(1))
        .unwrap_or(usize::MAX)
        .max(1)
}

/// The visits and visitors of a link, or of all, by the quarter of an hour.
#[derive(Debug)]
struct Sums {
    visits: Vec<u64>,
    visitors: VisitorSums,
}

impl Default for Sums {
    fn default() -> Self {
        Self {
            visits: vec![0; QUARTERS],
            visitors: VisitorSums::default(),
        }
    }
}

/// One day's visits.
struct Day<'c> {
    client: &'c Client,
    number: i64,
    start_ms: i64,
    /// The text after `FROM`.
    visits: String,
    is_sampled: bool,
    /// Some visits are of a named domain.
    has_domains: bool,
}

impl<'c> Day<'c> {
    async fn of(client: &'c Client, number: i64) -> Result<Self, ClickHouseError> {
        let start_ms = number.saturating_mul(MILLIS_PER_DAY);
        let end_ms = start_ms.saturating_add(MILLIS_PER_DAY);
        let visits = format!("access_log WHERE ts_ms >= {start_ms} AND ts_ms < {end_ms}");
        let sql = format!(
            "SELECT toUInt64(max(sampling_interval)), toUInt8(max({}) != '') FROM {visits}",
            domain()
        );
        let read = |row: &mut Cursor<'_>| Ok((row.u64()?, row.u8()? > 0));
        let facts = background::rows(client, &sql, read).await?;
        let (largest, has_domains) = facts.first().copied().unwrap_or((1, false));
        Ok(Self {
            client,
            number,
            start_ms,
            visits,
            is_sampled: largest != 1,
            has_domains,
        })
    }

    /// The busy domains, unless all visits are of the default one.
    async fn domains(&self, least: u64) -> Result<Vec<String>, ClickHouseError> {
        if !self.has_domains {
            return Ok(Vec::new());
        }
        let sql = format!(
            "SELECT {} AS domain FROM {} GROUP BY domain HAVING count() >= {least} \
             ORDER BY count() DESC, domain LIMIT {MOST_DOMAINS}",
            domain(),
            self.visits
        );
        background::rows(self.client, &sql, row_binary::text).await
    }

    /// The busy links with their slugs.
    async fn busy_links(&self, least: u64) -> Result<BTreeMap<String, String>, ClickHouseError> {
        let visits = &self.visits;
        let pairs =
            format!("SELECT link_id, slug, count() AS n FROM {visits} GROUP BY link_id, slug");
        let sql = format!(
            "SELECT link_id, slug FROM \
                (SELECT link_id, any(slug) AS slug, sum(n) AS visits FROM ({pairs}) \
                 GROUP BY link_id HAVING count() = 1 AND visits >= {least}) \
             WHERE link_id != '' AND position(link_id, '/') = 0 \
             AND slug IN (SELECT slug FROM ({pairs}) GROUP BY slug HAVING count() = 1) \
             ORDER BY visits DESC, link_id LIMIT {MOST_LINKS}"
        );
        let read = |row: &mut Cursor<'_>| Ok((row.text()?, row.text()?));
        let links = background::rows(self.client, &sql, read).await?;
        Ok(links.into_iter().collect())
    }

    /// The visits and visitors of each link of a group by segment.
    async fn parts(&self, group: &Group) -> Result<BTreeMap<(String, u8), Sums>, ClickHouseError> {
        let mut parts: BTreeMap<(String, u8), Sums> = BTreeMap::new();
        let (visits, Group { link, condition }) = (&self.visits, group);
        let (start_ms, segments) = (self.start_ms, segments());
        let quarter = format!("toUInt8(intDiv(ts_ms - {start_ms}, 900000))");
        let sql = format!(
            "SELECT {link} AS link, {segments} AS segment, {quarter} AS quarter, \
                    sum(sampling_interval), \
                    sumIf(toUInt64(sampling_interval) * (sampling_interval - 1), coherent = 0) \
             FROM {visits}{condition} GROUP BY link, segment, quarter"
        );
        let read = |row: &mut Cursor<'_>| -> Result<_, DecodeError> {
            Ok(((row.text()?, row.u8()?), row.u8()?, row.u64()?, row.u64()?))
        };
        for (part, quarter, visits, variance) in background::rows(self.client, &sql, read).await? {
            let sums = parts.entry(part).or_default();
            sums.visits[usize::from(quarter) % QUARTERS] = visits;
            sums.visitors.add_chance(quarter, variance);
        }
        // A visit that stands for itself says no more than that its visitor came in its quarter.
        let sql = format!(
            "SELECT link, segment, rows, count() FROM \
                (SELECT link, segment, arraySort(arrayConcat(groupUniqArrayIf(one, k = 1), \
                                                            groupArrayIf(one, k > 1))) AS rows \
                 FROM (SELECT {link} AS link, {segments} AS segment, visitor, \
                              sampling_interval AS k, toUInt64({quarter}) * 4294967296 + k AS one \
                       FROM {visits}{condition} AND coherent = 1) \
                 GROUP BY link, segment, visitor) \
             GROUP BY link, segment, rows"
        );
        let read = |row: &mut Cursor<'_>| -> Result<_, DecodeError> {
            Ok(((row.text()?, row.u8()?), row.list(pattern)?, row.u64()?))
        };
        let mut stream = self.client.stream(&sql, background::TIMEOUT, read).await?;
        loop {
            let some = stream.next().await?;
            if some.is_empty() {
                return Ok(parts);
            }
            for (part, rows, visitors) in some {
                let sums = parts.entry(part).or_default();
                sums.visitors.add_alike(rows.into_iter(), visitors);
            }
        }
    }

    async fn facts(&self, group: &Group, lists: &[List]) -> Result<Vec<Facts>, ClickHouseError> {
        let (visits, Group { link, condition }) = (&self.visits, group);
        let sizes = lists.iter();
        let sizes: Vec<String> = sizes.map(|list| format!("uniq({})", list.value)).collect();
        let sql = format!(
            "SELECT {link} AS link, count(), toUInt8(countIf(protection != 'none') > 0), [{}] \
             FROM {visits}{condition} GROUP BY link",
            sizes.join(", ")
        );
        let read = |row: &mut Cursor<'_>| -> Result<_, DecodeError> {
            Ok(Facts {
                link: row.text()?,
                visits: row.u64()?,
                protected: row.u8()?,
                sizes: row.list(Cursor::u64)?,
            })
        };
        background::rows(self.client, &sql, read).await
    }

    /// Stores the values of some lists.
    async fn store_values(
        &self,
        group: &Group,
        lists: &[&List],
        number: u64,
    ) -> Result<(), ClickHouseError> {
        let (visits, Group { link, condition }) = (&self.visits, group);
        let (day, segments) = (self.number, segments());
        let pairs = lists
            .iter()
            .map(|List { name, value }| format!("('{name}', CAST({value}, 'String'))"));
        let pairs: Vec<String> = pairs.collect();
        let rows = format!(
            "(SELECT {link} AS link, {segments} AS segment, arrayJoin([{}]) AS pair, \
                     pair.1 AS name, pair.2 AS k, visitor, sampling_interval, coherent \
              FROM {visits}{condition})",
            pairs.join(", ")
        );
        let columns = format!("name, link, segment, {day}, {number}, k");
        let groups = "link, segment, name, k";
        // Groups of values and visitors take several times as long as sets of visitors, which say
        // the same unless visits were sampled.
        let values = if self.is_sampled {
            format!(
                "SELECT {columns}, sum(v), sum(u) FROM (SELECT {groups}, {OF_EACH_VISITOR} \
                 FROM {rows} GROUP BY {groups}, visitor) GROUP BY {groups}"
            )
        } else {
            format!(
                "SELECT {columns}, count(), uniqExactIf(visitor, coherent = 1) \
                 FROM {rows} GROUP BY {groups}"
            )
        };
        let sql = format!(
            "INSERT INTO slugline_day_value \
                (name, link_id, segment, day, count, value, visits, visitors) {values}"
        );
        background::run(self.client, &sql).await
    }
}

/// A quarter with an interval.
fn pattern(row: &mut Cursor<'_>) -> Result<(u8, u32), DecodeError> {
    let one = row.u64()?;
    let quarter = u8::try_from(one >> 32).map_err(|_| DecodeError::OutOfRange)?;
    let interval = u32::try_from(one & u64::from(u32::MAX)).map_err(|_| DecodeError::OutOfRange)?;
    let is_of_day = usize::from(quarter) < QUARTERS;
    is_of_day
        .then_some((quarter, interval))
        .ok_or(DecodeError::OutOfRange)
}

/// Writes a row of `slugline_day`.
fn put_row(
    bytes: &mut Vec<u8>,
    (Fingerprint { day, rows, hash }, number): (Fingerprint, u64),
    (link, slug, segment, protected): (&str, &str, u8, u8),
    lists: &[&str],
    Sums { visits, visitors }: Sums,
) {
    bytes.extend_from_slice(&day.to_le_bytes());
    for number in [rows, hash, number] {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    put_text(bytes, link);
    put_text(bytes, slug);
    bytes.extend([segment, protected]);
    put_length(bytes, lists.len());
    for list in lists {
        put_text(bytes, list);
    }
    let (visitors, variance) = visitors.numbers();
    let [of_visits, of_visitors] = variance.unwrap_or_default();
    for numbers in [visits, visitors, of_visits, of_visitors] {
        put_numbers(bytes, &numbers);
    }
}
