use jiff::{
    SignedDuration, Timestamp,
    civil::Date,
    tz::{Dst, TimeZone},
};
use rstest::rstest;
use serde_json::{Value, json};

use super::{
    browser::{Browser, ESCAPE, LEFT, strings},
    instance::seeded,
    pages::{Analytics, Panel, number},
};
use crate::{support::server::Server, visits::files::sampled};

fn ask(server: &Server, path: &str) -> Vec<Value> {
    let answer = server.get(&format!("/api/stats/{path}")).is(200).json();
    answer["data"].as_array().unwrap().clone()
}

/// The visits of an hour of the week, as its cell has them, and what a screen reader says.
fn cell(browser: &Browser<'_>, hour: &Value) -> (String, String) {
    let at = (hour["weekday"].as_u64().unwrap() - 1) * 24 + hour["hour"].as_u64().unwrap();
    let script = "const cell = document.querySelector(`[data-at='${arguments[0]}']`); return [cell.dataset.visits, cell.ariaLabel]";
    let told = strings(&browser.run_with(script, &json!(at)));
    (told[0].clone(), told[1].clone())
}

const FILTER: &str = ".chips .chip";

/// Visits of so many days that a [`Span`] is among them at any time of the year.
fn seeded_for_long() -> Server {
    seeded(12, 6_000, 250)
}

/// 38 days around the last day, two weeks ago or more, on which clocks went back, and the zone in
/// which they did so. Clocks in the north go back in October, in the south in April.
struct Span {
    zone: &'static str,
    changed: Date,
}

impl Span {
    const DAYS: usize = 38;

    fn now() -> Self {
        Self::before(Timestamp::now())
    }

    fn before(now: Timestamp) -> Self {
        let latest = now - SignedDuration::from_hours(14 * 24);
        let latest_of_each = ["Europe/Berlin", "Australia/Sydney"].map(|zone| {
            let in_zone = TimeZone::get(zone).unwrap();
            let mut back = in_zone.preceding(latest).filter(|it| it.dst() == Dst::No);
            (back.next().unwrap().timestamp(), zone)
        });
        let (at, zone) = latest_of_each.into_iter().max().unwrap();
        let changed = at.in_tz(zone).unwrap().date();
        Self { zone, changed }
    }

    /// The day so many days after the change.
    fn day(&self, after: i64) -> Date {
        self.changed + SignedDuration::from_hours(after * 24)
    }

    fn zone(&self) -> String {
        self.zone.replace('/', "%2F")
    }

    fn view(&self) -> String {
        let (first, last) = (self.day(-24), self.day(13));
        format!("analytics?range={first}..{last}&zone={}", self.zone())
    }

    /// The parameters of the API.
    fn asked(&self) -> String {
        let start = |day: Date| day.in_tz(self.zone).unwrap().timestamp().as_second();
        let (start, end) = (start(self.day(-24)), start(self.day(14)) - 1);
        format!("startAt={start}&endAt={end}")
    }
}

#[rstest]
#[case(
    "2026-11-28",
    "startAt=1790805600&endAt=1794092399",
    "2026-10-01..2026-11-07",
    "Berlin"
)]
#[case(
    "2027-02-28",
    "startAt=1790805600&endAt=1794092399",
    "2026-10-01..2026-11-07",
    "Berlin"
)]
#[case(
    "2027-05-01",
    "startAt=1804683600&endAt=1807970399",
    "2027-03-11..2027-04-17",
    "Sydney"
)]
#[case(
    "2027-10-25",
    "startAt=1804683600&endAt=1807970399",
    "2027-03-11..2027-04-17",
    "Sydney"
)]
fn a_span_is_found_at_any_time_of_the_year(
    #[case] today: &str,
    #[case] asked: &str,
    #[case] range: &str,
    #[case] city: &str,
) {
    let now = format!("{today}T12:00:00Z").parse().unwrap();
    let span = Span::before(now);
    assert_eq!(span.asked(), asked);
    let view = span.view();
    assert!(view.contains(range) && view.ends_with(city), "{view}");
    let seeded_from = now - SignedDuration::from_hours(249 * 24);
    assert!(span.day(-25).in_tz("UTC").unwrap().timestamp() > seeded_from);
}

