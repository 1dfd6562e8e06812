use std::{env, fs, path::Path};

use serde_json::Value;

use super::{
    analytics::seeded,
    browser::{Browser, Look},
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

pub(super) const LOOKS: [(&str, Look); 4] = [
    (
        "light",
        Look {
            width: 1280,
            dark: false,
        },
    ),
    (
        "dark",
        Look {
            width: 1280,
            dark: true,
        },
    ),
    (
        "phone-light",
        Look {
            width: 360,
            dark: false,
        },
    ),
    (
        "phone-dark",
        Look {
            width: 360,
            dark: true,
        },
    ),
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
    let found = found.as_array().unwrap();
    found
        .iter()
        .map(|fault| fault.as_str().unwrap().to_owned())
        .collect()
}

fn looked_at(browser: &Browser<'_>, name: &str, view: &str) -> Vec<String> {
    let mut all = Vec::new();
    for (look_name, look) in LOOKS {
        browser.look(look);
        browser.go(view);
        browser.until(
            "the page is there",
            "return (document.querySelector('main')?.innerText.length ?? 0) > 10",
        );
        browser.settle();
        all.extend(faults_of_look(browser, name, look_name));
    }
    all
}

/// The faults of the page as it looks now, each with both names. Takes its picture, too.
pub(super) fn faults_of_look(browser: &Browser<'_>, name: &str, look: &str) -> Vec<String> {
    let mut found = faults(browser);
    let wide = browser.run("return document.documentElement.scrollWidth > innerWidth");
    if wide != Value::Bool(false) {
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
    let picture = base64(&browser.screenshot());
    fs::write(Path::new(&folder).join(format!("{name}.png")), picture).unwrap();
}

/// The alphabet of RFC 4648 §4, which `WebDriver` answers pictures in.
fn base64(text: &str) -> Vec<u8> {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let value = |byte| {
        ALPHABET
            .iter()
            .position(|known| *known == byte)
            .and_then(|at| u32::try_from(at).ok())
    };
    let digits: Vec<u32> = text.bytes().filter_map(value).collect();
    let group = |group: &[u32]| {
        let bits = group.iter().fold(0, |bits, digit| bits << 6 | digit) << (6 * (4 - group.len()));
        bits.to_be_bytes()[1..group.len()].to_vec()
    };
    digits.chunks(4).flat_map(group).collect()
}

#[test]
fn every_page_is_accessible_and_fits_in_both_themes_and_widths() {
    let server = seeded(60, 4_000, 45);
    make(&server, "a screen", &["links:read", "analytics:read"]);
    let browser = Browser::signed_in(&server, "links");
    let found: Vec<String> = VIEWS
        .iter()
        .flat_map(|(name, view)| looked_at(&browser, name, view))
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
    browser.finish(&[]);
}

#[test]
fn an_empty_instance_and_the_door_are_accessible_and_fit() {
    let server = Server::start();
    let browser = Browser::start(&server);
    let mut found = looked_at(&browser, "door", "");
    browser.go(&format!("links#token={TOKEN}"));
    browser.find(".first");
    for (name, view) in [
        ("empty-links", "links"),
        ("empty-analytics", "analytics?zone=UTC"),
        ("empty-live", "live"),
        ("empty-audit", "audit"),
    ] {
        found.extend(looked_at(&browser, name, view));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    browser.finish(&[]);
}

#[test]
fn every_language_has_its_words() {
    let server = Server::start();
    let browser = Browser::signed_in(&server, "links");
    browser.look(Look {
        width: 360,
        dark: false,
    });
    for (tag, word) in [
        ("de-DE", "Links"),
        ("en-US", "Links"),
        ("fr-FR", "Liens"),
        ("id-ID", "Tautan"),
        ("it-IT", "Link"),
        ("pt-BR", "Links"),
        ("pt-PT", "Ligações"),
        ("vi-VN", "Liên kết"),
        ("zh-CN", "链接"),
        ("zh-TW", "連結"),
    ] {
        browser.run_with(
            "localStorage.setItem('slugline.language', arguments[0])",
            &serde_json::json!(tag),
        );
        browser.go("links");
        browser.find(".first");
        assert_eq!(browser.text(".pages a"), word, "{tag}");
        assert_eq!(browser.run("return document.documentElement.lang"), tag);
        for view in [
            "links?new=1",
            "links?do=import",
            "analytics?zone=UTC",
            "live",
            "audit",
            "setup",
        ] {
            browser.go(view);
            browser.settle();
            let wide = browser.run("return document.documentElement.scrollWidth > innerWidth");
            assert_eq!(wide, false, "{tag} {view} is wider than a phone");
        }
    }
    browser.finish(&[]);
}
