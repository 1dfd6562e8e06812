//! Links whose every member names the same version, so that the tests see a mixture of two
//! versions, or a link without its tags.

use serde_json::{Value, json};

/// The only version that has expired. All others have no expiry.
pub(crate) const EXPIRED: u32 = 0;

/// From this version on links have the maximum size.
pub(crate) const HEAVY: u32 = 9000;

/// The JSON of a link in a request.
pub(crate) fn link(slug: &str, version: u32) -> Value {
    let mut link = json!({
        "slug": slug,
        "url": destination(slug, version),
        "comment": format!("{} of a test", mark(slug, version)),
        "description": "d".repeat(filling(slug, version)),
        "tags": tags(slug, version),
    });
    if version == EXPIRED {
        link["expiration"] = json!(1000);
    }
    if version >= HEAVY {
        let long = format!("https://example.com/{}", "u".repeat(16_000));
        link["apple"] = json!(long);
        link["google"] = json!(long);
    }
    link
}

pub(crate) fn destination(slug: &str, version: u32) -> String {
    format!("https://example.com/{slug}/{version}")
}

/// A word that no other version of any link holds. Slugs of the tests are an `s` and a number,
/// so no mark is part of another one.
pub(crate) fn mark(slug: &str, version: u32) -> String {
    format!("{slug}v{version}e")
}

/// Tags that no other version of any link has.
pub(crate) fn tags(slug: &str, version: u32) -> [String; 2] {
    ["a", "b"].map(|letter| format!("{slug}-{version}-{letter}"))
}

/// A length that varies, so that links fill pages in many ways.
fn filling(slug: &str, version: u32) -> usize {
    let sum = slug
        .bytes()
        .fold(usize::try_from(version).unwrap(), |sum, byte| {
            sum * 31 + usize::from(byte)
        });
    1 + sum % 1999
}

/// The one of these versions that a stored link is completely, if any.
pub(crate) fn version_of(stored: &Value, versions: &[u32]) -> Option<u32> {
    let slug = stored["slug"].as_str()?;
    versions.iter().copied().find(|version| {
        let sent = link(slug, *version);
        let members = sent.as_object().unwrap();
        members.iter().all(|(name, value)| &stored[name] == value)
            && sent["expiration"] == stored["expiration"]
    })
}
