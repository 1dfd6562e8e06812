//! Derives the stored facts of a visit, after the redirect.

mod campaign;
#[cfg(feature = "fuzzing")]
mod fuzzing;
mod headers;

use std::{borrow::Cow, sync::Arc};

use campaign::{Campaigns, Named};
use slugline_domain::{
    Colo, Coordinates, Country, Degrees, Place, Protection, SamplingInterval, TimeZoneName, Visit,
    VisitRecord, ports::PlaceFinder,
};

use crate::{
    bounds,
    memo::Memo,
    row::{self, Client, Row, VisitedLink},
    sampling::Sampled,
    user_agent::{Agent, UserAgents},
    visitor::VisitorHash,
};

#[cfg(feature = "fuzzing")]
pub use fuzzing::fuzz_visit_headers;

/// Derives the stored facts of visits.
#[derive(Debug)]
pub(crate) struct Enricher {
    places: Option<Arc<dyn PlaceFinder>>,
    user_agents: UserAgents,
    labels: Memo<Arc<Labels>>,
    referers: Memo<Arc<str>>,
    languages: Memo<Arc<str>>,
    campaigns: Campaigns,
}

/// A place's region and city as the log stores them.
#[derive(Debug)]
struct Labels {
    region: String,
    city: String,
}

/// The most labels, referring hosts, languages and campaigns that are cached;
/// together a few MB.
const REMEMBERED: usize = 16_384;

impl Enricher {
    pub(crate) fn new(places: Option<Arc<dyn PlaceFinder>>) -> Self {
        Self {
            places,
            user_agents: UserAgents::default(),
            labels: Memo::new(REMEMBERED),
            referers: Memo::new(REMEMBERED),
            languages: Memo::new(REMEMBERED),
            campaigns: Campaigns::new(REMEMBERED),
        }
    }

    /// Derives the stored facts of a visit.
    pub(crate) fn enrich<'v>(&mut self, visit: &'v Visit) -> Enriched<'v> {
        let place = self.place(visit);
        let labelled = (place.country, &place.region, &place.city);
        let labels = self.labels.get(&labelled, || {
            Arc::new(Labels {
                region: place.region_label(),
                city: place.city_label(),
            })
        });
        let referer = visit.headers.referer();
        let language = visit.headers.accept_language();
        Enriched {
            visit,
            referer: self.referers.get(referer, || headers::host(referer).into()),
            language: self
                .languages
                .get(language, || headers::first_preference(language).into()),
            campaign: self
                .campaigns
                .of(visit.headers.campaign_query(), visit.url()),
            labels,
            place,
            agent: self.user_agents.agent(visit.headers.user_agent()),
        }
    }

    /// Returns whether a visit comes from a bot.
    pub(crate) fn is_from_bot(&mut self, visit: &Visit) -> bool {
        self.user_agents.agent(visit.headers.user_agent()).is_bot()
    }

    /// The place that the visit carries; if that has no city, the address completes it.
    fn place<'v>(&self, visit: &'v Visit) -> Cow<'v, Place> {
        match (&visit.place, &self.places) {
            (Some(said), None) => Cow::Borrowed(said),
            (Some(said), Some(_)) if said.city.is_some() => Cow::Borrowed(said),
            (Some(said), Some(places)) => {
                Cow::Owned(said.as_ref().clone().or(places.find(visit.client)))
            }
            (None, Some(places)) => Cow::Owned(places.find(visit.client)),
            (None, None) => Cow::Owned(Place::default()),
        }
    }
}

/// A visit and the facts derived from it.
#[derive(Debug)]
pub(crate) struct Enriched<'v> {
    pub(crate) visit: &'v Visit,
    referer: Arc<str>,
    language: Arc<str>,
    campaign: Arc<Named>,
    place: Cow<'v, Place>,
    labels: Arc<Labels>,
    agent: Arc<Agent>,
}

