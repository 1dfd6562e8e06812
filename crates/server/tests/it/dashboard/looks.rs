use std::{env, fs, path::Path};

use base64::{Engine, prelude::BASE64_STANDARD};
use serde_json::json;

use super::{
    browser::{Browser, LOOKS, PHONE, strings},
    instance::seeded,
    pages::Shell,
};
use crate::{
    support::{
        repository,
        server::{Server, TOKEN},
    },
    tokens::make,
};

const VIEWS: [(&str, &str); 12] = [
    ("links", "links"),
    ("editor", "links?edit=spring-24"),
    ("new-link", "links?new=1"),
    ("qr", "links?qr=docs"),
    ("import", "links?do=import"),
    ("analytics", "analytics?range=30d&compare=previous&zone=UTC"),
    (
        "compared",
        "analytics?slug=docs,spring-24&range=30d&zone=UTC&country=!DE",
    ),
    ("live", "live"),
    ("audit", "audit"),
    ("audit-filtered", "audit?slug=docs&from=2020-01-01"),
    ("setup", "setup"),
    ("nothing-found", "links?q=zzzz"),
];

/// The rules of axe-core for WCAG 2.0 to 2.2, levels A and AA.
pub(super) fn faults(browser: &Browser<'_>) -> Vec<String> {
    let source = repository("crates/dashboard/npm/node_modules/axe-core/axe.min.js");
    let source =
        fs::read_to_string(source).expect("axe-core is installed: cargo xtask test does that");
    browser.run(&source);
    let found = browser.run_async(
        "axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'], resultTypes: ['violations'] }).then(({ violations }) => arguments[0](violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ html, failureSummary }) => `${html.slice(0, 160)} ${failureSummary.slice(0, 300)}`).join(' | ')}`)))",
    );
    strings(&found)
}

/// Lets `show` open pages in every look, and check each of them by its name. Fails with all
/// faults at the end.
pub(super) fn in_every_look(browser: &Browser<'_>, show: impl Fn(&mut dyn FnMut(&str))) {
    let mut found = Vec::new();
    for look in LOOKS {
        browser.look(look);
        show(&mut |name| found.extend(faults_of_look(browser, name, look.name)));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

fn look_at(browser: &Browser<'_>, views: &[(&str, &str)]) {
    in_every_look(browser, |check| {
        for (name, view) in views {
            browser.go(view);
            browser.is_filled();
            check(name);
        }
    });
}

/// The faults of the page as it looks now, each with both names. Takes its picture, too.
fn faults_of_look(browser: &Browser<'_>, name: &str, look: &str) -> Vec<String> {
    let mut found = faults(browser);
    if browser.is_wider_than_its_window() {
        found.push("wider than the window".to_owned());
    }
    shoot(browser, &format!("{name}-{look}"));
    let found = found.into_iter();
    found
        .map(|fault| format!("{name} {look}: {fault}"))
        .collect()
}

/// `cargo xtask shots` names a folder for pictures of every page.
fn shoot(browser: &Browser<'_>, name: &str) {
    let Some(folder) = env::var_os("SLUGLINE_TEST_SHOTS") else {
        return;
    };
    fs::create_dir_all(&folder).unwrap();
    let picture = BASE64_STANDARD.decode(browser.screenshot()).unwrap();
    fs::write(Path::new(&folder).join(format!("{name}.png")), picture).unwrap();
}

#[test]
fn every_page_is_accessible_and_fits_in_both_themes_and_widths() {
    let server = seeded(60, 4_000, 75);
    make(&server, "a screen", &["links:read", "analytics:read"]);
    let browser = Browser::signed_in(&server, "links");
    look_at(&browser, &VIEWS);
    browser.finish(&[]);
}

#[test]
fn an_empty_instance_and_the_door_are_accessible_and_fit() {
    let server = Server::start();
    let browser = Browser::start(&server);
    look_at(&browser, &[("door", "")]);
    browser.sign_in("links", TOKEN);
    Shell(&browser).welcomes();
    look_at(
        &browser,
        &[
            ("empty-links", "links"),
            ("empty-analytics", "analytics?zone=UTC"),
            ("empty-live", "live"),
            ("empty-audit", "audit"),
        ],
    );
    browser.finish(&[]);
}

#[test]
fn a_long_slug_wraps_beside_its_badge_on_a_phone() {
    let server = Server::start();
    let long = ["spring-campaign"; 6].join("-");
    server.create(&json!({"url": "https://example.com/", "slug": long, "password": "secret-word"}));
    let browser = Browser::signed_in(&server, "links");
    browser.look(PHONE);
    let beside = browser.run_with(
        "const row = document.querySelector(`[data-slug='${arguments[0]}']`); const [slug, badge] = ['.row-slug', '.badge'].map((part) => row.querySelector(part).getBoundingClientRect()); return slug.height > 30 && badge.left >= slug.right && badge.bottom < slug.top + 30",
        &json!(long),
    );
    assert_eq!(beside, true, "the badge is beside the first line");
    browser.finish(&[]);
}
