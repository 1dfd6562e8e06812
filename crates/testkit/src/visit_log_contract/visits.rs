//! Random visits.

use std::borrow::Cow;

use slugline_domain::{Dimension, SamplingInterval, StoredVisit, UnixMillis};

use super::dice::Dice;

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
const SECONDS_AROUND: u32 = 30 * 3_600;

pub(super) const LINKS: [&str; 6] = ["a", "b", "c-3", "d_4", "E", "(other)"];

/// Each stored property that is a text, and the texts of visits.
#[rustfmt::skip]
pub(super) const TEXTS: [(Dimension, &[&str]); 21] = {
    use Dimension as D;
    [
        (D::Slug, &["docs", "Docs", "sale", "x", "(other)", "go.example/docs", "go.example/sale", "b.example/x", "odd/a/b"]),
        (D::Url, &["https://example.com/", "https://example.com/a,b?c=%20", "https://example.com/ü", "http://a.example/"]),
        // "other" stands for any text of an imported file.
        (D::Protection, &["", "none", "password", "other"]),
        (D::UserAgent, &["", "Example/1.0", "Example/2.0 (X11; Linux)", "(other)"]),
        (D::Os, &["", "Linux", "iOS", "Windows"]),
        (D::Browser, &["", "Firefox", "Mobile Safari", "Chrome"]),
        (D::BrowserType, &["", "crawler", "fetcher", "cli"]),
        (D::Device, &["", "iPhone", "Pixel 8"]),
        (D::DeviceType, &["", "mobile", "tablet"]),
        (D::Country, &["", "DE", "US", "NP"]),
        (D::Region, &["", "🇩🇪 Hesse,Germany", "🇺🇸 New York,United States"]),
        (D::City, &["", "🇩🇪 Kassel,Germany", "🇳🇵 Patan,Nepal", "Ürümqi"]),
        (D::Timezone, &["", "Europe/Berlin", "Asia/Kathmandu"]),
        (D::Colo, &["", "FRA", "JFK"]),
        (D::Latitude, &["0.00", "51.31", "-31.55", "40.71", "27.70"]),
        (D::Longitude, &["0.00", "9.48", "159.08", "-74.01", "85.30"]),
        (D::Referer, &["", "news.example", "b.example:8080", "www.Google.co.uk", "t.co", "mail.google.com", "chatgpt.com", "ü.example"]),
        (D::Language, &["", "en-US", "de", "zh-Hant-TW"]),
        (D::UtmSource, &["", "newsletter", "x, y", "(other)", "Facebook", "chatgpt.com"]),
        (D::UtmMedium, &["", "email", "Email", "cpc"]),
        (D::UtmCampaign, &["", "spring", "über uns", "'spring'"]),
    ]
};

/// The domains of these slugs.
pub(super) const DOMAINS: [&str; 4] = ["", "go.example", "b.example", "odd"];

/// A visit to store.
#[derive(Clone, Debug)]
pub struct RandomVisit {
    /// The moment of the visit.
    pub at: UnixMillis,
    /// The identity of the link.
    pub link: &'static str,
    /// The hash of the visitor.
    pub visitor: u64,
    /// The number of visits that this one stands for.
    pub interval: SamplingInterval,
    /// `true` if the visit is coherent, so that it counts for visitors.
    pub coherent: bool,
    /// In the order of `TEXTS`.
    texts: [&'static str; TEXTS.len()],
}

impl RandomVisit {
    /// Some visits, more or less in order of time.
    pub(super) fn some(dice: &Dice) -> Vec<Self> {
        let sampled = dice.one_in(2);
        // Most instances have one domain, and so have all logs from before there were several.
        let slugs: Vec<&str> = texts_of(Dimension::Slug);
        let of_one_domain = slugs.iter().copied().filter(|slug| !slug.contains('/'));
        let slugs = if dice.one_in(2) {
            of_one_domain.collect()
        } else {
            slugs
        };
        // Without passwords, and in older logs, all visits have the same value.
        let protected = dice
            .one_in(2)
            .then(|| dice.pick(&texts_of(Dimension::Protection)));
        let mut visits: Vec<Self> = Vec::new();
        for _ in 0..dice.below(400) {
            visits.push(Self::one(dice, sampled, protected, &slugs));
            if dice.one_in(20)
                && let Some(again) = visits.last().cloned()
            {
                visits.push(again);
            }
        }
        if dice.one_in(2) {
            visits.sort_by_key(|visit| visit.at);
        }
        visits
    }

    fn one(
        dice: &Dice,
        sampled: bool,
        protected: Option<&'static str>,
        slugs: &[&'static str],
    ) -> Self {
        let interval = if sampled { 1 << dice.below(8) } else { 1 };
        // Few different milliseconds, so that some visits share one.
        let at = second(dice) / 60 * 60_000 + i64::from(dice.below(60_000) / 20_000);
        Self {
            at: UnixMillis::new(at),
            link: dice.pick(&LINKS),
            visitor: visitor(dice),
            interval: SamplingInterval::new(interval).expect("intervals are at least 1"),
            coherent: !sampled || !dice.one_in(3),
            texts: TEXTS.map(|(dimension, texts)| match protected {
                Some(protection) if dimension == Dimension::Protection => protection,
                Some(_) | None if dimension == Dimension::Slug => dice.pick(slugs),
                Some(_) | None => dice.pick(texts),
            }),
        }
    }

    /// The text of a dimension; empty for visitors, who are numbers.
    pub fn text(&self, dimension: Dimension) -> &'static str {
        if let Some(derivation) = dimension.derivation() {
            return match derivation.value(|source| self.text(source).into()) {
                Cow::Borrowed(text) => text,
                Cow::Owned(text) => panic!("{text:?} follows from texts that are borrowed"),
            };
        }
        let position = TEXTS.iter().position(|(one, ..)| *one == dimension);
        position.map_or("", |position| self.texts[position])
    }

    /// The visit as a log stores it, whose columns of texts are of these dimensions.
    pub fn stored(&self, columns: impl Iterator<Item = Dimension>) -> StoredVisit {
        StoredVisit {
            at: self.at,
            link: self.link.to_owned(),
            visitor: self.visitor,
            interval: self.interval,
            coherent: self.coherent,
            texts: columns.map(|dimension| self.text(dimension)).collect(),
        }
    }
}

/// The texts that visits have in a dimension; none of visitors.
pub(super) fn texts_of(dimension: Dimension) -> Vec<&'static str> {
    if let Some(derivation) = dimension.derivation() {
        return derivation.values().unwrap_or_else(|| DOMAINS.to_vec());
    }
    let found = TEXTS.iter().find(|(one, _)| *one == dimension);
    found.map_or_else(Vec::new, |(_, texts)| texts.to_vec())
}

/// The dimensions that are texts, stored ones first.
pub(super) fn dimensions() -> impl Iterator<Item = Dimension> {
    let derived = Dimension::ALL.iter().copied();
    let derived = derived.filter(|dimension| dimension.derivation().is_some());
    TEXTS.iter().map(|(dimension, _)| *dimension).chain(derived)
}

/// The hash of one of a few visitors.
pub(super) fn visitor(dice: &Dice) -> u64 {
    u64::from(dice.below(80)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// A visitor as answers show it.
pub(super) fn token(visitor: u64) -> String {
    format!("{visitor:016x}")
}

/// A moment, in seconds since 1970.
pub(super) fn second(dice: &Dice) -> i64 {
    let around = i64::from(dice.below(2 * SECONDS_AROUND)) - i64::from(SECONDS_AROUND);
    dice.pick(&MOMENTS) / 1_000 + around
}
