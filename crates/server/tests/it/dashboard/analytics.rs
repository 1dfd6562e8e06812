use serde_json::{Value, json};

use super::browser::Browser;
use crate::{
    support::server::{Server, command},
    visits::files::sampled,
};

/// An instance with visits of some weeks.
pub(super) fn seeded(links: u32, visits: u32, days: u32) -> Server {
    let folder = tempfile::tempdir().unwrap();
    let amounts = [("--links", links), ("--visits", visits), ("--days", days)];
    let mut seed = command(folder.path());
    seed.arg("seed");
    for (name, amount) in amounts {
        seed.args([name, &amount.to_string()]);
    }
    let made = seed.output().unwrap();
    assert!(
        made.status.success(),
        "{}",
        String::from_utf8_lossy(&made.stderr)
    );
    Server::start_in(folder, &[])
}

fn ask(server: &Server, path: &str) -> Value {
    let answer = server.api("GET", &format!("/api/{path}")).send();
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()["data"].clone()
}

fn number(text: &str) -> u64 {
    text.chars()
        .filter(char::is_ascii_digit)
        .collect::<String>()
        .parse()
        .unwrap()
}

/// The place of an hour in the week.
fn at_of(hour: &Value) -> u64 {
    (hour["weekday"].as_u64().unwrap() - 1) * 24 + hour["hour"].as_u64().unwrap()
}

/// 1 October to 7 November 2026 in Berlin, where clocks went back on the 25th.
const SPAN: &str = "startAt=1790805600&endAt=1794092399";

#[test]
fn every_number_is_the_apis_in_a_zone_whose_clocks_changed() {
    let server = seeded(12, 3_000, 120);
    let browser = Browser::signed_in(
        &server,
        "analytics?range=2026-10-01..2026-11-07&zone=Europe%2FBerlin",
    );
    browser.until(
        "totals are there",
        "return document.querySelector('.counter-value')?.textContent > ''",
    );
    browser.settle();
    let totals = ask(&server, &format!("stats/counters?{SPAN}"))[0].clone();
    for name in ["visits", "visitors", "referers"] {
        let shown = browser.text(&format!("[data-counter={name}] .counter-value"));
        assert_eq!(json!(number(&shown)), totals[name], "{name}");
    }

    let doubts = browser.texts(".counters .margin, .timeline .band-key");
    assert!(doubts.is_empty(), "a count is exact: {doubts:?}");
    browser.click(".timeline [aria-pressed=false].icon-button");
    let rows = browser.texts(".twin tbody tr");
    assert_eq!(rows.len(), 38, "a row for each day, with visits or without");
    let views = ask(
        &server,
        &format!("stats/views?unit=day&clientTimezone=Europe/Berlin&{SPAN}"),
    );
    for view in views.as_array().unwrap() {
        let wanted = format!(
            "{}\t{}\t{}",
            view["time"].as_str().unwrap(),
            view["visits"],
            view["visitors"]
        );
        assert!(rows.contains(&wanted), "{wanted:?} is not in {rows:?}");
    }

    browser.until(
        "visitors of all values",
        "const all = [...document.querySelectorAll('.value-visitors')]; return all.length > 18 && all.every((one) => one.textContent !== '–')",
    );
    for (panel, kind) in [("sources", "referer"), ("devices", "browser")] {
        let path = format!("stats/metrics?type={kind}&visitors=true&{SPAN}");
        let metrics = ask(&server, &path);
        for (column, member) in [("value-count", "count"), ("value-visitors", "visitors")] {
            let shown = browser.texts(&format!("[data-panel={panel}] .{column}"));
            let counts: Vec<u64> = shown.iter().map(|text| number(text)).collect();
            let of_each = metrics.as_array().unwrap().iter().take(9);
            let mut wanted: Vec<u64> = of_each.map(|row| row[member].as_u64().unwrap()).collect();
            // The last row has the visits of all others, so visits add up.
            let others = totals["visits"].as_u64().unwrap() - wanted.iter().sum::<u64>();
            if member == "count" && others > 0 {
                assert_eq!(
                    browser.text(&format!("[data-panel={panel}] .others .value-name")),
                    "Others"
                );
                wanted.push(others);
            }
            assert_eq!(counts, wanted, "{kind}: {member}");
        }
    }

    // A span of more than a week begins with averages.
    let heatmap = format!("stats/heatmap?clientTimezone=Europe/Berlin&average=true&{SPAN}");
    let hours = ask(&server, &heatmap);
    for hour in hours.as_array().unwrap() {
        let shown = browser.run_with(
            "return Number(document.querySelector(`[data-at='${arguments[0]}']`).dataset.visits)",
            &json!(at_of(hour)),
        );
        assert_eq!(shown.as_f64(), hour["average"]["visits"].as_f64(), "{hour}");
    }
    browser.click_text(".heat .segments button", "Total");
    browser.find(".heat .segments [aria-pressed=true]:last-child");
    browser.settle();
    for hour in hours.as_array().unwrap() {
        let at = at_of(hour);
        let shown = browser.run_with(
            "return document.querySelector(`[data-at='${arguments[0]}']`).dataset.visits",
            &json!(at),
        );
        assert_eq!(
            json!(number(shown.as_str().unwrap())),
            hour["visits"],
            "{at}"
        );
        let label = browser.run_with(
            "return document.querySelector(`[data-at='${arguments[0]}']`).ariaLabel",
            &json!(at),
        );
        let visitors = format!(", {} visitors", hour["visitors"]);
        assert!(label.as_str().unwrap().ends_with(&visitors), "{label}");
    }
    browser.finish(&[]);
}

