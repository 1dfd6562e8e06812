use slugline_domain::{Campaign, Degrees, SamplingInterval, UnixMillis};

use super::dice::Dice;
use crate::{
    row::{Client, Place, Row, Target},
    sampling::Sampled,
    visitor::VisitorHash,
};

/// Moments around which visits happen: the clock changes of New York (spring,
/// autumn 2025) and of Lord Howe Island (autumn and spring there), and one
/// moment without a change. Milliseconds since 1970.
pub(super) const MOMENTS: [i64; 5] = [
    1_741_503_600_000, // 2025-03-09 07:00 UTC
    1_743_865_200_000, // 2025-04-05 15:00 UTC
    1_751_328_000_000, // 2025-07-01 00:00 UTC
    1_759_591_800_000, // 2025-10-04 15:30 UTC
    1_762_063_200_000, // 2025-11-02 06:00 UTC
];

/// The most seconds between a visit and its moment, before or after.
pub(super) const SECONDS_AROUND: u32 = 30 * 3_600;

pub(super) const LINKS: [&str; 6] = ["a", "b", "c-3", "d_4", "E", "(other)"];
pub(super) const SLUGS: [&str; 5] = ["docs", "Docs", "sale", "x", "(other)"];
pub(super) const URLS: [&str; 4] = [
    "https://example.com/",
    "https://example.com/a,b?c=%20",
    "https://example.com/ü",
    "http://a.example/",
];
/// "other" stands for what an imported file may say.
pub(super) const PROTECTIONS: [&str; 4] = ["", "none", "password", "other"];
pub(super) const AGENTS: [&str; 4] = ["", "Example/1.0", "Example/2.0 (X11; Linux)", "(other)"];
pub(super) const SYSTEMS: [&str; 4] = ["", "Linux", "iOS", "Windows"];
pub(super) const BROWSERS: [&str; 4] = ["", "Firefox", "Mobile Safari", "Chrome"];
pub(super) const BROWSER_TYPES: [&str; 4] = ["", "crawler", "fetcher", "cli"];
pub(super) const DEVICES: [&str; 3] = ["", "iPhone", "Pixel 8"];
pub(super) const DEVICE_TYPES: [&str; 3] = ["", "mobile", "tablet"];
pub(super) const COUNTRIES: [&str; 4] = ["", "DE", "US", "NP"];
pub(super) const REGIONS: [&str; 3] = ["", "🇩🇪 Hesse,Germany", "🇺🇸 New York,United States"];
pub(super) const CITIES: [&str; 4] = ["", "🇩🇪 Kassel,Germany", "🇳🇵 Patan,Nepal", "Ürümqi"];
pub(super) const ZONES: [&str; 3] = ["", "Europe/Berlin", "Asia/Kathmandu"];
pub(super) const COLOS: [&str; 3] = ["", "FRA", "JFK"];
pub(super) const LATITUDES: [f64; 5] = [0.0, 51.31, -31.55, 40.71, 27.7];
pub(super) const LONGITUDES: [f64; 5] = [0.0, 9.48, 159.08, -74.01, 85.3];
pub(super) const REFERERS: [&str; 5] = [
    "",
    "news.example",
    "a.example",
    "b.example:8080",
    "ü.example",
];
pub(super) const UTM_SOURCES: [&str; 4] = ["", "newsletter", "x, y", "(other)"];
pub(super) const UTM_MEDIUMS: [&str; 3] = ["", "email", "Email"];
pub(super) const UTM_CAMPAIGNS: [&str; 4] = ["", "spring", "über uns", "'spring'"];
pub(super) const LANGUAGES: [&str; 4] = ["", "en-US", "de", "zh-Hant-TW"];

/// Some rows, more or less in order of time.
pub(super) fn random(dice: &Dice) -> Vec<Row<'static>> {
    let sampled = dice.one_in(2);
    // Where nobody uses passwords, and in logs of before, all visits say the same.
    let protected = dice.one_in(2).then(|| dice.pick(&PROTECTIONS));
    let mut rows = Vec::new();
    for _ in 0..dice.below(400) {
        rows.push(row(dice, sampled, protected));
        if dice.one_in(20)
            && let Some(again) = rows.last().cloned()
        {
            rows.push(again);
        }
    }
    if dice.one_in(2) {
        rows.sort_by_key(|row| row.at);
    }
    rows
}

/// The hash of one of a few visitors.
pub(super) fn visitor(dice: &Dice) -> VisitorHash {
    VisitorHash(u64::from(dice.below(80)).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// A moment, in seconds since 1970.
pub(super) fn second(dice: &Dice) -> i64 {
    let around = i64::from(dice.below(2 * SECONDS_AROUND)) - i64::from(SECONDS_AROUND);
    dice.pick(&MOMENTS) / 1_000 + around
}

fn row(dice: &Dice, sampled: bool, protected: Option<&'static str>) -> Row<'static> {
    let interval = if sampled { 1 << dice.below(8) } else { 1 };
    Row {
        // Few different milliseconds, so that some visits share one.
        at: UnixMillis::new(second(dice) / 60 * 60_000 + i64::from(dice.below(60_000) / 20_000)),
        target: Target {
            link_id: dice.pick(&LINKS),
            slug: dice.pick(&SLUGS),
            url: dice.pick(&URLS),
            protection: match protected {
                Some(protection) => protection,
                None => dice.pick(&PROTECTIONS),
            },
        },
        client: Client {
            user_agent: dice.pick(&AGENTS),
            os: dice.pick(&SYSTEMS),
            browser: dice.pick(&BROWSERS),
            browser_type: dice.pick(&BROWSER_TYPES),
            device: dice.pick(&DEVICES),
            device_type: dice.pick(&DEVICE_TYPES),
        },
        place: Place {
            country: dice.pick(&COUNTRIES),
            region: dice.pick(&REGIONS),
            city: dice.pick(&CITIES),
            timezone: dice.pick(&ZONES),
            colo: dice.pick(&COLOS),
            latitude: Degrees::nearest(dice.pick(&LATITUDES)),
            longitude: Degrees::nearest(dice.pick(&LONGITUDES)),
        },
        referer: dice.pick(&REFERERS).into(),
        language: dice.pick(&LANGUAGES),
        campaign: Campaign {
            source: dice.pick(&UTM_SOURCES),
            medium: dice.pick(&UTM_MEDIUMS),
            name: dice.pick(&UTM_CAMPAIGNS),
        },
        visitor: visitor(dice),
        sampled: Sampled {
            interval: SamplingInterval::new(interval).expect("intervals are at least 1"),
            coherent: !sampled || !dice.one_in(3),
        },
    }
}
