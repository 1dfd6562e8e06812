//! Flags that may arrive as text.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::Value;

use crate::sent::Wire;

/// `true` or `false`, or a text that spells it, since query strings hold only text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoolOrString(pub bool);

impl Wire for BoolOrString {
    const TYPE: &'static str = "boolean";

    fn from_json(value: Value) -> Option<Self> {
        let spelled = value.as_str().and_then(|text| text.trim().parse().ok());
        value.as_bool().or(spelled).map(Self)
    }
}

impl JsonSchema for BoolOrString {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "BoolOrString".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "boolean"})
    }
}
