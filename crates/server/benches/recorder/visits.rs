//! The visits of a busy site.
//!
//! A quarter of a year with clock changes in Europe and America, and less traffic at night and
//! on weekends; 20,000 links of which few are followed often; 3,000 places in all countries;
//! 400 programs, 60 languages; 5,000 referring hosts and as many visits without one; 2,000,000
//! addresses, some of which return often. The engine was chosen by measurements on this shape
//! of traffic.

use std::{
    net::{IpAddr, Ipv4Addr},
    sync::Arc,
};

use slugline_domain::{
    Colo, Coordinates, Country, Link, Place, PlaceName, TimeZoneName, UnixMillis, UnixSeconds,
    Visit, VisitHeaders,
};
use slugline_testkit::link;

/// The number of days that the visits are spread over.
pub(crate) const DAYS: i64 = 90;

/// The end of the last day: 2025-11-08 00:00 UTC.
pub(crate) const END: UnixSeconds = match UnixSeconds::new(1_762_560_000) {
    Ok(moment) => moment,
    Err(_) => panic!("the moment is in range"),
};

const LINKS: u32 = 20_000;
const PLACES: u32 = 3_000;
const REFERERS: u32 = 5_000;
const ADDRESSES: u32 = 2_000_000;

/// Visits at each hour of the day, UTC, as parts of the busiest hour's.
const BY_HOUR: [f64; 24] = [
    0.45, 0.36, 0.30, 0.26, 0.25, 0.28, 0.36, 0.48, 0.62, 0.74, 0.82, 0.88, 0.92, 0.96, 1.0, 1.0,
    0.98, 0.95, 0.93, 0.92, 0.88, 0.80, 0.70, 0.57,
];

/// The visits of a weekend day, as a part of another day's.
const WEEKEND: f64 = 0.7;

/// The visits, in order of time.
pub(crate) struct Visits {
    /// For each hour, its beginning and the number of visits still to make.
    hours: std::vec::IntoIter<(i64, u32)>,
    /// The current hour: its beginning, all its visits and those made so far.
    hour: (i64, u32, u32),
    dice: Dice,
    links: Vec<Arc<Link>>,
    places: Vec<Place>,
    agents: Vec<Box<str>>,
    languages: Vec<Box<str>>,
    referers: Vec<Box<str>>,
}

impl Visits {
    pub(crate) fn new(count: u32) -> Self {
        let mut dice = Dice(0);
        Self {
            hours: hours(count).into_iter(),
            hour: (0, 0, 0),
            links: (0..LINKS).map(some_link).collect(),
            places: places(&mut dice),
            agents: agents(),
            languages: languages(),
            referers: (0..REFERERS)
                .map(|n| format!("https://site-{n}.example/page").into())
                .collect(),
            dice,
        }
    }
}

impl Iterator for Visits {
    type Item = Visit;

    fn next(&mut self) -> Option<Visit> {
        while self.hour.2 == self.hour.1 {
            let (start, visits) = self.hours.next()?;
            self.hour = (start, visits, 0);
        }
        let (start, visits, so_far) = self.hour;
        self.hour.2 += 1;
        let at = start + i64::from(so_far) * 3_600_000 / i64::from(visits);

        let dice = &mut self.dice;
        let address = 0x0b00_0000 + dice.skewed(ADDRESSES, 0.6);
        // A visitor keeps place, program and language.
        let mut visitor = Dice(u64::from(address));
        let place = visitor.pick(&self.places, 0.8).clone();
        let user_agent = visitor.pick(&self.agents, 0.9).clone();
        let accept_language = visitor.pick(&self.languages, 1.1).clone();
        let referer = match dice.unit() {
            none if none < 0.45 => "".into(),
            _ => dice.pick(&self.referers, 1.05).clone(),
        };
        Some(Visit {
            at: UnixMillis::new(at),
            link: Arc::clone(dice.pick(&self.links, 1.05)),
            client: IpAddr::V4(Ipv4Addr::from_bits(address)),
            headers: VisitHeaders::new(&user_agent, &referer, &accept_language),
            place: Some(Box::new(place)),
        })
    }
}

/// Every hour with its number of visits, so that all together are `count`.
fn hours(count: u32) -> Vec<(i64, u32)> {
    let first = END.get() / 3_600 - DAYS * 24;
    let weight = |hour: i64| {
        // 1970 began on a Thursday.
        let is_weekend = matches!((hour / 24).rem_euclid(7), 2 | 3);
        let of_day = usize::try_from(hour.rem_euclid(24)).map_or(1.0, |hour| BY_HOUR[hour]);
        of_day * if is_weekend { WEEKEND } else { 1.0 }
    };
    let all: f64 = (0..DAYS * 24).map(|n| weight(first + n)).sum();
    let (mut sum, mut given) = (0.0, 0);
    (0..DAYS * 24)
        .map(|n| {
            sum += weight(first + n);
            let due = whole(f64::from(count) * sum / all).min(count);
            let visits = due - given;
            given = due;
            ((first + n) * 3_600_000, visits)
        })
        .collect()
}

