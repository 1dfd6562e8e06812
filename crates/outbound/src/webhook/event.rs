//! One message.

use std::{borrow::Cow, collections::BTreeMap};

use hyper::body::Bytes;
use jiff::Timestamp;
use serde::Serialize;
use slugline_domain::{
    BadAnswer, Country, Derivation, Dimension, Failing, Link, SamplingInterval, UnixMillis,
    VisitRecord, WatchNews, ports::Random, split_key,
};
use uuid::Builder;

/// A message, ready to be sent and sent again.
#[derive(Clone, Debug)]
pub(super) struct Event {
    /// The same in every attempt, so that a receiver recognises repetitions.
    pub(super) id: String,
    pub(super) body: Bytes,
}

impl Event {
    pub(super) fn of(record: &VisitRecord<'_>, now: UnixMillis, random: &dyn Random) -> Self {
        let id = named("evt", now, random);
        let at = iso_8601(record.at);
        let click = Click {
            id: named("clk", now, random),
            timestamp: &at,
            country: record.place.country.as_ref().map_or("", Country::as_str),
            region: record
                .place
                .region
                .as_ref()
                .map_or("", |name| name.as_str()),
            city: record.place.city.as_ref().map_or("", |name| name.as_str()),
            device: if record.device_type.is_empty() {
                record.device
            } else {
                record.device_type
            },
            browser: record.browser,
            os: record.os,
            referer: record.referer,
            utm_source: record.campaign.source,
            utm_medium: record.campaign.medium,
            utm_campaign: record.campaign.name,
            derived: Dimension::ALL
                .iter()
                .copied()
                .filter(|dimension| matches!(dimension.derivation(), Some(Derivation::Rules(_))))
                .map(|dimension| (dimension.name(), record.value(dimension)))
                .collect(),
            interval: (record.interval != SamplingInterval::EVERY).then_some(record.interval.get()),
        };
        let (domain, slug) = split_key(record.slug);
        let data = Data {
            click,
            link: Followed {
                id: record.link_id,
                slug,
                domain,
            },
        };
        Self::new(id, "link.clicked", &at, data)
    }

    /// News about a destination, from the watch of destinations.
    pub(super) fn of_watch(
        news: WatchNews,
        link: &Link,
        failing: &Failing,
        now: UnixMillis,
        random: &dyn Random,
    ) -> Self {
        let (status, error) = match &failing.answer {
            BadAnswer::Status(status) => (Some(*status), None),
            BadAnswer::Nothing(reason) => (None, Some(&**reason)),
        };
        let data = News {
            link: Watched {
                id: link.id.as_str(),
                slug: link.key.slug.as_str(),
                domain: link.key.domain.as_str(),
                url: link.content.destination.as_str(),
            },
            broken: Broken {
                since: iso_8601(failing.since.start()),
                checked_at: iso_8601(failing.checked_at.start()),
                status,
                error,
            },
        };
        let name = match news {
            WatchNews::Broken => "link.broken",
            WatchNews::Mended => "link.mended",
        };
        Self::new(named("evt", now, random), name, &iso_8601(now), data)
    }

    fn new(id: String, event: &'static str, at: &str, data: impl Serialize) -> Self {
        let message = Message {
            id: &id,
            event,
            created_at: at,
            data,
        };
        let body = serde_json::to_vec(&message).expect("texts and numbers are plain data");
        Self {
            id,
            body: body.into(),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Message<'v, D> {
    id: &'v str,
    event: &'static str,
    created_at: &'v str,
    data: D,
}

#[derive(Serialize)]
struct News<'v> {
    link: Watched<'v>,
    broken: Broken<'v>,
}

#[derive(Serialize)]
struct Watched<'v> {
    id: &'v str,
    slug: &'v str,
    /// Absent for the default domain.
    #[serde(skip_serializing_if = "str::is_empty")]
    domain: &'v str,
    url: &'v str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Broken<'v> {
    since: String,
    checked_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'v str>,
}

#[derive(Serialize)]
struct Data<'v> {
    click: Click<'v>,
    link: Followed<'v>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Click<'v> {
    id: String,
    timestamp: &'v str,
    country: &'v str,
    region: &'v str,
    city: &'v str,
    device: &'v str,
    browser: &'v str,
    os: &'v str,
    referer: &'v str,
    // Sink's messages have no campaigns, so only visits that come from one tell of it.
    #[serde(skip_serializing_if = "str::is_empty")]
    utm_source: &'v str,
    #[serde(skip_serializing_if = "str::is_empty")]
    utm_medium: &'v str,
    #[serde(skip_serializing_if = "str::is_empty")]
    utm_campaign: &'v str,
    /// The members that follow from the others by rules.
    #[serde(flatten)]
    derived: BTreeMap<&'static str, Cow<'v, str>>,
    /// The number of visits that this one stands for, if the access log is sampled.
    #[serde(skip_serializing_if = "Option::is_none")]
    interval: Option<u32>,
}

#[derive(Serialize)]
struct Followed<'v> {
    id: &'v str,
    slug: &'v str,
    /// Absent for the default domain.
    #[serde(skip_serializing_if = "str::is_empty")]
    domain: &'v str,
}

fn named(kind: &str, now: UnixMillis, random: &dyn Random) -> String {
    let mut bytes = [0; 10];
    random.fill(&mut bytes);
    let millis = u64::try_from(now.get()).unwrap_or(0);
    let uuid = Builder::from_unix_timestamp_millis(millis, &bytes).into_uuid();
    format!("{kind}_{uuid}")
}

fn iso_8601(moment: UnixMillis) -> String {
    let moment = Timestamp::from_millisecond(moment.get()).unwrap_or(Timestamp::MAX);
    format!("{moment:.3}")
}
