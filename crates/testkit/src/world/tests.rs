//! The shape of the visits.

use std::{
    collections::{HashMap, HashSet},
    net::IpAddr,
};

use super::*;

/// The facts of a visit that a test compares.
fn facts(visit: &Visit) -> String {
    format!(
        "{} {} {} {:?} {:?}",
        visit.at.get(),
        visit.link.slug(),
        visit.client,
        visit.headers,
        visit.place
    )
}

#[test]
fn same_number_of_visits_gives_the_same_visits_in_order_of_time() {
    let [first, second] = [0, 1].map(|_| Visits::new(3_000).map(|visit| facts(&visit)));
    assert!(first.eq(second));
    let moments: Vec<i64> = Visits::new(3_000).map(|visit| visit.at.get()).collect();
    assert_eq!(moments.len(), 3_000);
    assert!(moments.is_sorted());
    assert!(*moments.last().unwrap() < END.start().get());
    let first_day = END.start().get() - i64::from(DAYS) * 86_400_000;
    assert!((first_day..first_day + 3_600_000).contains(&moments[0]));
}

/// A million take half a minute without optimisation.
const VISITS: u32 = 200_000;

/// What the visits of one site have.
#[derive(Debug, Default)]
struct Seen {
    agents: HashMap<String, u32>,
    hosts: HashSet<String>,
    cities: HashSet<String>,
    countries: HashSet<String>,
    links: HashMap<String, u32>,
    addresses: HashMap<IpAddr, u32>,
    with_referer: u32,
    of_campaigns: u32,
    with_password: u32,
    of_robots: u32,
    /// Visits of one link in one hour.
    in_an_hour: HashMap<(String, i64), u32>,
    /// People in India and in the east of America by the hour of UTC.
    by_hour: [[u32; 24]; 2],
    on_weekdays: u32,
}

fn seen() -> Seen {
    let mut seen = Seen::default();
    for visit in Visits::new(VISITS) {
        let hour = visit.at.get() / 3_600_000;
        let slug = visit.link.slug().to_owned();
        let place = visit.place.unwrap();
        let country = place.country.unwrap().as_str().to_owned();
        let of_day = usize::try_from(hour % 24).unwrap();
        // Robots name no language.
        if visit.headers.accept_language().is_empty() {
            seen.of_robots += 1;
        } else if country == "IN" {
            seen.by_hour[0][of_day] += 1;
        } else if place.timezone.unwrap().as_str() == "America/New_York" {
            seen.by_hour[1][of_day] += 1;
        }
        let header = visit.headers.user_agent().to_owned();
        *seen.agents.entry(header).or_default() += 1;
        if let Some(host) = visit.headers.referer().split('/').nth(2) {
            seen.hosts.insert(host.to_owned());
            seen.with_referer += 1;
        }
        let query = visit.headers.campaign_query();
        seen.of_campaigns += u32::from(query.contains("utm_campaign="));
        seen.with_password += u32::from(visit.link.terms().password.is_some());
        seen.on_weekdays += u32::from(!matches!(hour / 24 % 7, 2 | 3));
        *seen.in_an_hour.entry((slug.clone(), hour)).or_default() += 1;
        *seen.links.entry(slug).or_default() += 1;
        *seen.addresses.entry(visit.client).or_default() += 1;
        seen.cities
            .insert(format!("{} {country}", place.city.unwrap()));
        seen.countries.insert(country);
    }
    seen
}

/// The sum of the counts of the most frequent.
fn of_most_frequent<K>(counts: &HashMap<K, u32>, most: usize) -> u32 {
    let mut counts: Vec<u32> = counts.values().copied().collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    counts.iter().take(most).sum()
}

#[test]
fn visits_have_the_shape_of_a_busy_site() {
    let seen = seen();
    let is_about = |part: f64, count: u32, within: f64| {
        let is = f64::from(count) / f64::from(VISITS);
        assert!((is - part).abs() < within, "{is} instead of {part}");
    };
    is_about(0.5, seen.links["link-0"], 0.01);
    is_about(0.2, seen.of_robots, 0.05);
    is_about(0.5, seen.with_referer, 0.05);
    is_about(0.12, seen.of_campaigns, 0.03);
    assert!(seen.with_password > VISITS / 200, "{}", seen.with_password);

    // Tails are long, and heads are heavy.
    assert!(seen.agents.len() > 20_000, "{} agents", seen.agents.len());
    let common = of_most_frequent(&seen.agents, 100);
    is_about(0.4, common, 0.1);
    assert!(seen.hosts.len() > 10_000, "{} hosts", seen.hosts.len());
    assert!(seen.cities.len() > 15_000, "{} cities", seen.cities.len());
    assert!(seen.countries.len() > 230, "{}", seen.countries.len());
    assert!(seen.links.len() > 10_000, "{} links", seen.links.len());

    // Some addresses are shared or return; most visitors come seldom.
    let addresses = seen.addresses.len();
    assert!(
        (30_000..120_000).contains(&addresses),
        "{addresses} addresses"
    );
    assert!(of_most_frequent(&seen.addresses, 1_000) > VISITS / 10);

    // A link that few knew has an hour with more visits than the second busiest has on most days.
    let mut surges = seen.in_an_hour.iter().filter(|((slug, _), visits)| {
        let all = seen.links[slug];
        slug != "link-0" && all > 500 && **visits * 5 > all
    });
    assert!(surges.next().is_some());

    // India's night is America's day.
    let [india, america] = seen.by_hour;
    assert!(india[21] * 3 < india[14], "{india:?}");
    assert!(america[8] * 3 < america[23], "{america:?}");
    is_about(0.77, seen.on_weekdays, 0.05);
}

#[test]
fn people_update_their_browsers() {
    let mut months = [HashSet::new(), HashSet::new()];
    for visit in Visits::new(20_000) {
        let day = (visit.at.get() - END.start().get()) / 86_400_000 + i64::from(DAYS);
        if !(30..60).contains(&day) {
            months[usize::from(day >= 30)].insert(visit.headers.user_agent().to_owned());
        }
    }
    let newest = |month: usize, version: u32| {
        let header = format!(
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) \
             Chrome/{version}.0.0.0 Safari/537.36"
        );
        months[month].contains(&header)
    };
    assert!(newest(0, 137) && newest(1, 137) && newest(1, 140));
    assert!(!newest(0, 140));
}
