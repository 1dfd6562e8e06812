//! Files with the places of documentation addresses. `data/make_places.py`
//! writes them and lists their content.

/// A file of cities.
pub const PLACES_FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/places.mmdb");

/// A file of countries.
pub const COUNTRIES_FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/countries.mmdb");

/// A file of the same format without places.
pub const NETWORKS_FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/networks.mmdb");