#[test]
fn an_estimate_says_how_far_the_true_number_may_be() {
    let server = Server::start_in(sampled(), &[]);
    let counters = server.api("GET", "/api/stats/counters").send().json();
    let browser = Browser::signed_in(&server, "analytics?range=30d&zone=UTC&unit=day");
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
        let said = browser.run_with(
            "return document.querySelector(arguments[0]).title.replaceAll(',', '')",
            &json!(format!("{card} .margin")),
        );
        let (low, high) = (counted - margin, counted + margin);
        let wanted = format!("The true number is between {low} and {high} in 95 of 100 cases.");
        assert_eq!(said, json!(wanted));
    }
    assert!(browser.texts("[data-counter=referers] .margin").is_empty());
    let band = browser.run("return document.querySelector('.chart .band').getAttribute('d')");
    assert!(band.as_str().unwrap().starts_with('M'), "{band}");
    assert!(browser.text(".timeline .legend").contains("95 % range"));
    browser.until(
        "a key leads to an estimate",
        "const svg = document.querySelector('.chart svg'); svg.focus();
         svg.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowLeft', bubbles: true }));
         return document.querySelector('.tip[role=status]')?.textContent.includes('±')",
    );
    browser.click(".timeline [aria-pressed=false].icon-button");
    assert!(browser.text(".twin").contains('±'));
    browser.finish(&[]);
}

#[test]
fn a_day_with_twenty_five_hours_has_its_doubled_hour_once() {
    let server = seeded(3, 200, 60);
    let browser = Browser::signed_in(
        &server,
        "analytics?range=2026-10-25..2026-10-25&zone=Europe%2FBerlin&unit=hour",
    );
    browser.click(".timeline [aria-pressed=false].icon-button");
    browser.until(
        "a row for each hour",
        "return document.querySelectorAll('.twin tbody tr').length === 24",
    );
    browser.finish(&[]);
}

#[test]
fn a_click_on_a_value_filters_and_back_and_escape_undo_it() {
    let server = seeded(6, 800, 20);
    let browser = Browser::signed_in(&server, "analytics?range=30d&zone=UTC");
    browser.settle();
    let all = browser.text("[data-counter=visits] .counter-value");
    browser.click("[data-panel=links] .values button");
    browser.until(
        "one chip",
        "return document.querySelectorAll('.chips .chip').length === 1",
    );
    browser.settle();
    let slug = browser.text("[data-panel=links] .values .on .value-name");
    let slug = slug.trim_start_matches('/');
    assert!(browser.address().contains(&format!("slug={slug}")));
    let filtered = browser.text("[data-counter=visits] .counter-value");
    assert!(number(&filtered) < number(&all));
    let links = "return document.querySelectorAll('[data-panel=links] .values li').length === 1";
    browser.until("only that link", links);
    browser.back();
    browser.until(
        "no chip",
        "return document.querySelector('.chips .chip') === null",
    );
    browser.click("[data-panel=devices] .values button");
    browser.until(
        "one chip",
        "return document.querySelectorAll('.chips .chip').length === 1",
    );
    browser.press(super::browser::ESCAPE);
    browser.until(
        "no chip",
        "return document.querySelector('.chips .chip') === null",
    );
    browser.until("all again", &format!("return document.querySelector('[data-counter=visits] .counter-value').textContent === '{all}'"));
    browser.finish(&[]);
}