fn some_link(n: u32) -> Arc<Link> {
    let id = format!("0199f3a2-7c1e-7000-8000-{n:012x}");
    let url = format!("https://shop.example/products/{n}?campaign=autumn");
    Arc::new(link(&format!("link-{n}")).id(&id).to(&url).build())
}

fn places(dice: &mut Dice) -> Vec<Place> {
    let letters = 'A'..='Z';
    let countries: Vec<Country> = letters
        .clone()
        .flat_map(|first| letters.clone().map(move |second| [first, second]))
        .filter_map(|code| Country::parse(&code.iter().collect::<String>()).ok())
        .collect();
    (0..PLACES)
        .map(|n| Place {
            country: Some(*dice.pick(&countries, 0.9)),
            region: PlaceName::new(&format!("Region {}", n / 5)),
            city: PlaceName::new(&format!("City {n}")),
            timezone: TimeZoneName::new(
                ["Europe/Berlin", "America/New_York", "Asia/Kolkata"][index(n % 3)],
            ),
            colo: Colo::new(["FRA", "JFK", "BOM", "SIN"][index(n % 4)]),
            coordinates: Coordinates::new(dice.unit() * 140.0 - 70.0, dice.unit() * 360.0 - 180.0),
        })
        .collect()
}

fn agents() -> Vec<Box<str>> {
    let systems = [
        "Windows NT 10.0; Win64; x64",
        "Macintosh; Intel Mac OS X 10_15_7",
        "X11; Linux x86_64",
        "Linux; Android 10; K",
    ];
    let chromes = (100..140).flat_map(|version| {
        systems.map(|system| {
            format!(
                "Mozilla/5.0 ({system}) AppleWebKit/537.36 (KHTML, like Gecko) \
                 Chrome/{version}.0.0.0 Safari/537.36"
            )
        })
    });
    let iphones = (0..100).map(|n| {
        format!(
            "Mozilla/5.0 (iPhone; CPU iPhone OS 1{}_{} like Mac OS X) AppleWebKit/605.1.15 \
             (KHTML, like Gecko) Version/1{}.{} Mobile/15E148 Safari/604.1",
            n / 10 % 9,
            n % 10,
            n / 10 % 9,
            n % 10
        )
    });
    let firefoxes = (60..140)
        .map(|n| format!("Mozilla/5.0 (X11; Linux x86_64; rv:{n}.0) Gecko/20100101 Firefox/{n}.0"));
    let programs = (0..60).map(|n| format!("curl/8.{n}.0"));
    chromes
        .chain(iphones)
        .chain(firefoxes)
        .chain(programs)
        .map(String::into_boxed_str)
        .collect()
}

fn languages() -> Vec<Box<str>> {
    let main = ["en", "de", "fr", "es", "hi", "pt", "ja", "it", "nl", "pl"];
    let regions = ["US", "GB", "DE", "FR", "IN", "BR"];
    regions
        .iter()
        .flat_map(|region| main.map(|main| format!("{main}-{region},{main};q=0.9").into()))
        .collect()
}

/// Random numbers that repeat with the seed: the generator `SplitMix64`
/// (Steele, Lea, Flood 2014).
struct Dice(u64);

impl Dice {
    /// A number from 0 to just below 1.
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let high = u32::try_from(mixed >> 32).expect("a shift leaves 32 bits");
        f64::from(high) / 4_294_967_296.0
    }

    /// A number from 0 to just below `end`, small ones more often: n has a
    /// probability of about 1/n to the power of `exponent`, which is not 1.
    fn skewed(&mut self, end: u32, exponent: f64) -> u32 {
        let power = 1.0 - exponent;
        let span = (f64::from(end) + 1.0).powf(power) - 1.0;
        let drawn = (1.0 + self.unit() * span).powf(1.0 / power) - 1.0;
        whole(drawn).min(end - 1)
    }

    fn pick<'a, T>(&mut self, items: &'a [T], exponent: f64) -> &'a T {
        let length = u32::try_from(items.len()).expect("lists are short");
        &items[index(self.skewed(length, exponent))]
    }
}

#[expect(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "no other conversion from a float exists, and this one saturates"
)]
fn whole(number: f64) -> u32 {
    number as u32
}

fn index(n: u32) -> usize {
    usize::try_from(n).expect("32 bits fit a pointer's size")
}