#[test]
fn every_number_is_the_apis_in_a_zone_whose_clocks_changed() {
    let server = seeded_for_long();
    let span = Span::now();
    let asked = span.asked();
    let browser = Browser::signed_in(&server, &span.view());
    let analytics = Analytics(&browser);
    analytics.is_counted();
    let totals = &ask(&server, &format!("counters?{asked}"))[0];
    for name in ["visits", "visitors", "referers"] {
        assert_eq!(analytics.counter(name), totals[name], "{name}");
    }

    let doubts = browser.texts(".counters .margin, .timeline .band-key");
    assert!(doubts.is_empty(), "a count is exact: {doubts:?}");
    analytics.show_table();
    let rows = browser.texts(".twin tbody tr");
    assert_eq!(
        rows.len(),
        Span::DAYS,
        "a row for each day, with visits or without"
    );
    let zone = span.zone();
    let views = format!("views?unit=day&clientTimezone={zone}&{asked}");
    for view in ask(&server, &views) {
        let time = view["time"].as_str().unwrap();
        let wanted = format!("{time}\t{}\t{}", view["visits"], view["visitors"]);
        assert!(rows.contains(&wanted), "{wanted:?} is not in {rows:?}");
    }

    browser.until(
        "visitors of all values",
        "const all = [...document.querySelectorAll('.value-visitors')]; return all.length > 18 && all.every((one) => one.textContent !== '–')",
    );
    for (name, kind) in [("sources", "referer"), ("devices", "browser")] {
        let panel = Panel(&browser, name);
        let metrics = ask(
            &server,
            &format!("metrics?type={kind}&visitors=true&{asked}"),
        );
        for member in ["count", "visitors"] {
            let shown = panel.column(member);
            let counts: Vec<u64> = shown.iter().map(|text| number(text)).collect();
            let of_each = metrics.iter().take(9);
            let mut wanted: Vec<u64> = of_each.map(|row| row[member].as_u64().unwrap()).collect();
            // The last row has the visits of all others, so visits add up.
            let others = totals["visits"].as_u64().unwrap() - wanted.iter().sum::<u64>();
            if member == "count" && others > 0 {
                assert_eq!(browser.text(&panel.part(".others .value-name")), "Others");
                wanted.push(others);
            }
            assert_eq!(counts, wanted, "{kind}: {member}");
        }
    }

    // A span of more than a week begins with averages.
    let hours = ask(
        &server,
        &format!("heatmap?clientTimezone={zone}&average=true&{asked}"),
    );
    for hour in &hours {
        let shown: Option<f64> = cell(&browser, hour).0.parse().ok();
        assert_eq!(shown, hour["average"]["visits"].as_f64(), "{hour}");
    }
    browser.click_text(".heat .segments button", "Total");
    browser.find(".heat .segments [aria-pressed=true]:last-child");
    browser.settle();
    for hour in &hours {
        let (shown, label) = cell(&browser, hour);
        assert_eq!(number(&shown), hour["visits"], "{hour}");
        let visitors = format!(", {} visitors", hour["visitors"]);
        assert!(label.ends_with(&visitors), "{label}");
    }
    browser.finish(&[]);
}

