//! Visits like those of a busy site, for measurements.
//!
//! They fill a quarter of a year, fewer at night. One link gets half of all, the others follow Zipf's
//! law. People return, share addresses and change them; a fifth of the visits are by bots. Programs,
//! pages that refer, cities and campaigns have long tails, as in real logs. The same number of visits
//! always gives the same visits.

use std::{
    f64::consts::TAU,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    sync::Arc,
};

use slugline_domain::{
    Coordinates, Country, FollowedLink, Place, PlaceName, SplitMix64, TimeZoneName, UnixMillis,
    UnixSeconds, Visit, VisitHeaders, Way,
};

use crate::link;

/// The days that the visits are spread over.
pub const DAYS: u32 = 90;

/// The end of the last day: 2025-11-08 00:00 UTC.
pub const END: UnixSeconds = match UnixSeconds::new(1_762_560_000) {
    Ok(moment) => moment,
    Err(_) => panic!("the moment is in range"),
};

const LINKS: u32 = 20_000;
const CITIES: u32 = 33_000;
const CAMPAIGNS: u32 = 4_000;

/// The visits, in order of time.
#[derive(Debug)]
pub struct Visits {
    made: u32,
    count: u32,
    dice: Dice,
    links: Vec<Arc<FollowedLink>>,
    cities: Vec<Place>,
}

impl Visits {
    /// So many visits.
    pub fn new(count: u32) -> Self {
        Self {
            made: 0,
            count,
            dice: Dice(SplitMix64::seeded(0)),
            links: (0..LINKS).map(linked).collect(),
            cities: (0..CITIES).map(city).collect(),
        }
    }

    /// The next moment. Each has its own part of the time, so they are in order.
    fn moment(&mut self) -> UnixMillis {
        let part = (f64::from(self.made) + self.dice.unit()) / f64::from(self.count);
        let days = part * f64::from(DAYS);
        let (day, hour) = (days.floor(), days.fract());
        // A night has a fifth of the visits that a day has.
        let hour = hour - 0.67 * (TAU * hour).sin() / TAU;
        let ago = (f64::from(DAYS) - day - hour) * 86_400_000.0;
        UnixMillis::new(END.get() * 1_000 - 1 - i64::from(whole(ago / 1_000.0)) * 1_000)
    }

    fn by_person(&mut self, week: u32) -> (VisitHeaders, IpAddr, &Place) {
        let dice = &mut self.dice;
        let person = dice.skewed(self.count / 5 + 5_000, 0.55);
        // All visits of a person throw these alike.
        let mut taste = Dice::of(1, person);
        let place = &self.cities[index(taste.skewed(CITIES, 0.8))];
        let is_phone = taste.unit() < 0.6;
        let site = match dice.unit() {
            draw if draw < 0.35 => format!("https://{}/", SITES[index(dice.skewed(12, 0.6))]),
            draw if draw < 0.5 => {
                format!("https://www.{}.example/", word(dice.skewed(60_000, 0.9)))
            }
            _ => String::new(),
        };
        let country = place.country.as_ref().map_or("US", Country::as_str);
        let language = format!("{}-{country},en;q=0.8", country.to_ascii_lowercase());
        let program = program(is_phone, week, &mut taste);
        let mut headers = VisitHeaders::new(&program, &site, &language);
        if dice.unit() < 0.12 {
            let campaign = (dice.skewed(CAMPAIGNS, 0.9) + week * 35) % CAMPAIGNS;
            let (site, name) = (SITES[index(campaign % 12)], word(campaign * 17));
            let query = format!("utm_source={site}&utm_medium=social&utm_campaign={name}");
            headers = headers.with_query(&query);
        }
        let draw = taste.unit();
        // Telephones of a network share addresses and change them, as do people of a company.
        let mut host = match draw {
            _ if is_phone && draw < 0.6 => Dice::of(2, person % 997 + self.made / 4_096),
            _ if draw < 0.25 => Dice::of(3, person / 30),
            _ => Dice::of(4, person),
        };
        let address = match draw {
            _ if draw < 0.85 => Ipv4Addr::from_bits(host.half()).into(),
            _ => Ipv6Addr::from_bits(0x2a00 << 112 | u128::from(host.half()) << 64 | 1).into(),
        };
        (headers, address, place)
    }

    fn by_bot(&mut self) -> (VisitHeaders, IpAddr, &Place) {
        let dice = &mut self.dice;
        let n = dice.skewed(600, 0.9);
        let (name, version) = (word(n * 131), n % 17);
        let program = match n {
            0..20 => BOTS[index(n % 10)].to_owned(),
            _ if n.is_multiple_of(4) => format!("curl/8.{version}.{}", n % 7),
            _ if n % 4 == 1 => format!("python-requests/2.{version}.0"),
            _ => {
                format!("Mozilla/5.0 (compatible; {name}Bot/1.{version}; +https://{name}.example)")
            }
        };
        let network = Dice::of(5, n).half() & 0xffff_f000;
        let address = Ipv4Addr::from_bits(network + dice.skewed(4_096, 0.5)).into();
        let place = &self.cities[index(dice.below(40))];
        (VisitHeaders::new(&program, "", ""), address, place)
    }
}

