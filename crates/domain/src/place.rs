//! The place of a visitor.

use thiserror::Error;

use crate::Country;

/// The place of a visitor, as far as it is known. Every part may be missing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Place {
    /// The country.
    pub country: Option<Country>,
    /// The name of the state, province or the like.
    pub region: Option<PlaceName>,
    /// The name of the city.
    pub city: Option<PlaceName>,
    /// The time zone.
    pub timezone: Option<TimeZoneName>,
    /// The data centre of the CDN that the visit came through.
    pub colo: Option<Colo>,
    /// The coordinates, rounded.
    pub coordinates: Option<Coordinates>,
}

impl Place {
    /// Returns whether nothing is known.
    pub fn is_unknown(&self) -> bool {
        *self == Self::default()
    }

    /// The memory that the names in it take, in bytes.
    pub fn bytes(&self) -> usize {
        let names = [&self.region, &self.city];
        let names = names.map(|name| name.as_ref().map_or(0, |name| name.as_str().len()));
        let timezone = self.timezone.as_ref().map_or(0, |zone| zone.as_str().len());
        let colo = self.colo.as_ref().map_or(0, |colo| colo.as_str().len());
        names.iter().sum::<usize>() + timezone + colo
    }

    /// The region as the log keeps it: `🇩🇪 Bavaria,Germany`, only the country
    /// if no region is known, empty if neither is.
    pub fn region_label(&self) -> String {
        match (&self.region, self.country) {
            (None, Some(country)) => format!("{} {}", country.flag(), country.english_name()),
            (region, country) => label(region.as_ref(), country),
        }
    }

    /// The city as the log keeps it: `🇩🇪 Munich,Germany`, empty if unknown.
    pub fn city_label(&self) -> String {
        label(self.city.as_ref(), self.country)
    }

    /// Fills the gaps from another source. If the two name different countries,
    /// it takes nothing from the other: one of them is wrong, so a mixture
    /// would be too.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        if let (Some(ours), Some(theirs)) = (self.country, other.country)
            && ours != theirs
        {
            return self;
        }
        Self {
            country: self.country.or(other.country),
            region: self.region.or(other.region),
            city: self.city.or(other.city),
            timezone: self.timezone.or(other.timezone),
            colo: self.colo.or(other.colo),
            coordinates: self.coordinates.or(other.coordinates),
        }
    }
}

fn label(name: Option<&PlaceName>, country: Option<Country>) -> String {
    match (name, country) {
        (None, _) => String::new(),
        (Some(name), None) => name.to_string(),
        // This runs twice per visit, and `format!` was measurably slower.
        (Some(name), Some(country)) => [
            &country.flag(),
            " ",
            name.as_str(),
            ",",
            country.english_name(),
        ]
        .concat(),
    }
}

/// The name of a region or a city: 1 to 64 bytes without control characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PlaceName(Box<str>);

text_form!(PlaceName: as_str, Display, FromStr<PlaceError>);

impl PlaceName {
    const MAX_BYTES: usize = 64;

    /// Like [`PlaceName::parse`]; `None` if the text has no such form. What visitors send often has none.
    pub fn new(text: &str) -> Option<Self> {
        Self::parse(text).ok()
    }

    /// Trims a name and cuts it at the bound.
    ///
    /// # Errors
    /// Nothing is left, or the name has control characters.
    pub fn parse(text: &str) -> Result<Self, PlaceError> {
        let text = text.trim();
        if text.is_empty() || text.contains(char::is_control) {
            return Err(PlaceError::Name);
        }
        let cut = &text[..text.floor_char_boundary(Self::MAX_BYTES)];
        Ok(Self(cut.trim_end().into()))
    }
}

/// The name of a time zone in the form of IANA's database, such as
/// `Europe/Berlin`. The database itself is not consulted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TimeZoneName(Box<str>);

text_form!(TimeZoneName: as_str, Display, FromStr<PlaceError>);

impl TimeZoneName {
    /// The longest name in the database has 30 bytes.
    const MAX_BYTES: usize = 40;

    /// Like [`TimeZoneName::parse`]; `None` if the text has no such form. What visitors send often has none.
    pub fn new(text: &str) -> Option<Self> {
        Self::parse(text).ok()
    }

    /// Trims and parses a name.
    ///
    /// # Errors
    /// The text does not have the form.
    pub fn parse(text: &str) -> Result<Self, PlaceError> {
        let text = text.trim();
        let part = |part: &str| {
            part.starts_with(|c: char| c.is_ascii_alphabetic())
                && part
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'+'))
        };
        if text.len() <= Self::MAX_BYTES && text.split('/').all(part) {
            Ok(Self(text.into()))
        } else {
            Err(PlaceError::TimeZone)
        }
    }
}

/// The code of a data centre, such as `FRA`: up to 8 letters and digits, in
/// upper case.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Colo(Box<str>);

text_form!(Colo: as_str, Display, FromStr<PlaceError>);

impl Colo {
    const MAX_BYTES: usize = 8;

    /// Like [`Colo::parse`]; `None` if the text has no such form. What visitors send often has none.
    pub fn new(text: &str) -> Option<Self> {
        Self::parse(text).ok()
    }

    /// Trims, upper-cases and parses a code.
    ///
    /// # Errors
    /// The text does not have the form.
    pub fn parse(text: &str) -> Result<Self, PlaceError> {
        let text = text.trim();
        let is_code = (1..=Self::MAX_BYTES).contains(&text.len())
            && text.bytes().all(|b| b.is_ascii_alphanumeric());
        if is_code {
            Ok(Self(text.to_ascii_uppercase().into()))
        } else {
            Err(PlaceError::Colo)
        }
    }
}

