//! The answers, by `SQLite` over one plain table.

use std::fmt::Write;

use rusqlite::{Connection, Row as SqlRow, params_from_iter, types::Value};
use slugline_domain::{
    AccessRow, Choice, CounterRow, Counters, Degrees, Destinations, Dimension, Event, HeatmapRow,
    HourOfWeek, LinkId, LocalSeconds, LocationRow, MetricRow, Report, RowLimit, SamplingInterval,
    SamplingNote, UnixMillis, Variance, ViewRow, VisitFilter, ZoneOffsets,
};

use super::{
    question::{Answer, Question},
    visits::{RandomVisit, dimensions, token},
};

/// Visits and visitors, once rows are grouped by some key and by visitor.
///
/// Of the sampled rows that a visitor's luck decided about, `s` is the sum of intervals and `n` the
/// number; `c` is the variance of those that chance decided about.
const OF_EACH: &str = "ip, sum(si) AS v, min(CASE WHEN coh = 1 THEN si END) AS u, \
    sum(iif(coh = 1 AND si > 1, si, 0)) AS s, sum(coh = 1 AND si > 1) AS n, \
    sum(iif(coh = 0, si * (si - 1), 0)) AS c";

/// The variance of visits and of visitors, over rows by visitor.
const VARIANCE: &str = "coalesce(sum(s * (s - n) + c), 0), coalesce(sum(u * (u - 1)), 0)";

/// Computes the correct answers.
#[derive(Debug)]
pub(super) struct Oracle {
    db: Connection,
}

impl Oracle {
    pub(super) fn new() -> Self {
        let db = Connection::open_in_memory().expect("SQLite has memory");
        // One row for each visit, with every value written out.
        let texts = dimensions().map(|dimension| {
            let name = dimension.column();
            if dimension == Dimension::Url {
                "true_url TEXT".to_owned()
            } else if dimension.is_degrees() {
                format!("{name} REAL")
            } else {
                format!("{name} TEXT")
            }
        });
        let table = format!(
            "CREATE TABLE visit (at INTEGER, link TEXT, ip TEXT, si INTEGER, coh INTEGER, {})",
            texts.collect::<Vec<String>>().join(", ")
        );
        db.execute_batch(&table).expect("the statement is valid");
        Self { db }
    }

    pub(super) fn store(&self, visits: &[RandomVisit]) {
        self.db.execute_batch("BEGIN").expect("SQLite has memory");
        let marks = vec!["?"; 5 + dimensions().count()].join(", ");
        let mut insert = self
            .db
            .prepare_cached(&format!("INSERT INTO visit VALUES ({marks})"))
            .expect("the statement is valid");
        for visit in visits {
            let numbers: [Value; 5] = [
                visit.at.get().into(),
                visit.link.to_owned().into(),
                token(visit.visitor).into(),
                visit.interval.get().into(),
                visit.coherent.into(),
            ];
            let texts = dimensions().map(|dimension| visit.text(dimension).to_owned().into());
            insert
                .execute(params_from_iter(numbers.into_iter().chain(texts)))
                .expect("SQLite has memory");
        }
        self.db.execute_batch("COMMIT").expect("SQLite has memory");
    }

