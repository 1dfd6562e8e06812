//! Whole numbers that may arrive as text.

use std::{borrow::Cow, fmt};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de};

use crate::whole;

/// A whole number, or a text that spells one: query strings know only text, and
/// models often quote numbers. An empty text is 0, as in Sink, and then fails
/// whatever minimum the member has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lenient(pub i64);

impl<'de> Deserialize<'de> for Lenient {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NumberOrText)
    }
}

struct NumberOrText;

impl de::Visitor<'_> for NumberOrText {
    type Value = Lenient;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("integer")
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Lenient, E> {
        Ok(Lenient(number))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Lenient, E> {
        i64::try_from(number)
            .map(Lenient)
            .map_err(|_| E::invalid_value(de::Unexpected::Unsigned(number), &self))
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Lenient, E> {
        whole::exact(number)
            .map(Lenient)
            .ok_or_else(|| E::invalid_type(de::Unexpected::Float(number), &self))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Lenient, E> {
        match text.trim() {
            "" => Ok(Lenient(0)),
            digits => digits
                .parse()
                .map(Lenient)
                .map_err(|_| E::invalid_type(de::Unexpected::Str(text), &self)),
        }
    }
}

impl JsonSchema for Lenient {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Integer".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "integer"})
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{from_value, json};

    use super::*;

    #[test]
    fn takes_numbers_and_their_spelling() {
        for value in [json!(50), json!(50.0), json!("50"), json!(" 50 ")] {
            assert_eq!(from_value::<Lenient>(value).unwrap(), Lenient(50));
        }
        assert_eq!(from_value::<Lenient>(json!("")).unwrap(), Lenient(0));
        for wrong in [
            json!("5x"),
            json!(1.5),
            json!(null),
            json!(true),
            json!(u64::MAX),
        ] {
            assert!(from_value::<Lenient>(wrong.clone()).is_err(), "{wrong}");
        }
    }
}
