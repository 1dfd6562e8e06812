//! Dimensions on the wire, by the table of the domain.

use std::{borrow::Cow, collections::BTreeMap};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};
use slugline_domain::Dimension;

use crate::{
    issue::Fault,
    sent::{Sent, Wire, no_option_of},
};

impl Wire for Dimension {
    const TYPE: &'static str = "string";

    fn from_json(value: Value) -> Option<Self> {
        value.as_str().and_then(Self::named)
    }

    fn fault(received: &str) -> Fault {
        let names: Vec<&str> = Self::ALL.iter().map(|dimension| dimension.name()).collect();
        no_option_of(&names, received)
    }
}

/// The schema of a member that names a dimension.
pub(super) fn options(_: &mut SchemaGenerator) -> Schema {
    let options = Dimension::ALL.iter().map(|dimension| {
        json!({"description": dimension.says(), "type": "string", "const": dimension.name()})
    });
    json_schema!({"oneOf": options.collect::<Vec<_>>()})
}

/// The schema of the values of a dimension.
pub(super) fn values(dimension: Dimension) -> Value {
    let says = dimension.says();
    if dimension.is_degrees() {
        json!({"description": says, "type": "number", "format": "double"})
    } else {
        json!({"description": says, "type": "string"})
    }
}

/// The members of a question that choose among the values of dimensions.
#[derive(Clone, Debug, Default)]
pub struct ValueFilters(BTreeMap<Dimension, Sent<String>>);

impl ValueFilters {
    /// Each dimension that clients can filter by, with the member that was sent.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Dimension, &Sent<String>)> {
        self.0.iter().map(|(dimension, sent)| (*dimension, sent))
    }
}

fn filters() -> impl Iterator<Item = Dimension> {
    let all = Dimension::ALL.iter().copied();
    all.filter(|dimension| dimension.filters())
}

impl<'de> Deserialize<'de> for ValueFilters {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut members = Map::deserialize(deserializer)?;
        let sent = filters().filter_map(|dimension| {
            let value = members.remove(dimension.name())?;
            Some((dimension, Sent::of(value)))
        });
        Ok(Self(sent.collect()))
    }
}

impl JsonSchema for ValueFilters {
    fn schema_name() -> Cow<'static, str> {
        "ValueFilters".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let members = filters().map(|dimension| {
            let mut schema = values(dimension);
            schema["x-obvious"] = true.into();
            (dimension.name().to_owned(), schema)
        });
        json_schema!({"type": "object", "properties": members.collect::<Map<_, _>>()})
    }
}
