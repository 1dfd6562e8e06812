//! The JSON texts of the links of an import, and their unknown names.

use std::{collections::BTreeSet, fmt, ops::ControlFlow};

use jiff::tz::TimeZone;
use serde::de::{DeserializeSeed, Deserializer, Error as _, SeqAccess, Visitor};
use serde_json::{Value, value::RawValue};

use super::{
    import_link::ImportLink,
    moving::{ReadLink, records_of, settle},
    parts::IN_TABLES,
    table::{self, MOST_VALUES, has_too_many_values},
};
use crate::{
    Code, Problem,
    issue::{Issue, IssueCode},
    reader::read,
    synonyms::meant,
    unknown::{UnknownNames, nearest},
};

/// Reads a link of well-formed JSON, and notes its unknown members.
pub(super) fn read_link(text: &RawValue, names: &mut IgnoredNames) -> Result<ImportLink, Problem> {
    let mut value = parse(text)?;
    give_our_names(&mut value);
    names.look_at_link(&value)?;
    read(&value)
}

/// Reads the links in well-formed JSON: some of other products have several addresses.
fn read_links(text: &RawValue, names: &mut IgnoredNames, zone: &TimeZone) -> Vec<ReadLink> {
    let link = parse(text).ok();
    let link = link.as_ref().and_then(Value::as_object);
    match link.and_then(|link| records_of(link, |name| names.ignore(name))) {
        Some(records) => {
            let found = |record| settle(record, "json", zone);
            records.into_iter().map(found).collect()
        }
        None => vec![read_link(text, names).into()],
    }
}

fn parse(text: &RawValue) -> Result<Value, Problem> {
    if has_too_many_values(text.get()) {
        return Err(Problem::invalid(vec![Issue {
            code: IssueCode::TooBig,
            path: Vec::new(),
            message: format!("Too big: a link holds at most {MOST_VALUES} values"),
            expected: "the members of one link".into(),
        }]));
    }
    serde_json::from_str(text.get()).map_err(|error| malformed(&error))
}

/// Renames members of other programs, where the link has none of our name.
fn give_our_names(link: &mut Value) {
    let Some(link) = link.as_object_mut() else {
        return;
    };
    let foreign = link.keys().filter(|name| table::kind(name).is_none());
    let called = foreign.filter_map(|name| Some((name.clone(), table::column_of_others(name)?)));
    for (name, part) in called.collect::<Vec<_>>() {
        if !link.contains_key(part.name)
            && let Some(value) = link.remove(&name)
        {
            link.insert(part.name.to_owned(), value);
        }
    }
}

/// The links of a JSON list, which are passed on one by one until `each` breaks.
pub(super) struct Links<'e> {
    pub(super) each: &'e mut dyn FnMut(ReadLink) -> ControlFlow<()>,
    pub(super) names: &'e mut IgnoredNames,
    pub(super) zone: &'e TimeZone,
    /// True once `each` broke. The error of the parser then means nothing.
    pub(super) stopped: bool,
}

impl<'de> DeserializeSeed<'de> for &mut Links<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for &mut Links<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of links")
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut links: S) -> Result<(), S::Error> {
        while let Some(text) = links.next_element::<Box<RawValue>>()? {
            for link in read_links(&text, self.names, self.zone) {
                if (self.each)(link).is_break() {
                    self.stopped = true;
                    return Err(S::Error::custom("stopped"));
                }
            }
        }
        Ok(())
    }
}

pub(super) fn malformed(error: &serde_json::Error) -> Problem {
    Problem::new(Code::InvalidJson, format!("Invalid JSON body: {error}"))
}

impl ImportLink {
    /// Returns the member that a name means, if other programs call it so. An import takes it for
    /// the member if the values have the same form, and ignores it otherwise.
    pub fn member_meant(name: &str) -> Option<&'static str> {
        meant(name).filter(|member| table::kind(member).is_some())
    }
}

/// Unknown names that were ignored, each once.
#[derive(Debug, Default)]
pub(super) struct IgnoredNames(BTreeSet<String>);

