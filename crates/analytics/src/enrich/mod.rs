//! What is derived from a visit once it has left the redirect's path.

pub(crate) mod bounds;
mod language;
mod referer;

use std::borrow::Cow;

use slugline_domain::{
    Colo, Coordinates, Country, Place, SamplingInterval, TimeZoneName, Visit, VisitRecord,
};

use crate::{
    row::{self, Client, Row, Target},
    sampling::Sampled,
    visitor::VisitorHash,
};

/// Derives what is kept of a visit.
pub(crate) fn enrich(visit: &Visit) -> Enriched<'_> {
    let place = match &visit.place {
        Some(place) => Cow::Borrowed(place.as_ref()),
        None => Cow::Owned(Place::default()),
    };
    Enriched {
        visit,
        referer: referer::host(&visit.referer),
        region: place.region_label(),
        city: place.city_label(),
        place,
    }
}

/// A visit with everything that is derived from it.
#[derive(Debug)]
pub(crate) struct Enriched<'v> {
    pub(crate) visit: &'v Visit,
    referer: String,
    place: Cow<'v, Place>,
    region: String,
    city: String,
}

impl Enriched<'_> {
    /// The row that the visit becomes.
    pub(crate) fn row(&self, visitor: VisitorHash, sampled: Sampled) -> Row<'_> {
        let record = self.record(sampled.interval);
        let place = record.place;
        Row {
            at: record.at,
            target: Target {
                link_id: record.link_id.as_str(),
                slug: record.slug.as_str(),
                url: record.url,
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
                region: &self.region,
                city: &self.city,
                timezone: place.timezone.as_ref().map_or("", TimeZoneName::as_str),
                colo: place.colo.as_ref().map_or("", Colo::as_str),
                latitude: place.coordinates.map_or(0.0, Coordinates::latitude),
                longitude: place.coordinates.map_or(0.0, Coordinates::longitude),
            },
            referer: record.referer.into(),
            language: record.language,
            visitor,
            sampled,
        }
    }

    /// What observers hear of the visit.
    pub(crate) fn record(&self, interval: SamplingInterval) -> VisitRecord<'_> {
        let Visit { link, .. } = self.visit;
        VisitRecord {
            at: self.visit.at,
            link_id: &link.id,
            slug: &link.slug,
            url: bounds::truncate(link.content.destination.as_str(), bounds::URL_MAX_BYTES),
            user_agent: bounds::truncate(&self.visit.user_agent, bounds::USER_AGENT_MAX_BYTES),
            referer: &self.referer,
            language: language::first_preference(&self.visit.accept_language),
            os: "",
            browser: "",
            browser_type: "",
            device: "",
            device_type: "",
            place: &self.place,
            interval,
        }
    }
}