/// The reason why a text is no part of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PlaceError {
    /// It is not the name of a region or a city.
    #[error("the name of a place has 1 to 64 bytes and no control characters")]
    Name,
    /// It is not the name of a time zone.
    #[error("a time zone is a name such as Europe/Berlin")]
    TimeZone,
    /// It is not the code of a data centre.
    #[error("the code of a data centre has 1 to 8 letters and digits, such as FRA")]
    Colo,
}

/// A point on the map, rounded to a hundredth of a degree, about a kilometre,
/// so that it does not point at a visitor's house.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coordinates {
    latitude: f64,
    longitude: f64,
}

impl Coordinates {
    /// Rounds degrees to hundredths; `None` unless both are in range.
    pub fn new(latitude: f64, longitude: f64) -> Option<Self> {
        // Adding zero turns a negative zero into a positive one.
        let round = |degrees: f64| (degrees * 100.0).round() / 100.0 + 0.0;
        ((-90.0..=90.0).contains(&latitude) && (-180.0..=180.0).contains(&longitude)).then(|| {
            Self {
                latitude: round(latitude),
                longitude: round(longitude),
            }
        })
    }

    /// Degrees north, −90 to 90.
    pub fn latitude(self) -> f64 {
        self.latitude
    }

    /// Degrees east, −180 to 180.
    pub fn longitude(self) -> f64 {
        self.longitude
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::fixture::with;

    fn munich() -> Place {
        Place {
            country: Country::parse("DE").ok(),
            region: PlaceName::new("Bavaria"),
            city: PlaceName::new("Munich"),
            timezone: TimeZoneName::new("Europe/Berlin"),
            colo: None,
            coordinates: Coordinates::new(48.137_43, 11.575_49),
        }
    }

    #[test]
    fn labels_carry_flag_and_country() {
        assert_eq!(munich().region_label(), "🇩🇪 Bavaria,Germany");
        assert_eq!(munich().city_label(), "🇩🇪 Munich,Germany");
    }

    #[test]
    fn labels_leave_out_what_is_unknown() {
        let country = Place {
            country: Country::parse("DE").ok(),
            ..Place::default()
        };
        assert_eq!(country.region_label(), "🇩🇪 Germany");
        assert_eq!(country.city_label(), "");
        let nowhere = with(munich(), |it| it.country = None);
        assert_eq!(nowhere.region_label(), "Bavaria");
        assert_eq!(nowhere.city_label(), "Munich");
        assert_eq!(Place::default().region_label(), "");
        assert_eq!(Place::default().city_label(), "");
    }

    #[test]
    fn gaps_are_filled_unless_the_countries_differ() {
        let seen = |country| Place {
            country: Country::parse(country).ok(),
            colo: Colo::new("MUC"),
            ..Place::default()
        };
        let filled = with(munich(), |it| it.colo = Colo::new("MUC"));
        assert_eq!(seen("DE").or(munich()), filled);
        assert_eq!(seen("").or(munich()), filled);
        assert_eq!(seen("AT").or(munich()), seen("AT"));
    }

    #[rstest]
    #[case("  São Paulo ", Some("São Paulo"))]
    #[case("", None)]
    #[case("  ", None)]
    #[case("Mun\nich", None)]
    #[case("Mun\u{85}ich", None)]
    fn names_are_trimmed_and_free_of_control_characters(
        #[case] text: &str,
        #[case] name: Option<&str>,
    ) {
        assert_eq!(PlaceName::new(text).as_ref().map(PlaceName::as_str), name);
    }

    #[test]
    fn long_names_are_cut_between_characters() {
        let name = PlaceName::new(&"ü".repeat(40)).unwrap();
        assert_eq!(name.as_str(), "ü".repeat(32));
        let name = PlaceName::new(&format!("{} x", "a".repeat(63))).unwrap();
        assert_eq!(name.as_str(), "a".repeat(63));
    }

    #[rstest]
    #[case("Europe/Berlin", true)]
    #[case("America/Argentina/Buenos_Aires", true)]
    #[case("Etc/GMT+10", true)]
    #[case("UTC", true)]
    #[case("", false)]
    #[case("Europe/", false)]
    #[case("../etc/passwd", false)]
    #[case("Europe Berlin", false)]
    #[case("Aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false)]
    fn time_zones_have_the_form_of_iana_names(#[case] text: &str, #[case] taken: bool) {
        assert_eq!(TimeZoneName::new(text).is_some(), taken);
    }

    #[rstest]
    #[case("fra", Some("FRA"))]
    #[case("FRA56", Some("FRA56"))]
    #[case("", None)]
    #[case("FRA-1", None)]
    #[case("ABCDEFGHI", None)]
    fn colos_are_short_codes(#[case] text: &str, #[case] code: Option<&str>) {
        assert_eq!(Colo::new(text).as_ref().map(Colo::as_str), code);
    }

    #[test]
    fn coordinates_are_rounded_to_hundredths() {
        let munich = munich().coordinates.unwrap();
        assert_eq!((munich.latitude(), munich.longitude()), (48.14, 11.58));
        let greenwich = Coordinates::new(51.477_8, -0.001).unwrap();
        assert!(greenwich.longitude().is_sign_positive());
    }

    #[rstest]
    #[case(90.1, 0.0)]
    #[case(0.0, -180.1)]
    #[case(f64::NAN, 0.0)]
    #[case(0.0, f64::INFINITY)]
    fn points_off_the_map_are_none(#[case] latitude: f64, #[case] longitude: f64) {
        assert_eq!(Coordinates::new(latitude, longitude), None);
    }
}
