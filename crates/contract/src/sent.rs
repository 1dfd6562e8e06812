//! Members of an input, as the client sent them.
//!
//! Reading a member never fails: a member of the wrong type is kept as a note of the
//! type it had. So a wire type is always read in full, and its `check` reports wrong
//! types and broken bounds together. Serde alone would stop at the first wrong type.

use std::{borrow::Cow, collections::BTreeMap};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{
    Deserialize, Deserializer,
    de::{self, DeserializeOwned, IntoDeserializer},
};
use serde_json::{Map, Value};

use crate::issue::{Fault, IssueCode};

/// One member. Its schema is the schema of its value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Sent<T> {
    /// The client left the member out.
    #[default]
    Absent,
    /// `null`, which differs from absent on this wire: only changes to a link accept it.
    Null,
    /// A value of the right type.
    Value(T),
    /// A value of another type, by its name in JSON.
    Wrong(&'static str),
}

/// A type of members.
pub trait Wire: Sized {
    /// The name of the type in JSON.
    const TYPE: &'static str;

    /// Returns the value if the JSON has the right type.
    fn from_json(value: Value) -> Option<Self>;

    /// True of an empty text, by which some clients remove a member.
    fn is_empty_text(&self) -> bool {
        false
    }

    /// Returns the description of the right values.
    fn expected() -> String {
        Self::TYPE.to_owned()
    }

    /// Returns the fault of a member whose JSON has the wrong type.
    fn fault(received: &str) -> Fault {
        let expected = Self::expected();
        let message = format!("Invalid input: expected {expected}, received {received}");
        (IssueCode::InvalidType, message, expected)
    }
}

impl<T: Wire> Sent<T> {
    pub(crate) fn of(value: Value) -> Self {
        if value.is_null() {
            return Self::Null;
        }
        let received = type_of(&value);
        T::from_json(value).map_or(Self::Wrong(received), Self::Value)
    }
}

impl<T> Sent<T> {
    /// Returns the value, if there is one of the right type.
    pub fn value(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Absent | Self::Null | Self::Wrong(_) => None,
        }
    }
}

/// Returns the JSON name of a value's type.
pub(crate) fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Implements `Wire` for enums that are texts.
macro_rules! options {
    ($($option:ty),*) => {$(
        impl $crate::sent::Wire for $option {
            const TYPE: &'static str = "string";

            fn from_json(value: serde_json::Value) -> Option<Self> {
                serde_json::from_value(value).ok()
            }

            fn fault(received: &str) -> $crate::issue::Fault {
                $crate::sent::no_option::<Self>(received)
            }
        }
    )*};
}

pub(crate) use options;

/// Converts an enum to another one whose variants have the same names.
macro_rules! same_variants {
    ($from:ty => $into:ty: $($variant:ident),+ $(,)?) => {
        impl From<$from> for $into {
            fn from(from: $from) -> Self {
                match from {
                    $(<$from>::$variant => Self::$variant,)+
                }
            }
        }
    };
}

pub(crate) use same_variants;

options!(crate::ScopeName);

/// The fault of a member that is none of an enum's names.
pub(crate) fn no_option<T: DeserializeOwned>(received: &str) -> Fault {
    let names = match T::deserialize("".into_deserializer()) {
        Err(NoOption(names)) => names,
        Ok(_) => &[],
    };
    no_option_of(names, received)
}

/// The fault of a member that is none of these names.
pub(crate) fn no_option_of(names: &[&str], received: &str) -> Fault {
    let names: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    let expected = format!("one of {}", names.join("|"));
    if received != String::TYPE {
        let message = format!("Invalid input: expected {expected}, received {received}");
        return (IssueCode::InvalidType, message, expected);
    }
    let message = format!("Invalid option: expected {expected}");
    (IssueCode::InvalidValue, message, expected)
}

/// The names of an enum, which serde passes to the error for an unknown name.
#[derive(Debug, thiserror::Error)]
#[error("expected one of {}", .0.join(", "))]
struct NoOption(&'static [&'static str]);

impl de::Error for NoOption {
    fn custom<T: std::fmt::Display>(_: T) -> Self {
        Self(&[])
    }

    fn unknown_variant(_: &str, names: &'static [&'static str]) -> Self {
        Self(names)
    }
}

impl Wire for String {
    const TYPE: &'static str = "string";

    fn is_empty_text(&self) -> bool {
        self.is_empty()
    }

    fn from_json(value: Value) -> Option<Self> {
        let Value::String(text) = value else {
            return None;
        };
        Some(text)
    }
}

impl Wire for bool {
    const TYPE: &'static str = "boolean";

    fn from_json(value: Value) -> Option<Self> {
        value.as_bool()
    }
}

/// A list of objects, which are read later.
impl Wire for Vec<Value> {
    const TYPE: &'static str = "array";

    fn expected() -> String {
        "array of objects".to_owned()
    }

    fn from_json(value: Value) -> Option<Self> {
        let Value::Array(items) = value else {
            return None;
        };
        Some(items)
    }
}

/// An object that is read later.
impl Wire for Map<String, Value> {
    const TYPE: &'static str = "object";

    fn from_json(value: Value) -> Option<Self> {
        let Value::Object(members) = value else {
            return None;
        };
        Some(members)
    }
}

impl<T: Wire> Wire for Vec<Sent<T>> {
    const TYPE: &'static str = "array";

    fn expected() -> String {
        format!("array of {}s", T::TYPE)
    }

    fn from_json(value: Value) -> Option<Self> {
        let items = Vec::<Value>::from_json(value)?;
        Some(items.into_iter().map(Sent::of).collect())
    }
}

impl<T: Wire> Wire for BTreeMap<String, Sent<T>> {
    const TYPE: &'static str = "object";

    fn expected() -> String {
        format!("object of {}s", T::TYPE)
    }

    fn from_json(value: Value) -> Option<Self> {
        let members = Map::from_json(value)?.into_iter();
        let sent = members.map(|(name, value)| (name, Sent::of(value)));
        Some(sent.collect())
    }
}

impl<'de, T: Wire> Deserialize<'de> for Sent<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(Self::of)
    }
}

impl<T: JsonSchema> JsonSchema for Sent<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        T::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}
