//! Reads the links of a request's JSON body, one after the other.
//!
//! The body of an import has many megabytes, and a parsed document of it would take
//! many times as much memory. So this module scans the body in place, skips everything
//! but the links, and parses one link at a time.

use std::{fmt, ops::ControlFlow};

use serde::{
    Deserialize,
    de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Map, Value, value::RawValue};

use super::{
    gathering::Gathering,
    import_link::ImportLink,
    import_names::IgnoredNames,
    link_text::{malformed, read_link},
};
use crate::{Problem, reader::read};

/// Reads the links of the body into `gathering`, until that has enough. Returns the
/// unknown names of the links' members.
///
/// # Errors
/// The body is not JSON, or not an object.
pub(super) fn read_body(
    body: &[u8],
    gathering: &mut Gathering<'_>,
) -> Result<Vec<String>, Problem> {
    let Envelope { members, links } = envelope(body)?;
    gathering.envelope(&read(&members)?);
    let mut names = IgnoredNames::default();
    if let Some(links) = links.filter(|links| links.get().starts_with('[')) {
        let mut json = serde_json::Deserializer::from_str(links.get());
        let each = |link| gathering.take(link);
        let names = &mut names;
        Links { each, names }
            .deserialize(&mut json)
            .map_err(|error| malformed(&error))?;
    }
    Ok(names.into_names())
}

/// The body without its links, and the text of the links.
struct Envelope<'b> {
    /// Arrays and objects among the members are empty, because only their type matters.
    members: Value,
    links: Option<&'b RawValue>,
}

fn envelope(body: &[u8]) -> Result<Envelope<'_>, Problem> {
    if body.is_empty() {
        let members = Value::Null;
        return Ok(Envelope {
            members,
            links: None,
        });
    }
    // The rest of this function knows that the body is JSON.
    let whole: &RawValue = serde_json::from_slice(body).map_err(|error| malformed(&error))?;
    if whole.get().starts_with('{') {
        return serde_json::from_str(whole.get()).map_err(|error| malformed(&error));
    }
    Ok(Envelope {
        members: outline(whole)?,
        links: None,
    })
}

/// Returns the value, emptied if it is an array or an object.
fn outline(text: &RawValue) -> Result<Value, Problem> {
    match text.get().as_bytes().first() {
        Some(b'[') => Ok(Value::Array(Vec::new())),
        Some(b'{') => Ok(Value::Object(Map::new())),
        Some(_) | None => serde_json::from_str(text.get()).map_err(|error| malformed(&error)),
    }
}

impl<'b> Deserialize<'b> for Envelope<'b> {
    fn deserialize<D: Deserializer<'b>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Members)
    }
}

/// The members of the body.
const MEMBERS: [&str; 5] = ["version", "exportedAt", "count", "links", "validateOnly"];

struct Members;

impl<'b> Visitor<'b> for Members {
    type Value = Envelope<'b>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'b>>(self, mut map: M) -> Result<Envelope<'b>, M::Error> {
        let (mut members, mut links) = (Map::new(), None);
        while let Some(name) = map.next_key::<String>()? {
            if !MEMBERS.contains(&name.as_str()) {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let text: &'b RawValue = map.next_value()?;
            if name == "links" {
                links = Some(text);
            }
            let outline = outline(text).map_err(serde::de::Error::custom)?;
            members.insert(name, outline);
        }
        let members = Value::Object(members);
        Ok(Envelope { members, links })
    }
}

/// A list of links, which are passed on one by one.
struct Links<'n, F> {
    each: F,
    names: &'n mut IgnoredNames,
}

impl<'b, F> DeserializeSeed<'b> for Links<'_, F>
where
    F: FnMut(Result<ImportLink, Problem>) -> ControlFlow<()>,
{
    type Value = ();

    fn deserialize<D: Deserializer<'b>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'b, F> Visitor<'b> for Links<'_, F>
where
    F: FnMut(Result<ImportLink, Problem>) -> ControlFlow<()>,
{
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of links")
    }

    fn visit_seq<S: SeqAccess<'b>>(mut self, mut links: S) -> Result<(), S::Error> {
        while let Some(text) = links.next_element::<&'b RawValue>()? {
            if (self.each)(read_link(text, self.names)).is_break() {
                while links.next_element::<IgnoredAny>()?.is_some() {}
                break;
            }
        }
        Ok(())
    }
}