#[test]
fn a_drag_zooms_in_and_steps_and_keys_move_the_range() {
    let server = seeded(4, 500, 40);
    let browser = Browser::signed_in(
        &server,
        "analytics?range=2026-10-12..2026-10-18&zone=UTC&unit=day",
    );
    browser.find(".chart svg");
    browser.settle();
    browser.run("const svg = document.querySelector('.chart svg'); const box = svg.getBoundingClientRect();
        const at = (type, part) => svg.dispatchEvent(new PointerEvent(type, { bubbles: true, pointerType: 'mouse', clientX: box.left + 44 + (box.width - 56) * part, clientY: box.top + 90 }));
        at('pointermove', 0.33); at('pointerdown', 0.33); window.dragOn = () => { at('pointermove', 0.66); at('pointerup', 0.66); }");
    browser.until(
        "the drag has begun",
        "dragOn(); return location.search.includes('2026-10-14..2026-10-16')",
    );
    browser.press("\u{e012}");
    browser.until(
        "three days before",
        "return location.search.includes('2026-10-11..2026-10-13')",
    );
    browser.press("t");
    browser.until(
        "the last 30 days",
        "return location.search.includes('range=30d')",
    );
    browser.press("p");
    browser.until("compared", "return location.search.includes('compare=previous') && document.querySelector('.change') !== null");
    browser.finish(&[]);
}

fn visits_shown(browser: &Browser<'_>, server: &Server, query: &str) {
    let span = "startAt=1790805600&endAt=1794092399";
    let counted = ask(server, &format!("stats/counters?{span}&{query}"))[0]["visits"].clone();
    let counted = counted.as_u64().unwrap();
    browser.until(
        &format!("{counted} visits for {query}"),
        &format!("return document.querySelector('[data-counter=visits] .counter-value')?.textContent.replaceAll(',', '') === '{counted}'"),
    );
}

#[test]
fn bots_are_left_out_values_are_excluded_and_unknown_ones_can_be_chosen() {
    let server = seeded(12, 3_000, 120);
    let view = "analytics?range=2026-10-01..2026-11-07&zone=Europe%2FBerlin";
    let browser = Browser::signed_in(&server, view);
    visits_shown(&browser, &server, "");
    browser.click_text(".controls .segments button", "People");
    visits_shown(&browser, &server, "bots=exclude");
    assert!(browser.address().contains("bots=exclude"));
    browser.click_text(".controls .segments button", "All");
    visits_shown(&browser, &server, "");

    let first = "[data-panel=devices] .values li:first-child";
    let name = browser.text(&format!("{first} .value-name"));
    let script = "document.querySelector(arguments[0]).dispatchEvent(new MouseEvent('click', { bubbles: true, altKey: true }))";
    browser.run_with(script, &json!(format!("{first} > button")));
    visits_shown(
        &browser,
        &server,
        &format!("browser=!{}", name.replace(' ', "%20")),
    );
    assert!(browser.text(".chips .chip").contains("not "));
    browser.back();
    visits_shown(&browser, &server, "");
    browser.click(&format!("{first} .value-out"));
    visits_shown(
        &browser,
        &server,
        &format!("browser=!{}", name.replace(' ', "%20")),
    );
    browser.press(super::browser::ESCAPE);
    visits_shown(&browser, &server, "");

    browser.click_text("[data-panel=sources] .value-name.none", "(none)");
    visits_shown(&browser, &server, "referer=(none)");
    assert!(browser.address().contains("referer="));
    browser.finish(&[]);
}

#[test]
fn campaigns_are_a_panel_whose_values_filter() {
    let server = Server::start();
    let tagged = "https://example.com/?utm_medium=email&utm_campaign=spring";
    server.create(&json!({"slug": "news", "url": tagged}));
    server.create(&json!({"slug": "docs", "url": "https://example.com/"}));
    for path in ["/news?utm_source=issue-7", "/news", "/docs"] {
        assert_eq!(server.visit(path).status, 301);
    }
    server.counters_with("", 3);
    let browser = Browser::signed_in(&server, "analytics?range=24h&zone=UTC");
    let panel = "[data-panel=campaigns]";
    let values = format!("{panel} .value-name");
    browser.until(
        "sources",
        &format!("return document.querySelectorAll('{values}').length === 2"),
    );
    assert_eq!(
        browser.texts(&format!("{panel} [role=tab]")),
        ["Campaign sources", "Campaign media", "Campaigns"]
    );
    assert_eq!(browser.texts(&values), ["(none)", "issue-7"]);
    let visits = |number: u32| {
        browser.until(
            &format!("{number} visits"),
            &format!("return document.querySelector('[data-counter=visits] .counter-value')?.textContent === '{number}'"),
        );
    };
    browser.click_text(&format!("{panel} [role=tab]"), "Campaigns");
    browser.click_text(&values, "spring");
    visits(2);
    assert!(browser.address().contains("utmCampaign=spring"));
    assert_eq!(browser.text(".chips .chip"), "Campaigns: spring");
    browser.back();
    visits(3);
    browser.click_text(&format!("{panel} [role=tab]"), "Campaign media");
    browser.until(
        "media",
        &format!("return document.querySelector('{values}:not(.none)')?.textContent === 'email'"),
    );
    browser.click(&format!("{panel} .values li:first-child .value-out"));
    visits(1);
    assert!(browser.text(".chips .chip").contains("not email"));
    browser.press(super::browser::ESCAPE);
    visits(3);
    browser.finish(&[]);
}

#[test]
fn a_tag_has_its_analytics() {
    let server = seeded(12, 3_000, 120);
    let tags = server.api("GET", "/api/link/tags").send().json();
    let tag = tags[0]["name"].as_str().unwrap().to_owned();
    let browser = Browser::signed_in(&server, &format!("links?tag={tag}"));
    browser.click(".chips a");
    browser.find(".controls .tag-choice");
    browser.go(&format!(
        "analytics?range=2026-10-01..2026-11-07&zone=Europe%2FBerlin&tag={tag}"
    ));
    visits_shown(&browser, &server, &format!("tag={tag}"));
    browser.choose(".controls .tag-choice select", "");
    visits_shown(&browser, &server, "");
    browser.finish(&[]);
}
