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

pub(super) const QUESTIONS: [Question; 25] = [
    Question {
        name: "counters",
        days: 90,
        request: "stats/counters?",
        shape: Totals,
        only: "",
    },
    Question {
        name: "counters",
        days: 1,
        request: "stats/counters?",
        shape: Totals,
        only: "",
    },
    Question {
        name: "counters of the busiest link",
        days: 90,
        request: "stats/counters?slug=link-0",
        shape: Totals,
        only: "AND slug = 'link-0'",
    },
    Question {
        name: "counters of a quiet link",
        days: 90,
        request: "stats/counters?slug=link-15000",
        shape: Totals,
        only: "AND slug = 'link-15000'",
    },
    Question {
        name: "counters, two countries and a system",
        days: 90,
        request: "stats/counters?country=AD,AE&os=Windows",
        shape: Totals,
        only: "AND country IN ('AD', 'AE') AND os = 'Windows'",
    },
    Question {
        name: "views by minute in New York",
        days: 1,
        request: "stats/views?unit=minute&clientTimezone=America/New_York",
        shape: Over("minute", "America/New_York"),
        only: "",
    },
    Question {
        name: "views by hour in New York",
        days: 30,
        request: "stats/views?unit=hour&clientTimezone=America/New_York",
        shape: Over("hour", "America/New_York"),
        only: "",
    },
    Question {
        name: "views by day in Kathmandu",
        days: 90,
        request: "stats/views?unit=day&clientTimezone=Asia/Kathmandu",
        shape: Over("day", "Asia/Kathmandu"),
        only: "",
    },
    Question {
        name: "heatmap in Berlin",
        days: 90,
        request: "stats/heatmap?clientTimezone=Europe/Berlin",
        shape: Week("Europe/Berlin"),
        only: "",
    },
    Question {
        name: "slugs",
        days: 90,
        request: "stats/metrics?type=slug",
        shape: Top("slug"),
        only: "",
    },
    Question {
        name: "destinations",
        days: 90,
        request: "stats/metrics?type=url",
        shape: Top("url"),
        only: "",
    },
    Question {
        name: "referers",
        days: 90,
        request: "stats/metrics?type=referer",
        shape: Top("referer"),
        only: "",
    },
    Question {
        name: "countries",
        days: 90,
        request: "stats/metrics?type=country",
        shape: Top("country"),
        only: "",
    },
    Question {
        name: "cities",
        days: 90,
        request: "stats/metrics?type=city",
        shape: Top("city"),
        only: "",
    },
    Question {
        name: "languages",
        days: 90,
        request: "stats/metrics?type=language",
        shape: Top("language"),
        only: "",
    },
    Question {
        name: "systems",
        days: 90,
        request: "stats/metrics?type=os",
        shape: Top("os"),
        only: "",
    },
    Question {
        name: "browsers",
        days: 90,
        request: "stats/metrics?type=browser",
        shape: Top("browser"),
        only: "",
    },
    Question {
        name: "user agents",
        days: 90,
        request: "stats/metrics?type=ua",
        shape: Top("user_agent"),
        only: "",
    },
    Question {
        name: "kinds of devices",
        days: 90,
        request: "stats/metrics?type=deviceType",
        shape: Top("device_type"),
        only: "",
    },
    Question {
        name: "visitors",
        days: 90,
        request: "stats/metrics?type=ip",
        shape: Top("visitor"),
        only: "",
    },
    Question {
        name: "latitudes",
        days: 90,
        request: "stats/metrics?type=latitude",
        shape: Top("latitude"),
        only: "",
    },
    Question {
        name: "countries of the busiest link",
        days: 90,
        request: "stats/metrics?type=country&slug=link-0",
        shape: Top("country"),
        only: "AND slug = 'link-0'",
    },
    Question {
        name: "countries of a quiet link",
        days: 90,
        request: "stats/metrics?type=country&slug=link-15000",
        shape: Top("country"),
        only: "AND slug = 'link-15000'",
    },
    Question {
        name: "latest visits",
        days: 90,
        request: "logs/events?",
        shape: Latest,
        only: "",
    },
    Question {
        name: "places on the map",
        days: 90,
        request: "logs/locations?",
        shape: Top("latitude, longitude"),
        only: "",
    },
];
