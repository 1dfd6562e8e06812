//! Names that people send for members whose names are others.
//!
//! Other programs use these names, so a client that sends one means it. A link without its expiry
//! would be a wrong answer to `expires`.

/// Each member, and what it is called elsewhere: in lower case, without hyphens and underscores.
const CALLED: [(&str, &[&str]); 11] = [
    (
        "expiration",
        &[
            "expires",
            "expiresat",
            "expire",
            "expiry",
            "expirationdate",
            "expiresin",
            "validuntil",
            "ttl",
        ],
    ),
    (
        "slug",
        &["alias", "customslug", "customalias", "shortcode", NEW_SLUG],
    ),
    (
        "url",
        &[
            "destination",
            "longurl",
            "newurl",
            "originalurl",
            "target",
            "targeturl",
        ],
    ),
    ("comment", &["note", "notes"]),
    ("password", &["passphrase", "pwd"]),
    ("tags", &["label", "labels"]),
    ("q", &["query", "search"]),
    ("startAt", &["from", "last", "since", "start"]),
    ("endAt", &["end", "to", "until"]),
    ("clientTimezone", &["tz"]),
    ("validateOnly", &["dryrun"]),
];

/// Asks for another slug.
const NEW_SLUG: &str = "newslug";

/// Returns the member that a name means.
pub(crate) fn meant(name: &str) -> Option<&'static str> {
    let name = plain(name);
    let called = CALLED
        .iter()
        .find(|(_, others)| others.contains(&name.as_str()));
    called.map(|(member, _)| *member)
}

/// Returns whether a name asks for another slug.
pub(crate) fn is_new_slug(name: &str) -> bool {
    plain(name) == NEW_SLUG
}

/// Returns whether a name asks that nothing be stored.
pub(crate) fn is_trial(name: &str) -> bool {
    ["validateonly", "dryrun"].contains(&plain(name).as_str())
}

/// Returns a name without what programs spell differently: case, hyphens, underscores, spaces.
pub(crate) fn plain(name: &str) -> String {
    name.to_lowercase().replace(['_', '-', ' '], "")
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn each_name_means_one_member_in_any_spelling() {
        let names: Vec<&str> = CALLED
            .iter()
            .flat_map(|(_, others)| *others)
            .copied()
            .collect();
        assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len());
        for name in names {
            assert_eq!(plain(name), name);
        }
        assert_eq!(meant("expires_at"), Some("expiration"));
        assert_eq!(meant("customSlug"), Some("slug"));
        assert_eq!(meant("clicks"), None);
        assert!(is_new_slug("new-slug") && !is_new_slug("alias"));
    }
}
