//! Whole numbers.

use std::{borrow::Cow, fmt};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de};

/// A whole number, also when it is spelled `5.0`: to JSON Schema that is an
/// integer too (2020-12 core, section 4.2.2), and programs that know only
/// floating point send it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Whole(pub i64);

/// The integer that this floating-point number is, if it is one and small
/// enough to be sure of.
pub(crate) fn exact(number: f64) -> Option<i64> {
    /// From here on neighbouring integers share a spelling.
    const UNSURE: f64 = 9_007_199_254_740_992.0;
    let whole = number.abs() < UNSURE && number.fract() == 0.0;
    // Rust has no other conversion; in this range every whole number is an i64.
    whole.then(|| format!("{number:.0}").parse().ok()).flatten()
}

impl<'de> Deserialize<'de> for Whole {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Number;

        impl de::Visitor<'_> for Number {
            type Value = Whole;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("integer")
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Whole, E> {
                Ok(Whole(number))
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Whole, E> {
                i64::try_from(number)
                    .map(Whole)
                    .map_err(|_| E::invalid_value(de::Unexpected::Unsigned(number), &self))
            }

            fn visit_f64<E: de::Error>(self, number: f64) -> Result<Whole, E> {
                exact(number)
                    .map(Whole)
                    .ok_or_else(|| E::invalid_type(de::Unexpected::Float(number), &self))
            }
        }

        deserializer.deserialize_any(Number)
    }
}

impl JsonSchema for Whole {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Whole".into()
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
    fn takes_whole_numbers_however_they_are_spelled() {
        for value in [json!(50), json!(50.0), json!(5e1)] {
            assert_eq!(from_value::<Whole>(value).unwrap(), Whole(50));
        }
        assert_eq!(from_value::<Whole>(json!(-0.0)).unwrap(), Whole(0));
        for wrong in [
            json!(1.5),
            json!(1e300),
            json!("50"),
            json!(null),
            json!(u64::MAX),
        ] {
            assert!(from_value::<Whole>(wrong.clone()).is_err(), "{wrong}");
        }
    }
}
