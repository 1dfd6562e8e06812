//! Tables of daily sums beside the visits, as engineers write them for ClickHouse and DuckDB, and
//! the questions that those answer.
//!
//! ClickHouse keeps states in `AggregatingMergeTree`, so any days add up. DuckDB has no states. It
//! keeps numbers of visitors, which add up over days because the salts of visitors serve for a day.

use super::{
    list::{Only, Question, Shape},
    sql::Dialect,
};

/// The columns whose values are counted for each day.
const COLUMNS: [&str; 11] = [
    "slug",
    "url",
    "referer",
    "country",
    "city",
    "language",
    "os",
    "browser",
    "user_agent",
    "device_type",
    "utm_campaign",
];

/// Those whose values are counted for each link, too.
const LINKS_COLUMNS: [&str; 2] = ["country", "referer"];

/// A state of ClickHouse that counts visitors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Visitors {
    /// `uniqExact`
    Exact,
    /// `uniq`, an estimate
    Estimated,
}

/// The statements that create the tables in ClickHouse and add the days between two seconds.
pub(super) fn fill_clickhouse(from: u32, until: u32) -> Vec<String> {
    let states = "visits SimpleAggregateFunction(sum, UInt64), \
                  visitors AggregateFunction(uniqExact, UInt64), \
                  about AggregateFunction(uniq, UInt64)";
    let referers = "referers AggregateFunction(uniqExact, String)";
    let sums = "count(), uniqExactState(visitor), uniqState(visitor)";
    let of_referers = "uniqExactStateIf(toString(referer), referer != '')";
    let bot = "browser_type IN ('crawler', 'fetcher')";
    let day = "toDate(toDateTime(intDiv(ts_ms, 1000), 'UTC'))";
    let quarter = "toDateTime(intDiv(ts_ms, 900000) * 900, 'UTC')";
    let source = format!("FROM access_log WHERE ts_ms >= {from}000 AND ts_ms < {until}000");
    let mut statements = Vec::new();
    let mut fill = |name: &str, columns: &str, order: &str, select: &str, names: &str| {
        statements.push(format!(
            "CREATE TABLE IF NOT EXISTS roll_{name} ({columns}) ENGINE = AggregatingMergeTree \
             ORDER BY ({order})"
        ));
        statements.push(format!(
            "INSERT INTO roll_{name} SELECT {select} {source} GROUP BY {names}"
        ));
    };
    fill(
        "day",
        &format!("day Date, bot UInt8, {states}, {referers}"),
        "day, bot",
        &format!("{day} AS a, {bot} AS b, {sums}, {of_referers}"),
        "a, b",
    );
    fill(
        "quarter",
        &format!("quarter DateTime('UTC'), bot UInt8, {states}"),
        "quarter, bot",
        &format!("{quarter} AS a, {bot} AS b, {sums}"),
        "a, b",
    );
    for (name, kind) in [("slug", "String"), ("country", "LowCardinality(String)")] {
        fill(
            name,
            &format!("{name} {kind}, day Date, bot UInt8, {states}, {referers}"),
            &format!("{name}, day, bot"),
            &format!("{name} AS a, {day} AS b, {bot} AS c, {sums}, {of_referers}"),
            "a, b, c",
        );
    }
    let visits = "visits SimpleAggregateFunction(sum, UInt64)";
    for column in COLUMNS {
        fill(
            "value",
            &format!("of LowCardinality(String), day Date, bot UInt8, value String, {visits}"),
            "of, day, bot, value",
            &format!("'{column}', {day} AS a, {bot} AS b, {column} AS c, count()"),
            "a, b, c",
        );
    }
    for column in LINKS_COLUMNS {
        fill(
            "slug_value",
            &format!("slug String, of LowCardinality(String), value String, day Date, {visits}"),
            "slug, of, value, day",
            &format!("slug AS a, '{column}', {column} AS b, {day} AS c, count()"),
            "a, b, c",
        );
    }
    statements
}