impl Enriched<'_> {
    /// The row that stores the visit.
    pub(crate) fn row(&self, visitor: VisitorHash, sampled: Sampled) -> Row<'_> {
        let record = self.record(sampled.interval);
        let place = record.place;
        Row {
            at: record.at,
            target: VisitedLink {
                link_id: record.link_id,
                slug: record.slug,
                url: record.url,
                protection: record.protection.as_str(),
            },
            client: Client {
                user_agent: record.user_agent,
                os: record.os,
                browser: record.browser,
                browser_type: record.browser_type,
                device: record.device,
                device_type: record.device_type,
            },
            place: row::Place {
                country: place.country.as_ref().map_or("", Country::as_str),
                region: &self.labels.region,
                city: &self.labels.city,
                timezone: place.timezone.as_ref().map_or("", TimeZoneName::as_str),
                colo: place.colo.as_ref().map_or("", Colo::as_str),
                latitude: degrees(place.coordinates.map(Coordinates::latitude)),
                longitude: degrees(place.coordinates.map(Coordinates::longitude)),
            },
            referer: record.referer.into(),
            language: record.language,
            campaign: record.campaign,
            visitor,
            sampled,
        }
    }

    /// The record that observers get.
    pub(crate) fn record(&self, interval: SamplingInterval) -> VisitRecord<'_> {
        let Visit { link, headers, .. } = self.visit;
        VisitRecord {
            at: self.visit.at,
            link_id: link.id(),
            slug: link.key(),
            url: bounds::truncate(self.visit.url(), bounds::URL_MAX_BYTES),
            protection: Protection::of(link),
            user_agent: bounds::truncate(headers.user_agent(), bounds::USER_AGENT_MAX_BYTES),
            referer: &self.referer,
            language: &self.language,
            os: &self.agent.os,
            browser: &self.agent.browser,
            browser_type: self.agent.browser_type,
            device: &self.agent.device,
            device_type: self.agent.device_type,
            place: &self.place,
            campaign: self.campaign.parts(),
            interval,
        }
    }
}

fn degrees(known: Option<f64>) -> Degrees {
    known.map_or(Degrees::ZERO, Degrees::nearest)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use slugline_domain::{PlaceName, UnixMillis, VisitHeaders, Way};
    use slugline_testkit::{PLACES_FILE, link};

    use super::*;
    use crate::{
        columns::{STORED, TEXTS},
        place_file::PlaceFile,
    };

    fn place_of(client: &str, said: Option<Place>, file: bool) -> Place {
        let places = file.then(|| -> Arc<dyn PlaceFinder> {
            Arc::new(PlaceFile::open(Path::new(PLACES_FILE)).unwrap())
        });
        let visit = Visit {
            at: UnixMillis::new(0),
            link: link("docs").followed(),
            client: client.parse().unwrap(),
            headers: VisitHeaders::default(),
            place: said.map(Box::new),
            way: Way::Main,
        };
        Enricher::new(places).enrich(&visit).place.into_owned()
    }

    fn said(country: &str, city: &str) -> Place {
        Place {
            country: Country::parse(country).ok(),
            city: PlaceName::new(city),
            colo: Colo::new("FRA"),
            ..Place::default()
        }
    }

    #[test]
    fn the_row_and_the_record_have_every_column_of_a_visit() {
        let agent = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 \
                     (KHTML, like Gecko) Mobile/15E148 Instagram 330.0.0.0";
        let headers = VisitHeaders::new(agent, "https://news.example/", "de-AT");
        let place = Place {
            region: PlaceName::new("Hesse"),
            timezone: TimeZoneName::new("Europe/Berlin"),
            coordinates: Coordinates::new(51.31, 9.48),
            ..said("DE", "Kassel")
        };
        let visit = Visit {
            at: UnixMillis::new(0),
            link: link("docs").followed(),
            client: "192.0.2.7".parse().unwrap(),
            headers: headers.with_query("utm_source=s&utm_medium=m&utm_campaign=c"),
            place: Some(Box::new(place)),
            way: Way::Main,
        };
        let mut facts = Enricher::new(None);
        let enriched = facts.enrich(&visit);
        let interval = SamplingInterval::EVERY;
        let sampled = Sampled {
            interval,
            coherent: true,
        };
        let row = enriched.row(VisitorHash(7), sampled);
        let record = enriched.record(interval);
        for column in &TEXTS[..STORED] {
            let text = row.text(column.dimension);
            assert_ne!(text, column.unknown, "{}", column.name);
            assert_eq!(record.value(column.dimension), text, "{}", column.name);
        }
    }

    #[test]
    fn a_visitor_of_whom_nothing_was_said_is_placed_by_the_address() {
        let place = place_of("192.0.2.7", None, true);
        assert_eq!(place.city_label(), "🇩🇪 Munich,Germany");
        assert!(place_of("192.0.2.7", None, false).is_unknown());
        assert!(place_of("203.0.113.7", None, true).is_unknown());
    }

    #[test]
    fn the_address_adds_to_a_country_and_gives_way_to_a_city() {
        let country = place_of("192.0.2.7", Some(said("DE", "")), true);
        assert_eq!(country.city_label(), "🇩🇪 Munich,Germany");
        assert_eq!(country.colo, Colo::new("FRA"));
        let city = place_of("192.0.2.7", Some(said("DE", "Berlin")), true);
        assert_eq!(city, said("DE", "Berlin"));
        let elsewhere = place_of("192.0.2.7", Some(said("AT", "")), true);
        assert_eq!(elsewhere, said("AT", ""));
    }
}
