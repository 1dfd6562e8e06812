//! The latest visits, one by one.

use std::{borrow::Cow, fmt::Write};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::{Map, json};
use sha2::{Digest, Sha256};
use slugline_domain::{Dimension, Event};

use super::dimension::values;

/// One visit, with a member for each of [`Event::members`].
#[derive(Clone, Debug, PartialEq)]
pub struct EventView {
    /// Stays the same however often the visit is read.
    pub id: String,
    event: Event,
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
            let id = format!("evt_{hash}_{repeated}");
            views.push(Self { id, event });
            latest = (hash, repeated);
        }
        views
    }

    /// Shows one event alone, as if no other were equal.
    pub fn one(event: &Event) -> Self {
        let id = format!("evt_{}_0", hash(event));
        let event = event.clone();
        Self { id, event }
    }
}

impl Serialize for EventView {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_map(None)?;
        members.serialize_entry("id", &self.id)?;
        members.serialize_entry("timestamp", &self.event.at.second().get())?;
        let (host, slug) = self.event.link();
        for dimension in Event::members() {
            let name = dimension.name();
            if dimension == Dimension::Slug {
                members.serialize_entry(name, slug)?;
            } else if dimension == Dimension::Domain {
                // The default domain has no name, so an instance with one domain has no such member.
                if !host.is_empty() {
                    members.serialize_entry(name, host)?;
                }
            } else if dimension.is_degrees() {
                let degrees = f64::from(self.event.degrees(dimension));
                members.serialize_entry(name, &degrees)?;
            } else {
                members.serialize_entry(name, &self.event.value(dimension))?;
            }
        }
        members.end()
    }
}

impl JsonSchema for EventView {
    fn schema_name() -> Cow<'static, str> {
        "EventView".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut members = Map::new();
        let id = "Stays the same however often the visit is read.";
        members.insert("id".into(), json!({"description": id, "type": "string"}));
        let timestamp =
            json!({"description": "When, in Unix seconds.", "type": "integer", "format": "int64"});
        members.insert("timestamp".into(), timestamp);
        for dimension in Event::members() {
            members.insert(dimension.name().into(), values(dimension));
        }
        let optional = Dimension::Domain.name();
        let required = members.keys().filter(|name| *name != optional).cloned();
        let required: Vec<String> = required.collect();
        json_schema!({
            "description": "One visit. Empty texts are unknown.",
            "type": "object",
            "properties": members,
            "required": required,
        })
    }
}

/// Returns 64 bits of a hash of the stored fields of an event. The log does not number its rows,
/// which move when they are sealed.
fn hash(event: &Event) -> String {
    let mut hasher = Sha256::new();
    hasher.update(event.at.get().to_be_bytes());
    for dimension in [Dimension::Latitude, Dimension::Longitude] {
        hasher.update(event.degrees(dimension).hundredths().to_be_bytes());
    }
    let mut hash_text = |text: &str| {
        hasher.update(text);
        // Does not occur in UTF-8, so texts cannot run into each other.
        hasher.update([0xff]);
    };
    // Later lines of the table must not change ids, so they are no part of the hash.
    let texts = Event::members().filter(|of| *of < Dimension::UtmSource && !of.is_degrees());
    texts.for_each(|dimension| hash_text(&event.value(dimension)));
    // Ids of visits without a campaign are as old as ids.
    let campaign = [
        Dimension::UtmSource,
        Dimension::UtmMedium,
        Dimension::UtmCampaign,
    ]
    .map(|dimension| event.value(dimension));
    if campaign.iter().any(|text| !text.is_empty()) {
        for text in campaign {
            hash_text(&text);
        }
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
    use std::convert::Infallible;

    use slugline_domain::UnixMillis;

    use super::*;

    /// An event with these texts, and no others.
    fn event_of(at: i64, texts: &[(Dimension, &str)]) -> Event {
        let Ok(event) = Event::read::<Infallible>(UnixMillis::new(at), |dimension| {
            let named = texts.iter().find(|(of, _)| *of == dimension);
            Ok(named.map_or("", |(_, text)| text).to_owned())
        });
        event
    }

    fn event(at: i64, slug: &str) -> Event {
        let texts = [
            (Dimension::Slug, slug),
            (Dimension::Url, "https://example.com/"),
            (Dimension::Longitude, "-9.5"),
        ];
        event_of(at, &texts)
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
        let distinct = after.iter().collect::<std::collections::HashSet<_>>().len();
        assert_eq!(distinct, 5);
    }

    #[test]
    fn an_id_stays_the_same_from_version_to_version() {
        assert_eq!(ids(vec![event(1, "a")]), ["evt_caa89201e1f21ad1_0"]);
    }

    #[test]
    fn ids_tell_campaigns_apart() {
        let of = |source, medium| {
            let texts = [
                (Dimension::UtmSource, source),
                (Dimension::UtmMedium, medium),
            ];
            event_of(1, &texts)
        };
        let all = ids(vec![of("", ""), of("x", ""), of("", "x"), of("x", "x")]);
        let different: std::collections::HashSet<_> = all.iter().collect();
        assert_eq!(different.len(), 4, "{all:?}");
        assert!(all.iter().all(|id| id.ends_with("_0")));
    }

    #[test]
    fn an_event_shows_seconds_and_degrees() {
        let view = &EventView::list(vec![event(1_999, "a")])[0];
        let json = serde_json::to_value(view).unwrap();
        assert_eq!(
            (&json["timestamp"], &json["longitude"]),
            (&json!(1), &json!(-9.5))
        );
        assert_eq!(json["COLO"], "");
        assert_eq!(json["browserType"], "");
        assert!(json.get("ip").is_none());
    }
}