/// The statements that create the tables in a database `roll` of DuckDB and add the days between
/// two seconds.
pub(super) fn fill_duckdb(from: u32, until: u32) -> Vec<String> {
    let people = "browser_type NOT IN ('crawler', 'fetcher')";
    let day = "ts_ms // 86400000 AS day";
    let sums = "count(*) AS visits, count(DISTINCT visitor) AS visitors";
    let source = format!("FROM visit WHERE ts_ms >= {from}000 AND ts_ms < {until}000");
    let mut statements = Vec::new();
    let mut fill = |name: &str, select: &str| {
        statements.push(format!(
            "CREATE TABLE IF NOT EXISTS roll.{name} AS FROM ({select}) LIMIT 0"
        ));
        statements.push(format!(
            "INSERT INTO roll.{name} FROM ({select}) ORDER BY ALL"
        ));
    };
    for (name, keys) in [
        ("day", day),
        ("hour", "ts_ms // 3600000 AS hour"),
        ("slug", &format!("slug, {day}")),
        ("country", &format!("country, {day}")),
    ] {
        // A visitor may be a bot and a person, so people have rows of their own.
        fill(
            name,
            &format!(
                "SELECT false AS people, {keys}, {sums} {source} GROUP BY ALL UNION ALL \
                 SELECT true AS people, {keys}, {sums} {source} AND {people} GROUP BY ALL"
            ),
        );
    }
    for (name, key) in [
        ("referer", ""),
        ("slug_referer", "slug, "),
        ("country_referer", "country, "),
    ] {
        fill(
            name,
            &format!(
                "SELECT {people} AS people, {key}{day}, referer {source} AND referer != '' GROUP BY ALL"
            ),
        );
    }
    for column in COLUMNS {
        fill(
            "value",
            &format!(
                "SELECT '{column}' AS of, {people} AS people, {day}, {column} AS value, \
                 count(*) AS visits {source} GROUP BY ALL"
            ),
        );
    }
    for column in LINKS_COLUMNS {
        fill(
            "slug_value",
            &format!(
                "SELECT slug, '{column}' AS of, {column} AS value, {day}, count(*) AS visits {source} \
                 GROUP BY ALL"
            ),
        );
    }
    statements
}

/// The question to the tables; `None` if they cannot answer it.
pub(super) fn ask(
    dialect: Dialect,
    visitors: Visitors,
    question: &Question,
    rows: usize,
) -> Option<String> {
    let (from, until) = question.seconds();
    match (dialect, question.shape) {
        (_, Shape::Latest) => None,
        (Dialect::ClickHouse, Shape::Top(column)) => {
            let days = format!("day >= toDate({from}) AND day < toDate({until})");
            of_values(column, question.only, "bot = 0", &days, rows, "")
        }
        (Dialect::DuckDb, Shape::Top(column)) => {
            let days = format!("day >= {from} // 86400 AND day < {until} // 86400");
            of_values(column, question.only, "people", &days, rows, "roll.")
        }
        (Dialect::ClickHouse, shape) => clickhouse(shape, visitors, question),
        (Dialect::DuckDb, shape) => duckdb(shape, question),
    }
}

fn of_values(
    column: &str,
    only: Only,
    people: &str,
    days: &str,
    rows: usize,
    schema: &str,
) -> Option<String> {
    let known = COLUMNS.contains(&column);
    let of_link = LINKS_COLUMNS.contains(&column);
    let (table, condition) = match only {
        Only::All if known => ("value", String::new()),
        Only::People if known => ("value", format!("AND {people}")),
        Only::Link(slug) if of_link => ("slug_value", format!("AND slug = '{slug}'")),
        Only::All | Only::People | Only::Link(_) | Only::Country(_) | Only::Where(_) => {
            return None;
        }
    };
    let prefix = if schema.is_empty() { "roll_" } else { schema };
    Some(format!(
        "SELECT sum(visits) AS n, value FROM {prefix}{table} WHERE of = '{column}' AND {days} \
         {condition} GROUP BY value ORDER BY n DESC, value LIMIT {rows}"
    ))
}

