//! The types of a link's members on the wire: how each is sent, described, read and shown.
//!
//! The list of members in the domain says which member has which type. So a new member needs
//! nothing here, unless its type is new.

use std::{borrow::Cow, collections::BTreeMap, fmt};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value};
use slugline_domain::{
    Countries, Country, Destination, DestinationRules, Rules, Split, Tag, Tags, Text, UnixSeconds,
    VisitCount,
};

use super::{
    member_reader::{Body, MemberReader},
    routing,
    shown_routing::{show_rules, show_split},
};
use crate::{
    issue::Fault,
    scalars::{Instant, JsonInteger},
    sent::{Sent, Wire},
    validation::Validation,
};

/// A type of members.
pub(super) trait Member: Sized {
    /// The form in which it is sent.
    type Raw: Wire + Clone + fmt::Debug;

    /// The form in which it is shown.
    const KIND: Kind;

    /// The schema of the form in which it is sent.
    fn schema() -> Schema;

    /// Parses it; `None` after it noted a fault.
    fn read(reader: &mut MemberReader<'_>, name: &str, raw: &Self::Raw) -> Option<Self>;

    /// Shows it as JSON.
    fn show(&self) -> Value;
}

/// A form in which answers and the cells of tables show a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Moment,
    Count,
    Flag,
    Tags,
    Geo,
    Json,
}

impl Kind {
    /// The schema of what answers show.
    pub(super) fn schema(self) -> Schema {
        match self {
            Self::Text => json_schema!({"type": "string"}),
            Self::Moment => json_schema!({"type": "integer", "format": "int64"}),
            Self::Count => json_schema!({"type": "integer", "format": "uint32", "minimum": 0}),
            Self::Flag => json_schema!({"type": "boolean"}),
            Self::Tags => json_schema!({"type": "array", "items": {"type": "string"}}),
            Self::Geo => {
                json_schema!({"type": "object", "additionalProperties": {"type": "string"}})
            }
            Self::Json => json_schema!({"type": "array", "items": {"type": "object"}}),
        }
    }
}

/// A member as it is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Raw<M: Member>(pub(super) M::Raw);

impl<M: Member> Raw<M> {
    /// As [`Member::read`].
    pub(super) fn read(reader: &mut MemberReader<'_>, name: &str, raw: &Self) -> Option<M> {
        M::read(reader, name, &raw.0)
    }
}

impl<M: Member> Wire for Raw<M> {
    const TYPE: &'static str = M::Raw::TYPE;

    fn from_json(value: Value) -> Option<Self> {
        M::Raw::from_json(value).map(Self)
    }

    fn is_empty_text(&self) -> bool {
        self.0.is_empty_text()
    }

    fn expected() -> String {
        M::Raw::expected()
    }

    fn fault(received: &str) -> Fault {
        M::Raw::fault(received)
    }
}

impl<M: Member> JsonSchema for Raw<M> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Member".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        M::schema()
    }
}

impl AsRef<str> for Raw<Destination> {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl Member for Destination {
    type Raw = String;

    const KIND: Kind = Kind::Text;

    fn schema() -> Schema {
        json_schema!({
            "type": "string",
            "format": "uri",
            "minLength": 1,
            "maxLength": DestinationRules::DEFAULT_MAX_BYTES,
        })
    }

    fn read(reader: &mut MemberReader<'_>, name: &str, raw: &String) -> Option<Self> {
        reader.parsed(name, Self::parse(raw, &reader.bounds.destinations))
    }

    fn show(&self) -> Value {
        self.as_str().into()
    }
}

impl<const MAX: usize> Member for Text<MAX> {
    type Raw = String;

    const KIND: Kind = Kind::Text;

    fn schema() -> Schema {
        json_schema!({"type": "string", "maxLength": MAX})
    }

    fn read(reader: &mut MemberReader<'_>, name: &str, raw: &String) -> Option<Self> {
        let parsed = if reader.body == Body::Exported {
            Self::restore(raw)
        } else {
            Self::parse(raw)
        };
        reader.parsed(name, parsed)
    }

    fn show(&self) -> Value {
        self.as_str().into()
    }
}

impl Member for UnixSeconds {
    type Raw = Instant;

    const KIND: Kind = Kind::Moment;

    fn schema() -> Schema {
        Instant::json_schema(&mut SchemaGenerator::default())
    }