#[test]
fn an_estimate_says_how_far_the_true_number_may_be() {
    let server = Server::start_in(sampled(), &[]);
    let counters = server.get("/api/stats/counters").json();
    let browser = Browser::signed_in(&server, "analytics?range=30d&zone=UTC&unit=day");
    let analytics = Analytics(&browser);
    browser.find("[data-counter=visits] .margin");
    browser.settle();
    for name in ["visits", "visitors"] {
        let card = format!("[data-counter={name}]");
        let error = counters["sampling"]["std_error"][name].as_f64().unwrap();
        let shown = browser.text(&format!("{card} .margin [aria-hidden]"));
        assert!(shown.starts_with('±'), "{shown}");
        let margin = number(&shown);
        let difference = (1.96 * error - f64::from(u32::try_from(margin).unwrap())).abs();
        assert!(difference <= 0.51, "{shown} is not 1.96 times {error}");
        let counted = counters["data"][0][name].as_u64().unwrap();
        let said = browser.member(&format!("{card} .margin"), "title");
        let (low, high) = (counted - margin, counted + margin);
        let wanted = format!("The true number is between {low} and {high} in 95 of 100 cases.");
        assert_eq!(said.as_str().unwrap().replace(',', ""), wanted);
    }
    assert!(!browser.has("[data-counter=referers] .margin"));
    let band = browser.run("return document.querySelector('.chart .band').getAttribute('d')");
    assert!(band.as_str().unwrap().starts_with('M'), "{band}");
    assert!(browser.text(".timeline .legend").contains("95 % range"));
    browser.until(
        "a key leads to an estimate",
        "const svg = document.querySelector('.chart svg'); svg.focus();
         svg.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowLeft', bubbles: true }));
         return document.querySelector('.tip[role=status]')?.textContent.includes('±')",
    );
    analytics.show_table();
    assert!(browser.text(".twin").contains('±'));
    browser.finish(&[]);
}

/// One instance, as a person looks around in it.
#[test]
fn ranges_and_filters_are_chosen_and_undone() {
    let server = seeded_for_long();
    let span = &Span::now();
    let browser = Browser::signed_in(&server, "analytics?range=30d&zone=UTC");
    a_click_on_a_value_filters_and_back_and_escape_undo_it(&browser);
    a_drag_zooms_in_and_steps_and_keys_move_the_range(&browser, span);
    a_day_with_twenty_five_hours_has_its_doubled_hour_once(&browser, span);
    bots_are_left_out_values_are_excluded_and_unknown_ones_can_be_chosen(&browser, &server, span);
    a_tag_has_its_analytics(&browser, &server, span);
    browser.finish(&[]);
}

fn a_click_on_a_value_filters_and_back_and_escape_undo_it(browser: &Browser<'_>) {
    let (analytics, links) = (Analytics(browser), Panel(browser, "links"));
    analytics.is_counted();
    let all = analytics.counter("visits");
    links.choose_first();
    browser.counts(FILTER, 1);
    browser.settle();
    let slug = browser.text(&links.part(".values .on .value-name"));
    let slug = slug.trim_start_matches('/');
    assert!(browser.address().contains(&format!("slug={slug}")));
    assert!(analytics.counter("visits") < all);
    links.has(1);
    browser.back();
    browser.gone(FILTER);
    Panel(browser, "devices").choose_first();
    browser.counts(FILTER, 1);
    browser.press(ESCAPE);
    browser.gone(FILTER);
    analytics.shows_visits(all);
}

