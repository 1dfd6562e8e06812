//! Whole numbers.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::Value;

use crate::sent::Wire;

/// A whole number, also when it is spelled `5.0`: JSON Schema counts that as an integer,
/// too (2020-12 core, section 4.2.2), and programs that only have floating point send it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JsonInteger(pub i64);

/// Returns the integer that equals this floating-point number, if there is one and it is
/// small enough to be exact.
fn exact(number: f64) -> Option<i64> {
    /// From here on neighbouring integers share a spelling.
    const UNSURE: f64 = 9_007_199_254_740_992.0;
    let whole = number.abs() < UNSURE && number.fract() == 0.0;
    // Rust has no other conversion; in this range every whole number is an i64.
    whole.then(|| format!("{number:.0}").parse().ok()).flatten()
}

impl Wire for JsonInteger {
    const TYPE: &'static str = "integer";

    fn from_json(value: Value) -> Option<Self> {
        let number = value.as_i64();
        number.or_else(|| value.as_f64().and_then(exact)).map(Self)
    }
}

impl JsonSchema for JsonInteger {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "JsonInteger".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "integer"})
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn takes_whole_numbers_however_they_are_spelled() {
        for value in [json!(50), json!(50.0), json!(5e1)] {
            assert_eq!(JsonInteger::from_json(value), Some(JsonInteger(50)));
        }
        assert_eq!(JsonInteger::from_json(json!(-0.0)), Some(JsonInteger(0)));
        for wrong in [
            json!(1.5),
            json!(1e300),
            json!("50"),
            json!(null),
            json!(u64::MAX),
        ] {
            assert!(JsonInteger::from_json(wrong.clone()).is_none(), "{wrong}");
        }
    }
}
