//! The visitors: people and programs, with their places and devices.

use std::net::{IpAddr, Ipv4Addr};

use slugline_domain::{Coordinates, Country, Place, PlaceName, TimeZoneName};

use super::chance::Chance;

/// A visitor, who may return.
#[derive(Clone, Debug)]
pub(super) struct Person {
    pub(super) place: Option<Place>,
    pub(super) address: IpAddr,
    pub(super) user_agent: &'static str,
    pub(super) languages: &'static str,
    /// The hours by which the local clock is ahead of UTC, in summer.
    pub(super) ahead: i64,
}

struct City {
    name: &'static str,
    region: &'static str,
    country: &'static str,
    zone: &'static str,
    at: (f64, f64),
    ahead: i64,
    languages: &'static str,
    weight: u32,
}

#[rustfmt::skip]
const CITIES: [City; 24] = [
    City { name: "Berlin", region: "Berlin", country: "DE", zone: "Europe/Berlin", at: (52.52, 13.40), ahead: 2, languages: "de-DE,de;q=0.9,en;q=0.8", weight: 150 },
    City { name: "Munich", region: "Bavaria", country: "DE", zone: "Europe/Berlin", at: (48.14, 11.58), ahead: 2, languages: "de-DE,de;q=0.9", weight: 70 },
    City { name: "Vienna", region: "Vienna", country: "AT", zone: "Europe/Vienna", at: (48.21, 16.37), ahead: 2, languages: "de-AT,de;q=0.9", weight: 40 },
    City { name: "Zurich", region: "Zurich", country: "CH", zone: "Europe/Zurich", at: (47.38, 8.54), ahead: 2, languages: "de-CH,de;q=0.9", weight: 35 },
    City { name: "Paris", region: "Île-de-France", country: "FR", zone: "Europe/Paris", at: (48.86, 2.35), ahead: 2, languages: "fr-FR,fr;q=0.9", weight: 80 },
    City { name: "Amsterdam", region: "North Holland", country: "NL", zone: "Europe/Amsterdam", at: (52.37, 4.90), ahead: 2, languages: "nl-NL,nl;q=0.9,en;q=0.8", weight: 55 },
    City { name: "London", region: "England", country: "GB", zone: "Europe/London", at: (51.51, -0.13), ahead: 1, languages: "en-GB,en;q=0.9", weight: 95 },
    City { name: "Dublin", region: "Leinster", country: "IE", zone: "Europe/Dublin", at: (53.35, -6.26), ahead: 1, languages: "en-IE,en;q=0.9", weight: 18 },
    City { name: "Madrid", region: "Madrid", country: "ES", zone: "Europe/Madrid", at: (40.42, -3.70), ahead: 2, languages: "es-ES,es;q=0.9", weight: 38 },
    City { name: "Milan", region: "Lombardy", country: "IT", zone: "Europe/Rome", at: (45.46, 9.19), ahead: 2, languages: "it-IT,it;q=0.9", weight: 36 },
    City { name: "Warsaw", region: "Mazovia", country: "PL", zone: "Europe/Warsaw", at: (52.23, 21.01), ahead: 2, languages: "pl-PL,pl;q=0.9", weight: 30 },
    City { name: "Stockholm", region: "Stockholm", country: "SE", zone: "Europe/Stockholm", at: (59.33, 18.07), ahead: 2, languages: "sv-SE,sv;q=0.9,en;q=0.8", weight: 28 },
    City { name: "New York", region: "New York", country: "US", zone: "America/New_York", at: (40.71, -74.01), ahead: -4, languages: "en-US,en;q=0.9", weight: 110 },
    City { name: "San Francisco", region: "California", country: "US", zone: "America/Los_Angeles", at: (37.77, -122.42), ahead: -7, languages: "en-US,en;q=0.9", weight: 90 },
    City { name: "Austin", region: "Texas", country: "US", zone: "America/Chicago", at: (30.27, -97.74), ahead: -5, languages: "en-US,en;q=0.9,es;q=0.5", weight: 45 },
    City { name: "Toronto", region: "Ontario", country: "CA", zone: "America/Toronto", at: (43.65, -79.38), ahead: -4, languages: "en-CA,en;q=0.9", weight: 40 },
    City { name: "São Paulo", region: "São Paulo", country: "BR", zone: "America/Sao_Paulo", at: (-23.55, -46.63), ahead: -3, languages: "pt-BR,pt;q=0.9", weight: 48 },
    City { name: "Bengaluru", region: "Karnataka", country: "IN", zone: "Asia/Kolkata", at: (12.97, 77.59), ahead: 5, languages: "en-IN,en;q=0.9,hi;q=0.7", weight: 65 },
    City { name: "Singapore", region: "", country: "SG", zone: "Asia/Singapore", at: (1.35, 103.82), ahead: 8, languages: "en-SG,en;q=0.9,zh;q=0.8", weight: 30 },
    City { name: "Jakarta", region: "Jakarta", country: "ID", zone: "Asia/Jakarta", at: (-6.21, 106.85), ahead: 7, languages: "id-ID,id;q=0.9", weight: 26 },
    City { name: "Tokyo", region: "Tokyo", country: "JP", zone: "Asia/Tokyo", at: (35.68, 139.69), ahead: 9, languages: "ja-JP,ja;q=0.9", weight: 42 },
    City { name: "Ho Chi Minh City", region: "", country: "VN", zone: "Asia/Ho_Chi_Minh", at: (10.82, 106.63), ahead: 7, languages: "vi-VN,vi;q=0.9", weight: 20 },
    City { name: "Sydney", region: "New South Wales", country: "AU", zone: "Australia/Sydney", at: (-33.87, 151.21), ahead: 10, languages: "en-AU,en;q=0.9", weight: 34 },
    City { name: "Cape Town", region: "Western Cape", country: "ZA", zone: "Africa/Johannesburg", at: (-33.92, 18.42), ahead: 2, languages: "en-ZA,en;q=0.9", weight: 14 },
];

