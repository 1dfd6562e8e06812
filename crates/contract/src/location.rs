//! The caller's place on the wire.

use schemars::JsonSchema;
use serde::Serialize;
use slugline_domain::Coordinates;

/// A point on the map in degrees, as texts, which is how edge networks write
/// them into headers and Sink hands them on.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Location {
    /// Degrees north, such as `48.14`; absent when unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latitude: Option<String>,
    /// Degrees east, such as `11.58`; absent when unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub longitude: Option<String>,
}

impl From<Option<Coordinates>> for Location {
    fn from(point: Option<Coordinates>) -> Self {
        Self {
            latitude: point.map(|point| point.latitude().to_string()),
            longitude: point.map(|point| point.longitude().to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn degrees_are_texts_and_absent_when_unknown() {
        let wire =
            |point: Option<Coordinates>| serde_json::to_value(Location::from(point)).unwrap();
        let shown = wire(Coordinates::new(48.137, -11.5));
        assert_eq!(shown, json!({"latitude": "48.14", "longitude": "-11.5"}));
        assert_eq!(wire(None), json!({}));
    }
}