impl IgnoredNames {
    /// Notes the unknown members of a link.
    ///
    /// # Errors
    /// An unknown name resembles a known one, so it was probably mistyped.
    pub(super) fn look_at_link(&mut self, link: &Value) -> Result<(), Problem> {
        let mut names = link.as_object().into_iter().flat_map(|link| link.keys());
        // Most of the time, all links have the names of the first link.
        if names.all(|name| table::kind(name).is_some() || self.0.contains(name)) {
            return Ok(());
        }
        for name in UnknownNames::of::<ImportLink>(link).refuse_mistyped()? {
            self.ignore(&name);
        }
        Ok(())
    }

    /// Notes an unknown column, which is none in another spelling either.
    ///
    /// # Errors
    /// Returns the column whose name it resembles.
    pub(super) fn look_at_column(&mut self, name: &str) -> Result<(), &'static str> {
        let known: Vec<String> = IN_TABLES.iter().map(|part| part.name.to_owned()).collect();
        if meant(name).is_none()
            && let Some(near) = nearest(name, &known)
        {
            let near = IN_TABLES.iter().find(|part| part.name == near);
            return Err(near.expect("it is one of them").name);
        }
        self.ignore(name);
        Ok(())
    }

    fn ignore(&mut self, name: &str) {
        /// A file with more unknown names than this has data in place of column names.
        const MOST: usize = 100;
        const LONGEST: usize = 64;
        if !name.is_empty() && self.0.len() < MOST {
            self.0.insert(name.chars().take(LONGEST).collect());
        }
    }

    pub(super) fn into_names(self) -> Vec<String> {
        self.0.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::bounds::Bounds;

    #[test]
    fn foreign_names_are_kept_once_and_mistyped_ones_refused() {
        let mut names = IgnoredNames::default();
        for _ in 0..3 {
            let link = json!({"slug": "a", "url": "u", "clicks": 5, "owner": "me"});
            names.look_at_link(&link).unwrap();
        }
        let mistyped = names.look_at_link(&json!({"slug": "a", "tgas": ["x"]}));
        assert_eq!(
            mistyped.unwrap_err().detail,
            r#"tgas: Unrecognized key: "tgas", did you mean "tags"? (expected tags)"#
        );
        assert_eq!(names.look_at_column("expirationn"), Err("expiration"));
        assert_eq!(names.look_at_column("folder"), Ok(()));
        assert_eq!(names.look_at_column(""), Ok(()));
        assert_eq!(names.into_names(), ["clicks", "folder", "owner"]);
    }

    #[test]
    fn names_of_other_programs_are_taken_for_ours_where_the_values_have_the_same_form() {
        let mut names = IgnoredNames::default();
        let link = json!({"shortCode": "a", "longUrl": "https://e.example/", "ttl": 5,
            "validUntil": 1_900_000_000, "enabled": true, "note": "n", "comment": "c"});
        let text = RawValue::from_string(link.to_string()).unwrap();
        let link = read_link(&text, &mut names).unwrap();
        let link = link.validate(&Bounds::default()).unwrap();
        assert_eq!(link.slug.unwrap().as_str(), "a");
        assert_eq!(link.content.expires_at.unwrap().get(), 1_900_000_000);
        assert_eq!(link.content.comment.unwrap().as_str(), "c");
        assert!(!link.content.life.disabled);
        assert_eq!(names.into_names(), ["enabled", "note", "ttl"]);
        assert_eq!(ImportLink::member_meant("TTL"), Some("expiration"));
        assert_eq!(ImportLink::member_meant("query"), None, "links have no q");
    }

    #[test]
    fn a_file_with_endless_names_does_not_fill_the_memory() {
        let mut names = IgnoredNames::default();
        for number in 0..1000 {
            let name = format!("{number}{}", "x".repeat(1000));
            names.look_at_link(&json!({name: 1})).unwrap();
        }
        let names = names.into_names();
        assert_eq!(names.len(), 100);
        assert!(names.iter().all(|name| name.len() == 64));
    }
}
