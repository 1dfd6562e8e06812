//! Features that the real server lacks, and the tests' substitutes.
//!
//! The only packaged server is 18.16, of 2018. The product supports newer ones; this file makes
//! it work with this one. If the machine has a newer server, the tests speak to it in the same
//! way.
//!
//! | lacks | consequence |
//! |---|---|
//! | tokens of insertions | rows may be stored twice; no test of concurrent offers of salts |
//! | window functions | no queries for the most frequent values and places |
//! | projections | questions scan |
//! | `TTL` | no test of retention |
//! | codecs, `DateTime64` and others | tables without them, see [`WORDS`] |
//! | their settings | they are not sent, see [`SETTINGS`] |

use std::borrow::Cow;

use slugline_testkit::ClickHouseEngine;
use url::Url;

/// A feature that a test may need.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Feature {
    /// Insertions with the same token count once.
    Tokens,
    /// `count() OVER ()`.
    Windows,
}

pub(crate) fn has(engine: ClickHouseEngine, feature: Feature) -> bool {
    match (engine, feature) {
        (ClickHouseEngine::Library, _) => true,
        (ClickHouseEngine::Server, Feature::Tokens | Feature::Windows) => false,
    }
}

/// Settings that it rejects as unknown.
const SETTINGS: [&str; 3] = [
    "insert_deduplication_token",
    "async_insert",
    "max_partitions_per_insert_block",
];

/// Words of our tables that it does not know, and their replacements.
const WORDS: [(&str, &str); 8] = [
    (" CODEC(Delta(8), ZSTD(1))", ""),
    (" CODEC(ZSTD(1))", ""),
    (" CODEC(ZSTD(3))", ""),
    // It has this type, but only as an experiment.
    ("LowCardinality(String)", "String"),
    // This column is for people; the product does not read it.
    (
        "ts DateTime64(3, 'UTC') ALIAS fromUnixTimestamp64Milli(ts_ms, 'UTC'),",
        "",
    ),
    (
        "DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC')",
        "DateTime DEFAULT now()",
    ),
    ("\nTTL made_at + toIntervalDay(90)", ""),
    ("SETTINGS non_replicated_deduplication_window = 10000", ""),
];

/// The URL without settings that it refuses.
pub(crate) fn known_settings(url: &Url) -> Url {
    let mut known = url.clone();
    let pairs = url.query_pairs();
    let pairs = pairs.filter(|(name, _)| !SETTINGS.contains(&name.as_ref()));
    known.query_pairs_mut().clear().extend_pairs(pairs);
    known
}

/// The body, with unknown words replaced if it creates a table.
pub(crate) fn known_words(body: Vec<u8>) -> Vec<u8> {
    match String::from_utf8(body) {
        Ok(text) if text.contains("CREATE TABLE") => {
            let known = WORDS.iter().fold(Cow::from(text), |text, (word, instead)| {
                text.replace(word, instead).into()
            });
            known.into_owned().into_bytes()
        }
        Ok(text) => text.into_bytes(),
        Err(rows) => rows.into_bytes(),
    }
}