fn clickhouse(shape: Shape, visitors: Visitors, question: &Question) -> Option<String> {
    let (from, until) = question.seconds();
    let visitors = match visitors {
        Visitors::Exact => "uniqExactMerge(visitors)",
        Visitors::Estimated => "uniqMerge(about)",
    };
    let (table, condition) = match question.only {
        Only::All => ("day", String::new()),
        Only::People => ("day", "AND bot = 0".into()),
        Only::Link(slug) => ("slug", format!("AND slug = '{slug}'")),
        Only::Country(code) => ("country", format!("AND country = '{code}'")),
        Only::Where(_) => return None,
    };
    let days = format!("day >= toDate({from}) AND day < toDate({until})");
    let quarters = format!("quarter >= toDateTime({from}) AND quarter < toDateTime({until})");
    match shape {
        Shape::Totals => Some(format!(
            "SELECT sum(visits), {visitors}, uniqExactMerge(referers) FROM roll_{table} \
             WHERE {days} {condition}"
        )),
        Shape::Over("day", "UTC") => Some(format!(
            "SELECT sum(visits), {visitors}, day FROM roll_{table} WHERE {days} {condition} \
             GROUP BY day ORDER BY day"
        )),
        Shape::Over(unit, zone) if table == "day" && unit != "minute" => Some(format!(
            "SELECT sum(visits), {visitors}, {} AS t FROM roll_quarter WHERE {quarters} {condition} \
             GROUP BY t ORDER BY t",
            Dialect::ClickHouse.unit(unit, "quarter", zone)
        )),
        Shape::Week(zone) if table == "day" => Some(format!(
            "SELECT sum(visits), {visitors}, {} FROM roll_quarter WHERE {quarters} {condition} \
             GROUP BY d, h ORDER BY d, h",
            Dialect::ClickHouse.hour_of_week("quarter", zone)
        )),
        Shape::Over(..) | Shape::Week(_) | Shape::Top(_) | Shape::Latest => None,
    }
}

fn duckdb(shape: Shape, question: &Question) -> Option<String> {
    let (from, until) = question.seconds();
    let (table, condition) = match question.only {
        Only::All => ("day", "NOT people".to_owned()),
        Only::People => ("day", "people".into()),
        Only::Link(slug) => ("slug", format!("NOT people AND slug = '{slug}'")),
        Only::Country(code) => ("country", format!("NOT people AND country = '{code}'")),
        Only::Where(_) => return None,
    };
    let days = format!("day >= {from} // 86400 AND day < {until} // 86400");
    let hours = format!("hour >= {from} // 3600 AND hour < {until} // 3600");
    // Local hours of zones with half hours are no sums of hours.
    let moment = "make_timestamptz(hour * 3600000000)";
    match shape {
        Shape::Totals => {
            let (referers, of_referers) = match question.only {
                Only::Link(slug) => ("slug_referer", format!("AND slug = '{slug}'")),
                Only::Country(code) => ("country_referer", format!("AND country = '{code}'")),
                Only::People => ("referer", "AND people".into()),
                Only::All | Only::Where(_) => ("referer", String::new()),
            };
            Some(format!(
                "SELECT sum(visits), sum(visitors), (SELECT count(DISTINCT referer) \
                 FROM roll.{referers} WHERE {days} {of_referers}) FROM roll.{table} \
                 WHERE {condition} AND {days}"
            ))
        }
        Shape::Over("day", "UTC") => Some(format!(
            "SELECT sum(visits), sum(visitors), day FROM roll.{table} WHERE {condition} AND {days} \
             GROUP BY day ORDER BY day"
        )),
        Shape::Over("hour", zone) if table == "day" && zone != "Asia/Kolkata" => Some(format!(
            "SELECT sum(visits), sum(visitors), {} AS t FROM roll.hour WHERE {condition} AND {hours} \
             GROUP BY t ORDER BY t",
            Dialect::DuckDb.unit("hour", moment, zone)
        )),
        Shape::Week(zone) if table == "day" && zone != "Asia/Kolkata" => Some(format!(
            "SELECT sum(visits), sum(visitors), {} FROM roll.hour WHERE {condition} AND {hours} \
             GROUP BY d, h ORDER BY d, h",
            Dialect::DuckDb.hour_of_week(moment, zone)
        )),
        Shape::Over(..) | Shape::Week(_) | Shape::Top(_) | Shape::Latest => None,
    }
}
