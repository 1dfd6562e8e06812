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
    pub(super) shape: Shape,
    pub(super) only: Only,
}

/// The shape of an answer in SQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Totals,
    /// Visits over time, by a unit in a time zone.
    Over(&'static str, &'static str),
    /// Visits by the hour of the week in a time zone.
    Week(&'static str),
    /// The most frequent values of columns.
    Top(&'static str),
    Latest,
}

/// The visits that a question is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Only {
    All,
    People,
    Link(&'static str),
    Country(&'static str),
    /// A condition in SQL.
    Where(&'static str),
}

impl Only {
    /// A condition in SQL, after those of time.
    pub(super) fn sql(self) -> String {
        match self {
            Self::All => String::new(),
            Self::People => "AND browser_type NOT IN ('crawler', 'fetcher')".into(),
            Self::Link(slug) => format!("AND slug = '{slug}'"),
            Self::Country(code) => format!("AND country = '{code}'"),
            Self::Where(condition) => format!("AND {condition}"),
        }
    }
}

/// The visits cover the 90 days before this: 2025-11-08 00:00 UTC.
pub(super) const END: u32 = 1_762_560_000;

impl Question {
    /// The path of the request.
    pub(super) fn path(&self) -> String {
        path(self.days, self.request)
    }

    /// The first second, and the first one after the last.
    pub(super) fn seconds(&self) -> (u32, u32) {
        (END - self.days * 86_400, END)
    }
}

/// A request to the API about the last days.
pub(super) fn path(days: u32, request: &str) -> String {
    let start = END - days * 86_400;
    let and = if request.ends_with('?') { "" } else { "&" };
    format!("/api/{request}{and}startAt={start}&endAt={}", END - 1)
}

#[rustfmt::skip]
pub(super) const QUESTIONS: [Question; 44] = [
    ask("counters", 90, "stats/counters?", Totals, Only::All),
    ask("counters", 1, "stats/counters?", Totals, Only::All),
    ask("counters of the busiest link", 90, "stats/counters?slug=link-0", Totals, Only::Link("link-0")),
    ask("counters of a quiet link", 90, "stats/counters?slug=link-15000", Totals, Only::Link("link-15000")),
    ask("counters of a country", 90, "stats/counters?country=DE", Totals, Only::Country("DE")),
    ask("counters, two countries and a system", 90, "stats/counters?country=DE,FR&os=Windows", Totals, Only::Where("country IN ('DE', 'FR') AND os = 'Windows'")),
    ask("views by minute in New York", 1, "stats/views?unit=minute&clientTimezone=America/New_York", Over("minute", "America/New_York"), Only::All),
    ask("views by hour in New York", 30, "stats/views?unit=hour&clientTimezone=America/New_York", Over("hour", "America/New_York"), Only::All),
    ask("views by hour in Kolkata", 30, "stats/views?unit=hour&clientTimezone=Asia/Kolkata", Over("hour", "Asia/Kolkata"), Only::All),
    ask("views by day in Kathmandu", 90, "stats/views?unit=day&clientTimezone=Asia/Kathmandu", Over("day", "Asia/Kathmandu"), Only::All),
    ask("views by day of the busiest link", 90, "stats/views?unit=day&clientTimezone=Etc/UTC&slug=link-0", Over("day", "UTC"), Only::Link("link-0")),
    ask("views by day of a country", 90, "stats/views?unit=day&clientTimezone=Etc/UTC&country=DE", Over("day", "UTC"), Only::Country("DE")),
    ask("heatmap in Berlin", 90, "stats/heatmap?clientTimezone=Europe/Berlin", Week("Europe/Berlin"), Only::All),
    ask("heatmap in Kolkata", 90, "stats/heatmap?clientTimezone=Asia/Kolkata", Week("Asia/Kolkata"), Only::All),
    ask("slugs", 90, "stats/metrics?type=slug", Top("slug"), Only::All),
    ask("destinations", 90, "stats/metrics?type=url", Top("url"), Only::All),
    ask("referers", 90, "stats/metrics?type=referer", Top("referer"), Only::All),
    ask("countries", 90, "stats/metrics?type=country", Top("country"), Only::All),
    ask("cities", 90, "stats/metrics?type=city", Top("city"), Only::All),
    ask("languages", 90, "stats/metrics?type=language", Top("language"), Only::All),
    ask("systems", 90, "stats/metrics?type=os", Top("os"), Only::All),
    ask("browsers", 90, "stats/metrics?type=browser", Top("browser"), Only::All),
    ask("user agents", 90, "stats/metrics?type=ua", Top("user_agent"), Only::All),
    ask("kinds of devices", 90, "stats/metrics?type=deviceType", Top("device_type"), Only::All),
    ask("campaigns", 90, "stats/metrics?type=utmCampaign", Top("utm_campaign"), Only::All),
    ask("visitors", 90, "stats/metrics?type=ip", Top("visitor"), Only::All),
    ask("latitudes", 90, "stats/metrics?type=latitude", Top("latitude"), Only::All),
    ask("countries of the busiest link", 90, "stats/metrics?type=country&slug=link-0", Top("country"), Only::Link("link-0")),
    ask("referers of the busiest link", 90, "stats/metrics?type=referer&slug=link-0", Top("referer"), Only::Link("link-0")),
    ask("countries of a quiet link", 90, "stats/metrics?type=country&slug=link-15000", Top("country"), Only::Link("link-15000")),
    ask("browsers of a country", 90, "stats/metrics?type=browser&country=DE", Top("browser"), Only::Country("DE")),
    ask("latest visits", 90, "logs/events?", Latest, Only::All),
    ask("places on the map", 90, "logs/locations?", Top("latitude, longitude"), Only::All),
    ask("counters of people", 90, "stats/counters?bots=exclude", Totals, Only::People),
    ask("views by hour of people in Berlin", 30, "stats/views?unit=hour&clientTimezone=Europe/Berlin&bots=exclude", Over("hour", "Europe/Berlin"), Only::People),
    ask("views by day of people in Kathmandu", 90, "stats/views?unit=day&clientTimezone=Asia/Kathmandu&bots=exclude", Over("day", "Asia/Kathmandu"), Only::People),
    ask("heatmap of people in Berlin", 90, "stats/heatmap?clientTimezone=Europe/Berlin&bots=exclude", Week("Europe/Berlin"), Only::People),
    ask("slugs of people", 90, "stats/metrics?type=slug&bots=exclude", Top("slug"), Only::People),
    ask("countries of people", 90, "stats/metrics?type=country&bots=exclude", Top("country"), Only::People),
    ask("referers of people", 90, "stats/metrics?type=referer&bots=exclude", Top("referer"), Only::People),
    ask("browsers of people", 90, "stats/metrics?type=browser&bots=exclude", Top("browser"), Only::People),
    ask("systems of people", 90, "stats/metrics?type=os&bots=exclude", Top("os"), Only::People),
    ask("kinds of devices of people", 90, "stats/metrics?type=deviceType&bots=exclude", Top("device_type"), Only::People),
    ask("user agents of people", 90, "stats/metrics?type=ua&bots=exclude", Top("user_agent"), Only::People),
];

const fn ask(
    name: &'static str,
    days: u32,
    request: &'static str,
    shape: Shape,
    only: Only,
) -> Question {
    Question {
        name,
        days,
        request,
        shape,
        only,
    }
}