#[rustfmt::skip]
const PROGRAMS: [(u32, &str); 13] = [
    (300, "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36"),
    (190, "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1"),
    (150, "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36"),
    (120, "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15"),
    (90, "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36"),
    (70, "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0"),
    (45, "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"),
    (60, "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0"),
    (35, "Mozilla/5.0 (Linux; Android 15; SM-S928B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36"),
    (22, "Mozilla/5.0 (iPad; CPU OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1"),
    (20, "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"),
    (12, "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/136.0.0.0 Safari/537.36"),
    (10, "curl/8.14.1"),
];

impl Person {
    pub(super) fn drawn(chance: &mut Chance) -> Self {
        let city = chance.weighted(&CITIES, |city| city.weight);
        let (_, user_agent) = chance.weighted(&PROGRAMS, |(weight, _)| *weight);
        let byte = |chance: &mut Chance| u8::try_from(chance.below(254) + 1).unwrap_or(1);
        Self {
            // The list of places lacks some addresses.
            place: (!chance.percent(3)).then(|| place(city)),
            address: Ipv4Addr::new(10, byte(chance), byte(chance), byte(chance)).into(),
            user_agent,
            languages: city.languages,
            ahead: city.ahead,
        }
    }
}

fn place(city: &City) -> Place {
    Place {
        country: Country::parse(city.country).ok(),
        region: PlaceName::new(city.region),
        city: PlaceName::new(city.name),
        timezone: TimeZoneName::new(city.zone),
        colo: None,
        coordinates: Coordinates::new(city.at.0, city.at.1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_city_is_a_whole_place() {
        for city in &CITIES {
            let place = place(city);
            assert!(place.country.is_some(), "{}", city.name);
            assert!(place.timezone.is_some(), "{}", city.name);
            assert!(place.coordinates.is_some(), "{}", city.name);
        }
    }
}
