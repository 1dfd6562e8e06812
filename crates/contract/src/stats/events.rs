//! The latest visits, one by one.

use std::fmt::Write;

use schemars::JsonSchema;
use serde::Serialize;
use sha2::{Digest, Sha256};
use slugline_domain::Event;

/// One visit. Empty texts are unknown.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EventView {
    /// Stays the same however often the visit is read.
    pub id: String,
    /// When, in Unix seconds.
    pub timestamp: i64,
    /// The slug at the time.
    pub slug: String,
    /// The link's main destination at the time; empty if it stood behind a password, for a token
    /// without `links:read`.
    pub url: String,
    /// The raw user agent.
    pub ua: String,
    /// Host of the referring page.
    pub referer: String,
    /// Country code.
    pub country: String,
    /// Region with its country.
    pub region: String,
    /// City with its country.
    pub city: String,
    /// Time zone of the visitor's place.
    pub timezone: String,
    /// First language that the visitor prefers.
    pub language: String,
    /// Operating system.
    pub os: String,
    /// Browser.
    pub browser: String,
    /// Kind of browser; empty for ordinary ones.
    pub browser_type: String,
    /// Device model.
    pub device: String,
    /// Kind of device; empty on desktops.
    pub device_type: String,
    /// Data centre code of the edge network in front.
    #[serde(rename = "COLO")]
    pub colo: String,
    /// Degrees north of the equator, to two decimals; 0 when unknown.
    pub latitude: f64,
    /// Degrees east of Greenwich, to two decimals; 0 when unknown.
    pub longitude: f64,
    /// The campaign's source, of the visitor's query or else of the destination.
    pub utm_source: String,
    /// The campaign's medium, likewise.
    pub utm_medium: String,
    /// The campaign's name, likewise.
    pub utm_campaign: String,
}

impl EventView {
    /// Shows events in the order of [`Event::latest`], in which equal events are
    /// adjacent.
    pub fn list(events: Vec<Event>) -> Vec<Self> {
        let mut views: Vec<Self> = Vec::with_capacity(events.len());
        let mut latest = (String::new(), 0);
        for event in events {
            let hash = hash(&event);
            let repeated = if latest.0 == hash { latest.1 + 1 } else { 0 };
            views.push(Self::new(event, format!("evt_{hash}_{repeated}")));
            latest = (hash, repeated);
        }
        views
    }

    /// Shows one event alone, as if no other were equal.
    pub fn one(event: &Event) -> Self {
        let id = format!("evt_{}_0", hash(event));
        Self::new(event.clone(), id)
    }

    fn new(event: Event, id: String) -> Self {
        Self {
            id,
            timestamp: event.at.second().get(),
            slug: event.slug,
            url: event.url,
            ua: event.user_agent,
            referer: event.referer,
            country: event.country,
            region: event.region,
            city: event.city,
            timezone: event.timezone,
            language: event.language,
            os: event.os,
            browser: event.browser,
            browser_type: event.browser_type,
            device: event.device,
            device_type: event.device_type,
            colo: event.colo,
            latitude: event.latitude.into(),
            longitude: event.longitude.into(),
            utm_source: event.utm_source,
            utm_medium: event.utm_medium,
            utm_campaign: event.utm_campaign,
        }
    }
}

/// Returns 64 bits of a hash of all fields of an event. The log does not number its rows,
/// which move when they are sealed.
fn hash(event: &Event) -> String {
    let mut hasher = Sha256::new();
    hasher.update(event.at.get().to_be_bytes());
    hasher.update(event.latitude.hundredths().to_be_bytes());
    hasher.update(event.longitude.hundredths().to_be_bytes());
    let mut hash_text = |text: &String| {
        hasher.update(text);
        // Does not occur in UTF-8, so texts cannot run into each other.
        hasher.update([0xff]);
    };
    for text in [
        &event.slug,
        &event.url,
        &event.user_agent,
        &event.referer,
        &event.country,
        &event.region,
        &event.city,
        &event.timezone,
        &event.language,
        &event.os,
        &event.browser,
        &event.browser_type,
        &event.device,
        &event.device_type,
        &event.colo,
    ] {
        hash_text(text);
    }
    // Ids of visits without a campaign are as old as ids.
    let campaign = [&event.utm_source, &event.utm_medium, &event.utm_campaign];
    if campaign.iter().any(|text| !text.is_empty()) {
        campaign.into_iter().for_each(hash_text);
    }
    let digest = hasher.finalize();
    let mut text = String::with_capacity(16);
    for byte in digest.iter().take(8) {
        write!(text, "{byte:02x}").expect("a text takes any text");
    }
    text
}

#[cfg(test)]
mod tests {
    use slugline_domain::{Degrees, UnixMillis};

    use super::*;

    fn event(at: i64, slug: &str) -> Event {
        Event {
            at: UnixMillis::new(at),
            slug: slug.into(),
            url: "https://example.com/".into(),
            user_agent: String::new(),
            referer: String::new(),
            country: String::new(),
            region: String::new(),
            city: String::new(),
            timezone: String::new(),
            language: String::new(),
            os: String::new(),
            browser: String::new(),
            browser_type: String::new(),
            device: String::new(),
            device_type: String::new(),
            colo: String::new(),
            latitude: Degrees::ZERO,
            longitude: Degrees::nearest(-9.5),
            utm_source: String::new(),
            utm_medium: String::new(),
            utm_campaign: String::new(),
        }
    }

    fn ids(events: Vec<Event>) -> Vec<String> {
        let views = EventView::list(events).into_iter();
        views.map(|view| view.id).collect()
    }

    #[test]
    fn equal_events_are_told_apart_by_a_number_and_others_by_their_content() {
        let before = ids(vec![event(2, "b"), event(1, "a"), event(1, "a")]);
        assert_eq!(before[1].strip_suffix("_0"), before[2].strip_suffix("_1"));
        assert_ne!(before[0], before[1]);
        assert_eq!(before[0].len(), "evt_0123456789abcdef_0".len());
        // One more of the same, and a newer one: the old ids are still there.
        let after = ids(vec![
            event(3, "b"),
            event(2, "b"),
            event(1, "a"),
            event(1, "a"),
            event(1, "a"),
        ]);
        assert!(before.iter().all(|id| after.contains(id)));
        assert_eq!(
            after.iter().collect::<std::collections::HashSet<_>>().len(),
            5
        );
    }

    #[test]
    fn an_id_stays_the_same_from_version_to_version() {
        assert_eq!(ids(vec![event(1, "a")]), ["evt_caa89201e1f21ad1_0"]);
    }

    #[test]
    fn ids_tell_campaigns_apart() {
        let of = |source: &str, medium: &str| Event {
            utm_source: source.into(),
            utm_medium: medium.into(),
            ..event(1, "a")
        };
        let all = ids(vec![of("", ""), of("x", ""), of("", "x"), of("x", "x")]);
        let different: std::collections::HashSet<_> = all.iter().collect();
        assert_eq!(different.len(), 4, "{all:?}");
        assert!(all.iter().all(|id| id.ends_with("_0")));
    }

    #[test]
    fn an_event_shows_seconds_and_degrees() {
        let view = &EventView::list(vec![event(1_999, "a")])[0];
        assert_eq!((view.timestamp, view.longitude), (1, -9.5));
        let json = serde_json::to_value(view).unwrap();
        assert_eq!(json["COLO"], "");
        assert_eq!(json["browserType"], "");
        assert!(json.get("ip").is_none());
    }
}