fn a_drag_zooms_in_and_steps_and_keys_move_the_range(browser: &Browser<'_>, span: &Span) {
    let days = |first, last| format!("{}..{}", span.day(first), span.day(last));
    let week = days(-13, -7);
    browser.go(&format!("analytics?range={week}&zone=UTC&unit=day"));
    browser.find(".chart svg");
    browser.settle();
    browser.run("const svg = document.querySelector('.chart svg'); const box = svg.getBoundingClientRect();
        const at = (type, part) => svg.dispatchEvent(new PointerEvent(type, { bubbles: true, pointerType: 'mouse', clientX: box.left + 44 + (box.width - 56) * part, clientY: box.top + 90 }));
        at('pointermove', 0.33); at('pointerdown', 0.33); window.dragOn = () => { at('pointermove', 0.66); at('pointerup', 0.66); }");
    let chosen = days(-11, -9);
    let drag = format!("dragOn(); return location.search.includes('{chosen}')");
    browser.until("the drag has begun", &drag);
    browser.press(LEFT);
    browser.is_at(&days(-14, -12));
    browser.press("t");
    browser.is_at("range=30d");
    browser.press("p");
    browser.is_at("compare=previous");
    browser.find(".change");
}

fn a_day_with_twenty_five_hours_has_its_doubled_hour_once(browser: &Browser<'_>, span: &Span) {
    let (day, zone) = (span.changed, span.zone());
    browser.go(&format!(
        "analytics?range={day}..{day}&zone={zone}&unit=hour"
    ));
    Analytics(browser).show_table();
    browser.counts(".twin tbody tr", 24);
}

fn shows_visits(browser: &Browser<'_>, server: &Server, span: &Span, query: &str) {
    let counted = &ask(server, &format!("counters?{}&{query}", span.asked()))[0];
    Analytics(browser).shows_visits(counted["visits"].as_u64().unwrap());
    browser.settle(); // Panels have the values of these visits, too.
}

fn bots_are_left_out_values_are_excluded_and_unknown_ones_can_be_chosen(
    browser: &Browser<'_>,
    server: &Server,
    span: &Span,
) {
    let devices = Panel(browser, "devices");
    browser.go(&span.view());
    shows_visits(browser, server, span, "");
    browser.click_text(".controls .segments button", "People");
    shows_visits(browser, server, span, "bots=exclude");
    assert!(browser.address().contains("bots=exclude"));
    browser.click_text(".controls .segments button", "All");
    shows_visits(browser, server, span, "");

    let name = browser
        .text(&devices.part(".values li:first-child .value-name"))
        .replace(' ', "%20");
    let others = format!("browser=!{name}");
    let script = "document.querySelector(arguments[0]).dispatchEvent(new MouseEvent('click', { bubbles: true, altKey: true }))";
    let first = devices.part(".values li:first-child > button");
    browser.run_with(script, &json!(first));
    shows_visits(browser, server, span, &others);
    assert!(browser.text(FILTER).contains("not "));
    browser.back();
    shows_visits(browser, server, span, "");
    devices.exclude_first();
    shows_visits(browser, server, span, &others);
    browser.press(ESCAPE);
    shows_visits(browser, server, span, "");

    Panel(browser, "sources").choose("(none)");
    shows_visits(browser, server, span, "referer=(none)");
    assert!(browser.address().contains("referer="));
}

fn a_tag_has_its_analytics(browser: &Browser<'_>, server: &Server, span: &Span) {
    let tags = server.get("/api/link/tags").json();
    let tag = tags[0]["name"].as_str().unwrap();
    browser.go(&format!("links?tag={tag}"));
    browser.click(".chips a");
    browser.find(".controls .tag-choice");
    browser.go(&format!("{}&tag={tag}", span.view()));
    shows_visits(browser, server, span, &format!("tag={tag}"));
    browser.choose(".controls .tag-choice select", "");
    shows_visits(browser, server, span, "");
}

#[test]
fn campaigns_are_a_panel_whose_values_filter() {
    let server = Server::start();
    let tagged = "https://example.com/?utm_medium=email&utm_campaign=spring";
    server.create(&json!({"slug": "news", "url": tagged}));
    server.create(&json!({"slug": "docs", "url": "https://example.com/"}));
    for path in ["/news?utm_source=issue-7", "/news", "/docs"] {
        server.visit(path).is(301);
    }
    server.counters_with("", 3);
    let browser = Browser::signed_in(&server, "analytics?range=24h&zone=UTC");
    let (analytics, panel) = (Analytics(&browser), Panel(&browser, "campaigns"));
    panel.has(2);
    assert_eq!(
        browser.texts(&panel.part("[role=tab]")),
        ["Campaign sources", "Campaign media", "Campaigns"]
    );
    assert_eq!(panel.column("name"), ["(none)", "issue-7"]);
    panel.turn_to("Campaigns");
    panel.choose("spring");
    analytics.shows_visits(2);
    assert!(browser.address().contains("utmCampaign=spring"));
    assert_eq!(browser.text(FILTER), "Campaigns: spring");
    browser.back();
    analytics.shows_visits(3);
    panel.turn_to("Campaign media");
    browser.reads(&panel.part(".value-name:not(.none)"), "email");
    panel.exclude_first();
    analytics.shows_visits(1);
    assert!(browser.text(FILTER).contains("not email"));
    browser.press(ESCAPE);
    analytics.shows_visits(3);
    browser.finish(&[]);
}