    pub(super) fn answer(&self, question: &Question) -> Answer {
        match question {
            Question::Counters(query) => {
                let (key, group) = if query.per_link {
                    (
                        "link",
                        "WHERE link <> '(other)' GROUP BY link ORDER BY link",
                    )
                } else {
                    ("NULL", "")
                };
                // The referers of a group do not depend on the visitors.
                let of_each = format!(
                    "(SELECT {OF_EACH} FROM asked i \
                      WHERE {key} IS NULL OR i.link = o.link GROUP BY ip)"
                );
                let rows = self.rows(
                    &query.filter,
                    &format!(
                        "SELECT {key}, coalesce(sum(si), 0), \
                                coalesce((SELECT sum(u) FROM {of_each}), 0), \
                                count(DISTINCT nullif(referer, '')), \
                                (SELECT coalesce(sum(s * (s - n) + c), 0) FROM {of_each}), \
                                (SELECT coalesce(sum(u * (u - 1)), 0) FROM {of_each}) \
                         FROM asked o {group}"
                    ),
                    |row| {
                        let link = row.get::<_, Option<String>>(0)?;
                        Ok(CounterRow {
                            link: link.map(|id| LinkId::parse(&id).expect("it is valid")),
                            counters: Counters {
                                visits: number(row, 1)?,
                                visitors: number(row, 2)?,
                                referers: number(row, 3)?,
                            },
                            variance: variance(row, 4)?,
                        })
                    },
                );
                Answer::Counters(self.report(&query.filter, rows, RowLimit::MAX))
            }
            Question::Views(query) => {
                let seconds = query.unit.seconds();
                let local = local(&query.zone);
                let rows = self.rows(
                    &query.filter,
                    &format!(
                        "SELECT k, sum(v), coalesce(sum(u), 0), {VARIANCE} FROM \
                            (SELECT {local} / {seconds} AS k, {OF_EACH} FROM asked GROUP BY k, ip) \
                         GROUP BY k ORDER BY k"
                    ),
                    |row| {
                        Ok(ViewRow {
                            start: LocalSeconds::new(row.get::<_, i64>(0)? * seconds),
                            visits: number(row, 1)?,
                            visitors: number(row, 2)?,
                            variance: variance(row, 3)?,
                        })
                    },
                );
                Answer::Views(self.report(&query.filter, rows, RowLimit::MAX))
            }
            Question::Heatmap(query) => {
                let local = local(&query.zone);
                let rows = self.rows(
                    &query.filter,
                    &format!(
                        "SELECT d, h, sum(v), coalesce(sum(u), 0), {VARIANCE} FROM \
                            (SELECT ({local} / 86400 + 3) % 7 + 1 AS d, {local} / 3600 % 24 AS h, \
                                    {OF_EACH} FROM asked GROUP BY d, h, ip) \
                         GROUP BY d, h ORDER BY d, h"
                    ),
                    |row| {
                        let (weekday, hour): (u8, u8) = (row.get(0)?, row.get(1)?);
                        let found = HourOfWeek::new((weekday - 1) * 24 + hour);
                        let found = found.expect("a week has 168 hours");
                        assert_eq!((found.weekday(), found.hour()), (weekday, hour));
                        Ok(HeatmapRow {
                            hour: found,
                            visits: number(row, 2)?,
                            visitors: number(row, 3)?,
                            variance: variance(row, 4)?,
                        })
                    },
                );
                Answer::Heatmap(self.report(&query.filter, rows, RowLimit::MAX))
            }
            Question::Metrics(query) => {
                let column = column(query.dimension);
                let shown = shown(query.dimension);
                let rows = self.rows(
                    &query.filter,
                    &format!(
                        "SELECT s, sum(v), coalesce(sum(u), 0) FROM \
                            (SELECT {shown} AS s, {column} AS c, {OF_EACH} FROM asked GROUP BY c, ip) \
                         GROUP BY c ORDER BY 2 DESC, c"
                    ),
                    |row| {
                        let visitors = number(row, 2)?;
                        Ok(MetricRow {
                            name: row.get(0)?,
                            count: number(row, 1)?,
                            visitors: query.visitors.then_some(visitors),
                        })
                    },
                );
                let report = self.report(&query.filter, rows, query.limit);
                let others = self.others(&query.filter, report.rows.iter().map(|row| row.count));
                Answer::Metrics(Report { others, ..report })
            }
            Question::Locations(query) => {
                let rows = self.rows(
                    &query.filter,
                    "SELECT city, latitude, longitude, sum(si) FROM asked \
                     WHERE latitude <> 0 AND longitude <> 0 \
                     GROUP BY 1, 2, 3 ORDER BY 4 DESC, 1, 2, 3",
                    |row| {
                        Ok(LocationRow {
                            city: row.get(0)?,
                            latitude: Degrees::nearest(row.get(1)?),
                            longitude: Degrees::nearest(row.get(2)?),
                            count: number(row, 3)?,
                        })
                    },
                );
                let report = self.report(&query.filter, rows, query.limit);
                let others = self.others(&query.filter, report.rows.iter().map(|row| row.count));
                Answer::Locations(Report { others, ..report })
            }
            Question::Events(query) => {
                let limit = query.limit.get();
                let columns: Vec<&str> = Event::members().map(column).collect();
                let columns = columns.join(", ");
                Answer::Events(self.rows(
                    &query.filter,
                    &format!(
                        "SELECT at, {columns} FROM asked ORDER BY at DESC, {columns} LIMIT {limit}"
                    ),
                    event,
                ))
            }
            Question::Access(filter) => Answer::Access(self.rows(
                filter,
                &format!(
                    "SELECT slug, url, sum(si), \
                            coalesce((SELECT sum(u) FROM (SELECT {OF_EACH} FROM asked i \
                                      WHERE i.slug = o.slug AND i.url = o.url GROUP BY ip)), 0), \
                            count(DISTINCT nullif(referer, '')) \
                     FROM asked o GROUP BY slug, url ORDER BY 3 DESC, slug, url"
                ),
                |row| {
                    Ok(AccessRow {
                        slug: row.get(0)?,
                        url: row.get(1)?,
                        visits: number(row, 2)?,
                        visitors: number(row, 3)?,
                        referers: number(row, 4)?,
                    })
                },
            )),
            Question::Visits(filter) => Answer::Visits({
                let columns = "at, link, slug, url, protection, ip";
                let sql = format!("SELECT concat_ws(' ', {columns}) FROM asked");
                let mut rows = self.rows(filter, &sql, |row| row.get::<_, String>(0));
                rows.sort();
                rows
            }),
        }
    }

