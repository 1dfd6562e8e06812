//! Members of an input that its type does not have.
//!
//! Serde drops them. Without this module a mistyped name would give a wrong answer
//! without an error: a link without its password, or the visits of all links instead
//! of one.

use std::{
    any::TypeId,
    collections::BTreeMap,
    sync::{PoisonError, RwLock},
};

use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::Value;
use strsim::damerau_levenshtein;

use crate::{
    issue::{Issue, IssueCode},
    problem::Problem,
};

/// The unknown names of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownNames {
    members: &'static Members,
    unknown: Vec<String>,
}

/// The members that a schema lists.
#[derive(Debug, PartialEq, Eq)]
struct Members {
    names: Vec<String>,
    /// True if the schema allows no other members.
    closed: bool,
}

impl UnknownNames {
    /// Compares the members of an object with those that the schema of `T` lists. Other
    /// JSON values have no members.
    pub fn of<T: JsonSchema + 'static>(value: &Value) -> Self {
        let members = members_of::<T>();
        let names = value
            .as_object()
            .into_iter()
            .flat_map(|object| object.keys());
        Self {
            members,
            unknown: names
                .filter(|name| !members.names.contains(name))
                .cloned()
                .collect(),
        }
    }

    /// # Errors
    /// There is an unknown name. The faults suggest the names that were probably meant.
    pub fn refuse_all(&self) -> Result<(), Problem> {
        refuse(self.unknown.iter().map(|name| self.fault(name)).collect())
    }

    /// Returns the unknown names that resemble no known one.
    ///
    /// # Errors
    /// A name resembles a known one, so it is probably mistyped; or the schema allows no
    /// other members, and there is any unknown name.
    pub fn refuse_mistyped(self) -> Result<Vec<String>, Problem> {
        if self.members.closed {
            self.refuse_all()?;
        }
        let (mistyped, foreign): (Vec<_>, Vec<_>) = self
            .unknown
            .iter()
            .partition(|name| nearest(name, &self.members.names).is_some());
        refuse(mistyped.into_iter().map(|name| self.fault(name)).collect())?;
        Ok(foreign.into_iter().cloned().collect())
    }

    fn fault(&self, name: &str) -> Issue {
        let (message, expected) = match nearest(name, &self.members.names) {
            Some(known) => (
                format!("Unrecognized key: {name:?}, did you mean {known:?}?"),
                known.to_owned(),
            ),
            None => (
                format!("Unrecognized key: {name:?}"),
                match &*self.members.names {
                    [] => "no members".to_owned(),
                    known => format!("one of {}", known.join(", ")),
                },
            ),
        };
        Issue {
            code: IssueCode::UnrecognizedKeys,
            path: vec![name.to_owned()],
            message,
            expected,
        }
    }
}

fn refuse(faults: Vec<Issue>) -> Result<(), Problem> {
    if faults.is_empty() {
        Ok(())
    } else {
        Err(Problem::invalid(faults))
    }
}

/// Returns the known name that this one resembles: they differ by a typing error, or only
/// in case, hyphens and underscores.
pub(crate) fn nearest<'k>(name: &str, known: &'k [String]) -> Option<&'k str> {
    /// A longer name is not a typing error; comparing it would only cost time.
    const LONGEST: usize = 64;
    if name.len() > LONGEST {
        return None;
    }
    let plain = |text: &str| text.to_lowercase().replace(['_', '-', ' '], "");
    let sent = plain(name);
    let slips = match sent.chars().count() {
        // Two letters are similar to almost any name.
        0..=2 => 0,
        3..=5 => 1,
        _ => 2,
    };
    known
        .iter()
        .map(|known| (damerau_levenshtein(&plain(known), &sent), known.as_str()))
        .filter(|(distance, _)| *distance <= slips)
        .min()
        .map(|(_, known)| known)
}

/// Returns the members of a type, computed once for each type.
fn members_of<T: JsonSchema + 'static>() -> &'static Members {
    static KNOWN: RwLock<BTreeMap<TypeId, &'static Members>> = RwLock::new(BTreeMap::new());

    let this = TypeId::of::<T>();
    let known = KNOWN.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(members) = known.get(&this) {
        return members;
    }
    drop(known);
    let schema = SchemaSettings::draft2020_12()
        .into_generator()
        .into_root_schema_for::<T>();
    let properties = schema.get("properties").and_then(Value::as_object);
    let members = Members {
        names: properties
            .into_iter()
            .flat_map(|properties| properties.keys().cloned())
            .collect(),
        closed: schema.get("additionalProperties") == Some(&Value::Bool(false)),
    };
    // There is one entry for each type, and all are needed until the process ends.
    let members: &'static Members = Box::leak(Box::new(members));
    KNOWN
        .write()
        .unwrap_or_else(PoisonError::into_inner)
        .insert(this, members);
    members
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;
    use crate::{CheckLinks, CreateLink, ListLinks};

    #[rstest]
    #[case("pasword", Some("password"))]
    #[case("Password", Some("password"))]
    #[case("expire", None)]
    #[case("redirect_with_query", Some("redirectWithQuery"))]
    #[case("slgu", Some("slug"))]
    #[case("tgas", Some("tags"))]
    #[case("tag", Some("tags"))]
    #[case("newSlug", None)]
    #[case("zz", None)]
    #[case("shortLink", None)]
    fn slips_are_told_from_names_of_others(#[case] name: &str, #[case] known: Option<&str>) {
        assert_eq!(nearest(name, &members_of::<CreateLink>().names), known);
    }

    #[test]
    fn what_is_mistyped_is_refused_and_what_is_foreign_is_named() {
        let body = json!({"url": "https://example.com/", "pasword": "x", "zz": 1});
        let names = UnknownNames::of::<CreateLink>(&body);
        let problem = names.clone().refuse_mistyped().unwrap_err();
        assert_eq!(problem.issues.len(), 1);
        assert_eq!(problem.issues[0].path, ["pasword"]);
        assert_eq!(
            problem.issues[0].message,
            r#"Unrecognized key: "pasword", did you mean "password"?"#
        );
        assert_eq!(names.refuse_all().unwrap_err().issues.len(), 2);

        let foreign = UnknownNames::of::<CreateLink>(&json!({"url": "u", "zz": 1}));
        assert_eq!(foreign.refuse_mistyped().unwrap(), ["zz"]);
    }

    #[test]
    fn a_closed_schema_takes_no_other_names() {
        let names = UnknownNames::of::<CheckLinks>(&json!({"zz": 1}));
        assert!(names.refuse_mistyped().is_err());
    }

    #[test]
    fn every_known_name_passes() {
        let mut body = serde_json::Map::new();
        for name in &members_of::<ListLinks>().names {
            body.insert(name.clone(), json!(""));
        }
        assert!(!body.is_empty());
        let names = UnknownNames::of::<ListLinks>(&Value::Object(body));
        assert_eq!(names.refuse_all(), Ok(()));
        assert_eq!(UnknownNames::of::<ListLinks>(&json!([1])).unknown, [""; 0]);
    }
}