impl Iterator for Visits {
    type Item = Visit;

    fn next(&mut self) -> Option<Visit> {
        if self.made == self.count {
            return None;
        }
        let at = self.moment();
        let week = self.made / (self.count / (DAYS / 7) + 1);
        self.made += 1;
        let link = match self.dice.unit() {
            draw if draw < 0.5 => 0,
            _ => 1 + self.dice.skewed(LINKS - 1, 1.05),
        };
        let link = Arc::clone(&self.links[index(link)]);
        let (headers, client, place) = match self.dice.unit() {
            draw if draw < 0.25 => self.by_bot(),
            _ => self.by_person(week),
        };
        let place = Some(Box::new(place.clone()));
        Some(Visit {
            at,
            link,
            client,
            headers,
            place,
            way: Way::Main,
        })
    }
}

/// Sites that send many visitors, the first ones most.
const SITES: [&str; 12] = [
    "www.google.com",
    "l.facebook.com",
    "t.co",
    "www.youtube.com",
    "l.instagram.com",
    "www.bing.com",
    "chatgpt.com",
    "www.linkedin.com",
    "www.reddit.com",
    "duckduckgo.com",
    "mail.google.com",
    "news.ycombinator.com",
];

/// Programs that crawl the web, and those that fetch a page because a person mentioned it.
const BOTS: [&str; 10] = [
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
    "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)",
    "TelegramBot (like TwitterBot)",
    "Mozilla/5.0 (compatible; SemrushBot/7~bl; +http://www.semrush.com/bot.html)",
    "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
    "CCBot/2.0 (https://commoncrawl.org/faq/)",
    "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)",
    "Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)",
    "Twitterbot/1.0",
];

/// Countries with an hour's zone and a place in each, those with most visitors first.
const COUNTRIES: [(&str, &str, f64, f64); 16] = [
    ("US", "America/New_York", 40.0, -80.0),
    ("IN", "Asia/Kolkata", 22.0, 78.0),
    ("BR", "America/Sao_Paulo", -15.0, -48.0),
    ("DE", "Europe/Berlin", 51.0, 10.0),
    ("GB", "Europe/London", 53.0, -1.5),
    ("JP", "Asia/Tokyo", 36.0, 138.0),
    ("FR", "Europe/Paris", 47.0, 2.5),
    ("MX", "America/Mexico_City", 20.0, -100.0),
    ("ID", "Asia/Jakarta", -6.5, 107.0),
    ("PL", "Europe/Warsaw", 52.0, 19.0),
    ("NG", "Africa/Lagos", 8.0, 6.0),
    ("CA", "America/Toronto", 44.0, -79.0),
    ("AU", "Australia/Sydney", -33.0, 150.0),
    ("TR", "Europe/Istanbul", 40.0, 30.0),
    ("KR", "Asia/Seoul", 37.0, 127.5),
    ("VN", "Asia/Ho_Chi_Minh", 11.0, 106.5),
];

fn city(n: u32) -> Place {
    let mut dice = Dice::of(6, n);
    let country = dice.skewed(16, 0.7);
    let (code, zone, latitude, longitude) = COUNTRIES[index(country)];
    Place {
        country: Country::parse(code).ok(),
        region: PlaceName::new(&word(country * 100 + n % 25)),
        city: PlaceName::new(&word(n)),
        timezone: TimeZoneName::new(zone),
        colo: None,
        coordinates: Coordinates::new(latitude + 6.0 * dice.unit(), longitude + 6.0 * dice.unit()),
    }
}

/// One link in forty asks for a password.
fn linked(n: u32) -> Arc<FollowedLink> {
    let id = format!("0199f3a2-7c1e-7000-8000-{n:012x}");
    let url = format!("https://shop.example/products/{n}?campaign=autumn");
    let link = link(&format!("link-{n}")).id(&id).to(&url);
    match n % 40 {
        7 => link.password("$argon2id$v=19$stored").followed(),
        _ => link.followed(),
    }
}