    fn read(reader: &mut MemberReader<'_>, name: &str, raw: &Instant) -> Option<Self> {
        if reader.body == Body::Exported {
            reader.parsed(name, raw.second())
        } else {
            reader.parsed(name, raw.planned())
        }
    }

    fn show(&self) -> Value {
        self.get().into()
    }
}

impl Member for VisitCount {
    type Raw = JsonInteger;

    const KIND: Kind = Kind::Count;

    fn schema() -> Schema {
        json_schema!({"type": "integer", "minimum": 1, "maximum": Self::MAX})
    }

    fn read(reader: &mut MemberReader<'_>, name: &str, raw: &JsonInteger) -> Option<Self> {
        reader.parsed(name, Self::new(raw.0))
    }

    fn show(&self) -> Value {
        self.get().into()
    }
}

impl Member for bool {
    type Raw = Self;

    const KIND: Kind = Kind::Flag;

    fn schema() -> Schema {
        json_schema!({"type": "boolean"})
    }

    fn read(_: &mut MemberReader<'_>, _: &str, raw: &Self) -> Option<Self> {
        Some(*raw)
    }

    fn show(&self) -> Value {
        (*self).into()
    }
}

impl Member for Tags {
    type Raw = Vec<Sent<String>>;

    const KIND: Kind = Kind::Tags;

    fn schema() -> Schema {
        json_schema!({
            "type": "array",
            "items": {"type": "string", "minLength": 1, "maxLength": Tag::MAX_CHARS},
            "maxItems": Self::MAX,
            "x-obvious": true,
        })
    }

    fn read(reader: &mut MemberReader<'_>, _: &str, raw: &Vec<Sent<String>>) -> Option<Self> {
        tags(reader.validation, raw)
    }

    fn show(&self) -> Value {
        self.iter().map(Tag::as_str).collect()
    }
}

/// Parses tags; `None` after it noted a fault.
pub(super) fn tags(validation: &mut Validation, sent: &[Sent<String>]) -> Option<Tags> {
    let mut tags = Vec::new();
    for (i, tag) in sent.iter().enumerate() {
        tags.push(validation.required(&["tags", &i.to_string()], tag, |tag| Tag::parse(tag)));
    }
    let tags: Option<Vec<Tag>> = tags.into_iter().collect();
    validation.member(&["tags"], Tags::new(tags?))
}

impl Member for Countries {
    type Raw = BTreeMap<String, Sent<String>>;

    const KIND: Kind = Kind::Geo;

    fn schema() -> Schema {
        json_schema!({
            "type": "object",
            "propertyNames": {"pattern": "^[A-Za-z]{2}$"},
            "additionalProperties": Destination::schema(),
        })
    }

    fn read(reader: &mut MemberReader<'_>, name: &str, raw: &Self::Raw) -> Option<Self> {
        let mut geo = Self::new();
        for (code, url) in raw {
            let path = [name, code.as_str()];
            let country = reader.validation.member(&path, Country::parse(code));
            let destination = reader.validation.required(&path, url, |url| {
                Destination::parse(url, &reader.bounds.destinations)
            });
            geo.extend(country.zip(destination));
        }
        Some(geo)
    }

    fn show(&self) -> Value {
        let shown = self.iter();
        let shown = shown.map(|(code, to)| (code.to_string(), to.as_str().into()));
        Value::Object(shown.collect::<Map<_, _>>())
    }
}

impl Member for Rules {
    type Raw = Vec<Value>;

    const KIND: Kind = Kind::Json;

    fn schema() -> Schema {
        json_schema!({"type": "array", "items": {"type": "object"}, "maxItems": Self::MAX})
    }

    fn read(reader: &mut MemberReader<'_>, _: &str, raw: &Vec<Value>) -> Option<Self> {
        routing::rules(reader.validation, raw, reader.bounds)
    }

    fn show(&self) -> Value {
        show_rules(self).into()
    }
}

impl Member for Split {
    type Raw = Vec<Value>;

    const KIND: Kind = Kind::Json;

    fn schema() -> Schema {
        json_schema!({"type": "array", "items": {"type": "object"}, "maxItems": Self::MAX})
    }

    fn read(reader: &mut MemberReader<'_>, _: &str, raw: &Vec<Value>) -> Option<Self> {
        routing::split(reader.validation, raw, reader.bounds)
    }

    fn show(&self) -> Value {
        show_split(self).into()
    }
}
