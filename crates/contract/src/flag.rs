//! Flags that may arrive as text.

use std::{borrow::Cow, fmt};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de};

/// `true` or `false`, or a text that spells it, since query strings know only
/// text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flag(pub bool);

impl<'de> Deserialize<'de> for Flag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FlagOrText)
    }
}

struct FlagOrText;

impl de::Visitor<'_> for FlagOrText {
    type Value = Flag;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("boolean")
    }

    fn visit_bool<E: de::Error>(self, flag: bool) -> Result<Flag, E> {
        Ok(Flag(flag))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Flag, E> {
        let spelled = text.trim().parse().map(Flag);
        spelled.map_err(|_| E::invalid_type(de::Unexpected::Str(text), &self))
    }
}

impl JsonSchema for Flag {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Flag".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "boolean"})
    }
}