/// A browser, or an app with one inside. Most people follow the newest version.
fn program(is_phone: bool, week: u32, taste: &mut Dice) -> String {
    let version = 137 + week / 4 - taste.skewed(40, 1.2);
    let build = taste.skewed(3_000, 0.9);
    let webkit = "AppleWebKit/537.36 (KHTML, like Gecko)";
    match (is_phone, taste.unit()) {
        (false, draw) if draw < 0.7 => format!(
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) {webkit} Chrome/{version}.0.0.0 Safari/537.36"
        ),
        (false, _) => format!(
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) \
             Version/{}.{} Safari/605.1.15",
            version / 8,
            version % 8
        ),
        (true, draw) if draw < 0.4 => format!(
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_{} like Mac OS X) AppleWebKit/605.1.15 (KHTML, like \
             Gecko) Version/18.{} Mobile/15E148 Safari/604.1",
            version % 8,
            version % 8
        ),
        (true, draw) if draw < 0.7 => format!(
            "Mozilla/5.0 (Linux; Android 14; {} {build}) {webkit} Chrome/{version}.0.0.0 Mobile \
             Safari/537.36",
            word(build)
        ),
        (true, _) => format!(
            "Mozilla/5.0 (Linux; Android 14; {} {build}; wv) {webkit} Version/4.0 Chrome/{version}.0.\
             {}.{} Mobile Safari/537.36 Instagram {}.0.0.{} Android",
            word(build),
            5_000 + build,
            taste.below(200),
            280 + build % 90,
            taste.below(60)
        ),
    }
}

/// A name of two to four syllables, another for each number.
fn word(n: u32) -> String {
    const SYLLABLES: [&str; 16] = [
        "ka", "lo", "mir", "ten", "va", "sor", "bel", "ni", "dra", "po", "zen", "tu", "ra", "gil",
        "mo", "sha",
    ];
    let (mut left, mut word) = (n + 16, String::new());
    while left > 0 {
        word += SYLLABLES[index(left % 16)];
        left /= 16;
    }
    word
}

/// Random numbers that repeat with the seed.
#[derive(Clone, Debug)]
struct Dice(SplitMix64);

impl Dice {
    /// The dice of one of many things of a kind.
    fn of(kind: u64, n: u32) -> Self {
        let seed = SplitMix64::seeded(kind << 32 | u64::from(n)).draw();
        Self(SplitMix64::seeded(seed))
    }

    fn half(&mut self) -> u32 {
        u32::try_from(self.0.draw() >> 32).expect("a shift leaves 32 bits")
    }

    /// A number from 0 to just below 1.
    fn unit(&mut self) -> f64 {
        f64::from(self.half()) / 4_294_967_296.0
    }

    fn below(&mut self, end: u32) -> u32 {
        whole(self.unit() * f64::from(end)).min(end - 1)
    }

    /// A number from 0 to just below `end` by Zipf's law: n has a probability of about 1/n to the
    /// power of `exponent`, which is not 1.
    fn skewed(&mut self, end: u32, exponent: f64) -> u32 {
        let power = 1.0 - exponent;
        let span = (f64::from(end) + 1.0).powf(power) - 1.0;
        let drawn = (1.0 + self.unit() * span).powf(1.0 / power) - 1.0;
        whole(drawn).min(end - 1)
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

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use super::*;

    #[test]
    fn same_number_of_visits_gives_the_same_visits_in_order_of_time() {
        let facts = || Visits::new(3_000).map(|visit| format!("{visit:?}"));
        assert!(facts().eq(facts()));
        let moments: Vec<i64> = Visits::new(3_000).map(|visit| visit.at.get()).collect();
        assert!(moments.is_sorted() && moments.len() == 3_000);
        let first = END.start().get() - i64::from(DAYS) * 86_400_000;
        assert!((first..first + 3_600_000).contains(&moments[0]));
        assert!((first..END.start().get()).contains(&moments[2_999]));
    }

    #[test]
    fn visits_have_the_shape_of_a_busy_site() {
        const VISITS: u32 = 50_000;
        let (mut links, mut programs) = (HashMap::new(), HashSet::new());
        let (mut cities, mut addresses) = (HashSet::new(), HashSet::new());
        let [mut referred, mut bots, mut of_campaigns] = [0; 3];
        for visit in Visits::new(VISITS) {
            *links.entry(visit.link.slug().to_owned()).or_insert(0_u32) += 1;
            programs.insert(visit.headers.user_agent().to_owned());
            cities.insert(visit.place.unwrap().city);
            addresses.insert(visit.client);
            referred += u32::from(!visit.headers.referer().is_empty());
            bots += u32::from(visit.headers.accept_language().is_empty());
            of_campaigns += u32::from(visit.headers.campaign_query().contains("utm_campaign="));
        }
        for (what, seen, expected) in [
            ("busiest link", links["link-0"], 0.5),
            ("bots", bots, 0.25),
            ("referred", referred, 0.375),
            ("campaigns", of_campaigns, 0.09),
            ("programs", u32::try_from(programs.len()).unwrap(), 0.15),
            ("cities", u32::try_from(cities.len()).unwrap(), 0.2),
            ("links", u32::try_from(links.len()).unwrap(), 0.1),
            ("addresses", u32::try_from(addresses.len()).unwrap(), 0.4),
        ] {
            let part = f64::from(seen) / f64::from(VISITS);
            let near = if expected < 0.3 { 0.4 } else { 0.03 };
            assert!((part / expected - 1.0).abs() < near, "{what}: {part}");
        }
    }
}
