//! Cities.

use slugline_domain::{Colo, Coordinates, Country, Place, PlaceName, TimeZoneName};

use super::{
    areas::AREAS,
    dice::{Dice, whole},
    words::word,
};

/// Roughly the number of all cities.
const CITIES: f64 = 33_000.0;

/// Zones with many servers, those with most first.
const SERVERS: [&str; 12] = [
    "America/New_York",
    "America/Los_Angeles",
    "Europe/Dublin",
    "Europe/Berlin",
    "America/Chicago",
    "Asia/Singapore",
    "Europe/Paris",
    "Europe/Amsterdam",
    "Asia/Tokyo",
    "Europe/Moscow",
    "Asia/Shanghai",
    "Europe/Helsinki",
];

/// All cities.
#[derive(Debug)]
pub(super) struct Cities {
    /// Those of each area, the largest first.
    of_areas: Vec<Vec<Place>>,
    /// The areas of [`SERVERS`].
    with_servers: Vec<usize>,
}

impl Cities {
    pub(super) fn new(dice: &mut Dice) -> Self {
        // Large countries have more cities, but not as many more as they have people.
        let weight = |people: u32| f64::from(people).powf(0.65);
        let all: f64 = AREAS.iter().map(|area| weight(area.people)).sum();
        let mut names = 0;
        let cities = AREAS.iter().map(|area| {
            let cities = whole(weight(area.people) / all * CITIES) + 1;
            let spread = 0.5 + f64::from(cities).sqrt() / 5.0;
            let country = Country::parse(area.country).expect("codes are valid");
            let last = area.zone.rsplit(['/', '_']).next().unwrap_or_default();
            let colo = Colo::new(&last[..last.len().min(3)]);
            let city = |n: u32| Place {
                country: Some(country),
                region: PlaceName::new(&word(names + n / 25 * 25 + 7)),
                city: PlaceName::new(&word(names + n)),
                timezone: TimeZoneName::new(area.zone),
                colo: colo.clone(),
                coordinates: Coordinates::new(
                    (area.latitude + dice.between(-spread, spread)).clamp(-89.0, 89.0),
                    (area.longitude + dice.between(-spread, spread)).clamp(-179.0, 179.0),
                ),
            };
            let cities_of_area: Vec<Place> = (0..cities).map(city).collect();
            names += cities;
            cities_of_area
        });
        let area_of = |zone: &&str| AREAS.iter().position(|area| area.zone == *zone);
        Self {
            of_areas: cities.collect(),
            with_servers: SERVERS.iter().filter_map(area_of).collect(),
        }
    }

    /// The city of a resident of an area.
    pub(super) fn of_resident(&self, area: usize, dice: &mut Dice) -> &Place {
        dice.pick(&self.of_areas[area], 0.8)
    }

    /// The city of a server, in one of the countries that have most of them.
    pub(super) fn with_servers(&self, dice: &mut Dice) -> &Place {
        let area = dice.pick(&self.with_servers, 0.9);
        let cities = &self.of_areas[*area];
        dice.any(&cities[..cities.len().min(4)])
    }
}
