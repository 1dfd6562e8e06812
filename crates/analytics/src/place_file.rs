//! Places of addresses, from an `.mmdb` file.

use std::{
    net::IpAddr,
    path::{Path, PathBuf},
};

use maxminddb::{MaxMindDbError, Reader, geoip2, path};
use slugline_domain::{Coordinates, Country, Place, PlaceName, TimeZoneName, ports::PlaceFinder};
use thiserror::Error;

/// A file of cities or countries in the format of `MaxMind` (`.mmdb`), such as
/// `GeoLite2` or `DB-IP Lite`. It is held in memory unchanged: 60 to 130 MB for
/// cities, 8 MB for countries. Names are the English ones.
///
/// A look-up walks the file's tree in a microsecond or two, and never waits.
pub struct PlaceFile {
    reader: Reader<Vec<u8>>,
}

impl PlaceFile {
    /// Reads a file.
    ///
    /// # Errors
    /// The file cannot be read, has another format, or contains neither cities nor countries.
    pub fn open(path: &Path) -> Result<Self, PlaceFileError> {
        let reader = Reader::open_readfile(path).map_err(|source| PlaceFileError::Unreadable {
            path: path.to_owned(),
            source,
        })?;
        // "GeoLite2-City", "DBIP-Country-Lite"; an Enterprise file has cities.
        let kind = &reader.metadata().database_type;
        if !["City", "Country", "Enterprise"]
            .iter()
            .any(|known| kind.contains(known))
        {
            return Err(PlaceFileError::OtherKind {
                path: path.to_owned(),
                kind: kind.clone(),
            });
        }
        Ok(Self { reader })
    }

    /// The file's entry for an address; `None` if there is none or that part of
    /// the file is damaged.
    fn entry(&self, address: IpAddr) -> Option<geoip2::City<'_>> {
        let found = self.reader.lookup(address.to_canonical()).ok()?;
        found.decode().ok().flatten()
    }
}

impl PlaceFinder for PlaceFile {
    fn find(&self, address: IpAddr) -> Place {
        let Some(entry) = self.entry(address) else {
            return Place::default();
        };
        let location = &entry.location;
        // The largest of nested regions comes first.
        let region = entry.subdivisions.first();
        Place {
            country: country(entry.country.iso_code),
            region: region
                .and_then(|region| region.names.english)
                .and_then(PlaceName::new),
            city: entry.city.names.english.and_then(PlaceName::new),
            timezone: location.time_zone.and_then(TimeZoneName::new),
            colo: None,
            coordinates: location
                .latitude
                .zip(location.longitude)
                .and_then(|(latitude, longitude)| Coordinates::new(latitude, longitude)),
        }
    }

    fn country(&self, address: IpAddr) -> Option<Country> {
        let found = self.reader.lookup(address.to_canonical()).ok()?;
        country(found.decode_path(&path!["country", "iso_code"]).ok()?)
    }
}

fn country(code: Option<&str>) -> Option<Country> {
    Country::parse(code?).ok()
}

impl std::fmt::Debug for PlaceFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PlaceFile")
            .field("kind", &self.reader.metadata().database_type)
            .finish_non_exhaustive()
    }
}

/// The file cannot be used for places.
#[derive(Debug, Error)]
pub enum PlaceFileError {
    /// It cannot be read, or has another format.
    #[error("{} cannot be read as a MaxMind DB file (.mmdb)", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The reason.
        #[source]
        source: MaxMindDbError,
    },
    /// It holds other facts about addresses.
    #[error("{} is of the kind {kind}; a file of cities or countries is needed", path.display())]
    OtherKind {
        /// The file.
        path: PathBuf,
        /// The type that it names.
        kind: String,
    },
}

#[cfg(test)]
mod tests {
    use std::fs;

    use slugline_testkit::{COUNTRIES_FILE, NETWORKS_FILE, PLACES_FILE};

    use super::*;

    fn places() -> PlaceFile {
        PlaceFile::open(Path::new(PLACES_FILE)).unwrap()
    }

    fn at(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn a_file_of_cities_tells_everything() {
        let munich = Place {
            country: Country::parse("DE").ok(),
            region: PlaceName::new("Bavaria"),
            city: PlaceName::new("Munich"),
            timezone: TimeZoneName::new("Europe/Berlin"),
            colo: None,
            coordinates: Coordinates::new(48.14, 11.58),
        };
        assert_eq!(places().find(at("192.0.2.7")), munich);
        assert_eq!(places().find(at("::ffff:192.0.2.7")), munich);
        let tokyo = places().find(at("2001:db8::1"));
        assert_eq!(tokyo.city_label(), "🇯🇵 Tokyo,Japan");
        let south = places().find(at("192.0.2.200")).coordinates.unwrap();
        assert_eq!((south.latitude(), south.longitude()), (-23.55, -46.64));
    }

    #[test]
    fn what_a_file_does_not_tell_is_unknown() {
        let france = Place {
            country: Country::parse("FR").ok(),
            ..Place::default()
        };
        assert_eq!(places().find(at("198.51.100.1")), france);
        for elsewhere in ["203.0.113.1", "127.0.0.1", "::1"] {
            assert!(places().find(at(elsewhere)).is_unknown());
            assert_eq!(places().country(at(elsewhere)), None);
        }
    }

    #[test]
    fn a_file_of_countries_will_do() {
        let file = PlaceFile::open(Path::new(COUNTRIES_FILE)).unwrap();
        let germany = Country::parse("DE").ok();
        assert_eq!(file.find(at("192.0.2.7")).country, germany);
        assert_eq!(file.country(at("192.0.2.7")), germany);
    }

    #[test]
    fn other_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let fails = |path: &Path| PlaceFile::open(path).unwrap_err().to_string();
        let kind = fails(Path::new(NETWORKS_FILE));
        assert!(kind.contains("is of the kind Slugline-Test-ASN"), "{kind}");

        let missing = folder.path().join("missing.mmdb");
        let garbage = folder.path().join("garbage.mmdb");
        let cut = folder.path().join("cut.mmdb");
        fs::write(&garbage, [b'x'; 4096]).unwrap();
        let whole = fs::read(PLACES_FILE).unwrap();
        fs::write(&cut, &whole[..whole.len() / 2]).unwrap();
        for path in [missing, garbage, cut] {
            let error = fails(&path);
            assert!(
                error.contains("cannot be read as a MaxMind DB file"),
                "{error}"
            );
        }
    }

    #[test]
    fn a_damaged_entry_is_unknown_rather_than_a_failure() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("damaged.mmdb");
        let mut bytes = fs::read(PLACES_FILE).unwrap();
        let field = b"iso_code";
        let last = bytes
            .windows(field.len())
            .rposition(|window| window == field)
            .unwrap();
        // The values follow the names. This fault makes an endless map.
        for byte in &mut bytes[last - 200..last + 40] {
            *byte = 0xff;
        }
        fs::write(&path, bytes).unwrap();
        let file = PlaceFile::open(&path).unwrap();
        for last in 0..=255 {
            let address = IpAddr::from([192, 0, 2, last]);
            let _ = (file.find(address), file.country(address));
        }
        assert!(file.find(at("192.0.2.7")).is_unknown());
    }
}