    /// The rows of a statement about `asked`, the visits that meet a filter, as they are shown.
    fn rows<T>(
        &self,
        filter: &VisitFilter,
        sql: &str,
        read: impl Fn(&SqlRow<'_>) -> Result<T, rusqlite::Error>,
    ) -> Vec<T> {
        let (conditions, values) = conditions(filter);
        let url = match filter.destinations {
            Destinations::All => "true_url",
            Destinations::Unprotected => "iif(protection = 'none', true_url, '')",
        };
        self.db
            .prepare(&format!(
                "WITH shown AS (SELECT *, {url} AS url FROM visit), \
                 asked AS MATERIALIZED (SELECT * FROM shown WHERE {conditions}) {sql}"
            ))
            .unwrap_or_else(|error| panic!("{error}: {sql}"))
            .query_map(params_from_iter(values), |row| read(row))
            .expect("the oracle answers")
            .collect::<Result<_, _>>()
            .unwrap_or_else(|error| panic!("{error}: {sql}"))
    }

    /// The visits that meet a filter, without the shown ones.
    fn others(&self, filter: &VisitFilter, shown: impl Iterator<Item = u64>) -> u64 {
        let sql = "SELECT coalesce(sum(si), 0) FROM asked";
        let all = self.rows(filter, sql, |row| number(row, 0));
        all[0] - shown.sum::<u64>()
    }

    /// The largest interval among all visits of the days asked about. Visits of files say by day
    /// whether they were sampled.
    fn interval_max(&self, filter: &VisitFilter) -> SamplingInterval {
        const DAY: i64 = 86_400;
        let is_empty =
            matches!((filter.from, filter.until), (Some(from), Some(until)) if from > until);
        let day = |second: i64| second.div_euclid(DAY);
        let from = filter.from.map_or(i64::MIN, |from| day(from.get()));
        let until = filter.until.map_or(i64::MAX, |until| day(until.get()));
        let largest = self.db.query_row(
            "SELECT coalesce(max(si), 1) FROM visit \
             WHERE ?3 AND at / 86400000 BETWEEN ?1 AND ?2",
            (from, until, !is_empty),
            |row| row.get(0),
        );
        let largest = largest.expect("the oracle answers");
        SamplingInterval::new(largest).expect("it is at least 1")
    }

    fn report<R>(&self, filter: &VisitFilter, mut rows: Vec<R>, limit: RowLimit) -> Report<R> {
        let interval_max = self.interval_max(filter);
        let rows_before_limit = u64::try_from(rows.len()).expect("rows are few");
        rows.truncate(limit.as_usize());
        Report {
            rows,
            rows_before_limit,
            others: 0,
            sampling: SamplingNote {
                interval_max,
                dropped: 0,
                damaged: 0,
                sketched: false,
            },
        }
    }
}

fn number(row: &SqlRow<'_>, index: usize) -> Result<u64, rusqlite::Error> {
    row.get::<_, u32>(index).map(u64::from)
}

/// Two columns: the variance of visits and of visitors.
fn variance(row: &SqlRow<'_>, index: usize) -> Result<Variance, rusqlite::Error> {
    Ok(Variance {
        visits: number(row, index)?,
        visitors: number(row, index + 1)?,
    })
}

fn event(row: &SqlRow<'_>) -> Result<Event, rusqlite::Error> {
    let at = UnixMillis::new(row.get("at")?);
    Event::read(at, |dimension| match column(dimension) {
        degrees if dimension.is_degrees() => Ok(row.get::<_, f64>(degrees)?.to_string()),
        text => row.get(text),
    })
}

/// The local time in a zone, in seconds.
fn local(zone: &ZoneOffsets) -> String {
    let mut offset = "CASE".to_owned();
    let mut in_force = zone.first();
    for (at, next) in zone.changes() {
        let (at, seconds) = (at.get(), in_force.seconds());
        write!(offset, " WHEN at < {at} THEN {seconds}").expect("a text takes any text");
        in_force = *next;
    }
    let last = in_force.seconds();
    if zone.changes().is_empty() {
        return format!("(at / 1000 + {last})");
    }
    format!("(at / 1000 + {offset} ELSE {last} END)")
}

/// The conditions of a filter, with their values.
fn conditions(filter: &VisitFilter) -> (String, Vec<Value>) {
    let mut sql = vec!["1".to_owned()];
    let mut values: Vec<Value> = Vec::new();
    if let Some(from) = filter.from {
        sql.push("at >= ?".into());
        values.push((from.get() * 1_000).into());
    }
    if let Some(until) = filter.until {
        sql.push("at < ?".into());
        values.push(((until.get() + 1) * 1_000).into());
    }
    let links = match &filter.links {
        Choice::AnyOf(ids) => Choice::any_of(ids.iter().map(ToString::to_string)),
        Choice::NoneOf(ids) => Choice::none_of(ids.iter().map(ToString::to_string)),
    };
    let mut choices = vec![("link".to_owned(), links)];
    for (dimension, choice) in &filter.values {
        choices.push((shown(*dimension), choice.clone()));
    }
    for (shown, choice) in choices {
        // SQLite takes an empty list: no value is in it.
        let (word, wanted) = match choice {
            Choice::AnyOf(wanted) => ("IN", wanted),
            Choice::NoneOf(wanted) => ("NOT IN", wanted),
        };
        let marks = vec!["?"; wanted.len()].join(", ");
        sql.push(format!("{shown} {word} ({marks})"));
        values.extend(wanted.into_iter().map(Value::from));
    }
    (sql.join(" AND "), values)
}

/// The column of a dimension.
fn column(dimension: Dimension) -> &'static str {
    if dimension == Dimension::Ip {
        "ip"
    } else {
        dimension.column()
    }
}

/// The column as answers show it.
fn shown(dimension: Dimension) -> String {
    let name = column(dimension);
    if dimension.is_degrees() {
        format!("printf('%.2f', {name})")
    } else {
        name.to_owned()
    }
}
