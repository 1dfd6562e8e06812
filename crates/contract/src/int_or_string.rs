//! Whole numbers that may arrive as text.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::Value;

use crate::{json_integer::JsonInteger, sent::Wire};

/// A whole number, or a text that spells one: query strings hold only text, and models
/// often quote numbers. An empty text is 0, as in Sink, and then fails the member's
/// minimum, if it has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntOrString(pub i64);

impl Wire for IntOrString {
    const TYPE: &'static str = "integer";

    fn from_json(value: Value) -> Option<Self> {
        let Value::String(text) = &value else {
            return JsonInteger::from_json(value).map(|JsonInteger(number)| Self(number));
        };
        match text.trim() {
            "" => Some(Self(0)),
            digits => digits.parse().ok().map(Self),
        }
    }
}

impl JsonSchema for IntOrString {
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
    use serde_json::json;

    use super::*;

    #[test]
    fn takes_numbers_and_their_spelling() {
        for value in [json!(50), json!(50.0), json!("50"), json!(" 50 ")] {
            assert_eq!(IntOrString::from_json(value), Some(IntOrString(50)));
        }
        assert_eq!(IntOrString::from_json(json!("")), Some(IntOrString(0)));
        for wrong in [
            json!("5x"),
            json!(1.5),
            json!(null),
            json!(true),
            json!(u64::MAX),
        ] {
            assert!(IntOrString::from_json(wrong.clone()).is_none(), "{wrong}");
        }
    }
}
