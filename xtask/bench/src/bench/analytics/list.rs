//! The questions that are asked.

use Shape::{Latest, Over, Top, Totals, Week};

/// A question, for the API and in SQL.
#[derive(Clone, Copy, Debug)]
pub(super) struct Question {
    pub(super) name: &'static str,
    /// The number of last days it is about.
    pub(super) days: u32,
    /// The request to the API.
    pub(super) request: &'static str,
    shape: Shape,
    /// A condition in SQL, after those of time.
    only: &'static str,
}

/// The shape of an answer in SQL.
#[derive(Clone, Copy, Debug)]
enum Shape {
    Totals,
    /// Visits over time, by a unit in a time zone.
    Over(&'static str, &'static str),
    /// Visits by the hour of the week in a time zone.
    Week(&'static str),
    /// The most frequent values of columns.
    Top(&'static str),
    Latest,
}

/// The visits cover the 90 days before this: 2025-11-08 00:00 UTC.
const END: u32 = 1_762_560_000;

impl Question {
    /// The path of the request.
    pub(super) fn path(&self) -> String {
        path(self.days, self.request)
    }

    /// The same in SQL. The first column is the number of visits. DuckDB stops after as many
    /// rows as the API gave.
    pub(super) fn sql(&self, rows: usize) -> String {
        let (from, until) = (i64::from(END - self.days * 86_400), i64::from(END));
        let only = self.only;
        let source = format!("FROM visit WHERE ts_ms >= {from}000 AND ts_ms < {until}000 {only}");
        let visitors = "count(*), count(DISTINCT visitor)";
        match self.shape {
            Totals => format!("SELECT {visitors}, count(DISTINCT nullif(referer, '')) {source}"),
            Over(unit, zone) => format!(
                "SELECT {visitors}, date_trunc('{unit}', moment AT TIME ZONE '{zone}') AS t \
                 {source} GROUP BY t ORDER BY t"
            ),
            Week(zone) => format!(
                "SELECT {visitors}, isodow(moment AT TIME ZONE '{zone}') AS d, \
                 hour(moment AT TIME ZONE '{zone}') AS h {source} GROUP BY d, h ORDER BY d, h"
            ),
            Top(columns) => format!(
                "SELECT count(*) AS n, {columns} {source} GROUP BY {columns} \
                 ORDER BY n DESC, {columns} LIMIT {rows}"
            ),
            Latest => format!("SELECT 1, * {source} ORDER BY ts_ms DESC LIMIT {rows}"),
        }
    }
}

/// A request to the API about the last days.
pub(super) fn path(days: u32, request: &str) -> String {
    let start = END - days * 86_400;
    let and = if request.ends_with('?') { "" } else { "&" };
    format!("/api/{request}{and}startAt={start}&endAt={}", END - 1)
}

#[rustfmt::skip]
pub(super) const QUESTIONS: [Question; 25] = [
    ask("counters", 90, "stats/counters?", Totals, ""),
    ask("counters", 1, "stats/counters?", Totals, ""),
    ask("counters of the busiest link", 90, "stats/counters?slug=link-0", Totals, "AND slug = 'link-0'"),
    ask("counters of a quiet link", 90, "stats/counters?slug=link-15000", Totals, "AND slug = 'link-15000'"),
    ask("counters, two countries and a system", 90, "stats/counters?country=AD,AE&os=Windows", Totals, "AND country IN ('AD', 'AE') AND os = 'Windows'"),
    ask("views by minute in New York", 1, "stats/views?unit=minute&clientTimezone=America/New_York", Over("minute", "America/New_York"), ""),
    ask("views by hour in New York", 30, "stats/views?unit=hour&clientTimezone=America/New_York", Over("hour", "America/New_York"), ""),
    ask("views by day in Kathmandu", 90, "stats/views?unit=day&clientTimezone=Asia/Kathmandu", Over("day", "Asia/Kathmandu"), ""),
    ask("heatmap in Berlin", 90, "stats/heatmap?clientTimezone=Europe/Berlin", Week("Europe/Berlin"), ""),
    ask("slugs", 90, "stats/metrics?type=slug", Top("slug"), ""),
    ask("destinations", 90, "stats/metrics?type=url", Top("url"), ""),
    ask("referers", 90, "stats/metrics?type=referer", Top("referer"), ""),
    ask("countries", 90, "stats/metrics?type=country", Top("country"), ""),
    ask("cities", 90, "stats/metrics?type=city", Top("city"), ""),
    ask("languages", 90, "stats/metrics?type=language", Top("language"), ""),
    ask("systems", 90, "stats/metrics?type=os", Top("os"), ""),
    ask("browsers", 90, "stats/metrics?type=browser", Top("browser"), ""),
    ask("user agents", 90, "stats/metrics?type=ua", Top("user_agent"), ""),
    ask("kinds of devices", 90, "stats/metrics?type=deviceType", Top("device_type"), ""),
    ask("visitors", 90, "stats/metrics?type=ip", Top("visitor"), ""),
    ask("latitudes", 90, "stats/metrics?type=latitude", Top("latitude"), ""),
    ask("countries of the busiest link", 90, "stats/metrics?type=country&slug=link-0", Top("country"), "AND slug = 'link-0'"),
    ask("countries of a quiet link", 90, "stats/metrics?type=country&slug=link-15000", Top("country"), "AND slug = 'link-15000'"),
    ask("latest visits", 90, "logs/events?", Latest, ""),
    ask("places on the map", 90, "logs/locations?", Top("latitude, longitude"), ""),
];

const fn ask(
    name: &'static str,
    days: u32,
    request: &'static str,
    shape: Shape,
    only: &'static str,
) -> Question {
    Question {
        name,
        days,
        request,
        shape,
        only,
    }
}
