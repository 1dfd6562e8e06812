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
    Problem,
    issue::{Issue, IssueCode},
    synonyms::{is_new_slug, is_trial, meant, plain, same_form},
};

/// The unknown names of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownNames {
    members: &'static Members,
    unknown: Vec<UnknownName>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct UnknownName {
    name: String,
    stands_for: StandsFor,
}

/// The member that an unknown name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StandsFor {
    /// The name resembles this one, so it is probably mistyped.
    Mistyped(&'static str),
    /// Other programs call this member so, and it was not sent itself.
    Synonym(&'static str),
    /// Other programs call this member so, which was sent itself: there are two values for it.
    Second(&'static str),
    /// The name asks for another slug of a link that exists.
    Rename,
    /// The name asks that nothing be stored, of an operation that always stores.
    Trial,
    /// The name stands for none.
    Nothing,
}

/// Members that answers show of a link, and that no body sets. A client that sends a link back
/// sends them, too, and means nothing by it.
const READ_ONLY: [&str; 3] = ["broken", "status", "visitsLeft"];

/// The members that a schema lists.
#[derive(Debug, PartialEq, Eq)]
struct Members {
    names: Vec<String>,
    /// True if the schema allows no other members.
    closed: bool,
    /// True if the input names a link that exists by its slug.
    of_a_link: bool,
}

impl UnknownNames {
    /// Compares the members of an object with those that the schema of `T` lists. Other
    /// JSON values have no members.
    pub fn of<T: JsonSchema + 'static>(value: &Value) -> Self {
        let members = members_of::<T>();
        let object = value.as_object();
        let names = object.into_iter().flat_map(|object| object.keys());
        let was_sent = |member: &str| object.is_some_and(|object| object.contains_key(member));
        let unknown = names
            .filter(|name| !members.names.contains(name))
            .filter(|name| !members.are_of_a_link() || !READ_ONLY.contains(&name.as_str()));
        Self {
            members,
            unknown: unknown
                .map(|name| UnknownName {
                    name: name.clone(),
                    stands_for: members.meant_by(name, was_sent),
                })
                .collect(),
        }
    }

    /// Checks the query of an operation whose members stand in the body, where the operation would not see
    /// that the client asks that nothing be stored. Other names mean nothing there.
    ///
    /// # Errors
    /// The query asks for that.
    pub fn refuse_trial(query: &Value) -> Result<(), Problem> {
        let members = query.as_object();
        let names = members.into_iter().flat_map(|members| members.keys());
        let faults = names.filter(|name| is_trial(name)).map(|name| Issue {
            code: IssueCode::UnrecognizedKeys,
            path: vec![name.clone()],
            message: format!("{name:?} stands in the query, so nothing was done"),
            expected: "validateOnly in the body, if this operation takes it".to_owned(),
        });
        refuse(faults.collect())
    }

    /// # Errors
    /// There is an unknown name. The faults suggest the names that were probably meant.
    pub fn refuse_all(&self) -> Result<(), Problem> {
        let faults = self.unknown.iter().map(|name| self.fault(name));
        refuse(faults.collect())
    }

    /// Returns the unknown names that stand for no known one.
    ///
    /// # Errors
    /// A name stands for a known one; or the schema allows no other members, and there is any
    /// unknown name.
    pub fn refuse_meant(self) -> Result<Vec<String>, Problem> {
        self.refuse_if(|stands_for| stands_for != StandsFor::Nothing)
    }

    /// Returns the unknown names that are not mistyped, for files of other programs: those may
    /// hold anything.
    ///
    /// # Errors
    /// A name is mistyped.
    pub(crate) fn refuse_mistyped(self) -> Result<Vec<String>, Problem> {
        self.refuse_if(|stands_for| matches!(stands_for, StandsFor::Mistyped(_)))
    }

    fn refuse_if(self, is_fault: impl Fn(StandsFor) -> bool) -> Result<Vec<String>, Problem> {
        if self.members.closed {
            self.refuse_all()?;
        }
        let unknown = self.unknown.iter();
        let (faults, foreign): (Vec<_>, Vec<_>) =
            unknown.partition(|unknown| is_fault(unknown.stands_for));
        refuse(faults.into_iter().map(|name| self.fault(name)).collect())?;
        let foreign = foreign.into_iter().map(|unknown| unknown.name.clone());
        Ok(foreign.collect())
    }

    fn fault(&self, UnknownName { name, stands_for }: &UnknownName) -> Issue {
        let (message, expected) = match stands_for {
            StandsFor::Mistyped(known) | StandsFor::Synonym(known) => (
                format!("Unrecognized key: {name:?}, did you mean {known:?}?"),
                (*known).to_owned(),
            ),
            StandsFor::Second(known) => (
                format!("{name:?} and {known:?} mean the same"),
                format!("{known} alone"),
            ),
            StandsFor::Rename => (
                "a slug cannot change; make a new link and delete this one".to_owned(),
                format!("no {name}"),
            ),
            StandsFor::Trial => (
                format!("this operation does not take {name:?}, so nothing was done"),
                format!("no {name}, to have it done"),
            ),
            StandsFor::Nothing => (
                format!("Unrecognized key: {name:?}"),
                match &*self.members.names {
                    [] => "no members".to_owned(),
                    known => format!("one of {}", known.join(", ")),
                },
            ),
        };
        Issue {
            code: IssueCode::UnrecognizedKeys,
            path: vec![name.clone()],
            message,
            expected,
        }
    }
}

impl Members {
    /// Returns whether they are the members of a link.
    fn are_of_a_link(&self) -> bool {
        self.names.iter().any(|name| name == "maxVisits")
    }

    fn meant_by(&'static self, name: &str, was_sent: impl Fn(&str) -> bool) -> StandsFor {
        if self.of_a_link && is_new_slug(name) {
            return StandsFor::Rename;
        }
        let is_member = |member: &&str| self.names.iter().any(|known| known == member);
        // A name of other programs is not mistyped, however near it is to one of ours.
        let stands_for = match meant(name).filter(is_member) {
            Some(known) if !was_sent(known) => StandsFor::Synonym(known),
            Some(known) if same_form(name) == Some(known) => StandsFor::Second(known),
            // Beside `slug`, `shortUrl` is what a service answered.
            Some(_) => StandsFor::Nothing,
            None => nearest(name, &self.names).map_or(StandsFor::Nothing, StandsFor::Mistyped),
        };
        if stands_for == StandsFor::Nothing && is_trial(name) {
            return StandsFor::Trial;
        }
        stands_for
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
    let required = schema.get("required").and_then(Value::as_array);
    let members = Members {
        names: properties
            .into_iter()
            .flat_map(|properties| properties.keys().cloned())
            .collect(),
        closed: schema.get("additionalProperties") == Some(&Value::Bool(false)),
        of_a_link: required.is_some_and(|names| names.iter().any(|name| name == "slug")),
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
    use crate::{
        links::{
            CreateLink, EditLink, ImportLink, LinkDeletion, ListLinks, PatchLink, RestoreLink,
            SearchLinks, UpdateLink,
        },
        stats::AnalyticsFilter,
        tokens::RevokeToken,
    };

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
    fn what_no_body_sets_is_ignored_where_a_link_is_sent_back() {
        let sent = json!({"slug": "a", "url": "u", "visitsLeft": 5, "status": "active"});
        assert_eq!(UnknownNames::of::<EditLink>(&sent).refuse_all(), Ok(()));
        assert_eq!(UnknownNames::of::<UpdateLink>(&sent).refuse_all(), Ok(()));
        assert!(UnknownNames::of::<RevokeToken>(&sent).refuse_all().is_err());
    }

    #[test]
    fn what_is_mistyped_is_refused_and_what_is_foreign_is_named() {
        let body = json!({"url": "https://example.com/", "pasword": "x", "zz": 1});
        let names = UnknownNames::of::<CreateLink>(&body);
        let problem = names.clone().refuse_meant().unwrap_err();
        assert_eq!(problem.issues.len(), 1);
        assert_eq!(problem.issues[0].path, ["pasword"]);
        assert_eq!(
            problem.issues[0].message,
            r#"Unrecognized key: "pasword", did you mean "password"?"#
        );
        assert_eq!(names.refuse_all().unwrap_err().issues.len(), 2);

        let foreign = UnknownNames::of::<CreateLink>(&json!({"url": "u", "zz": 1}));
        assert_eq!(foreign.refuse_meant().unwrap(), ["zz"]);
    }

    fn said<T: JsonSchema + 'static>(name: &str) -> Result<Vec<String>, String> {
        let names = UnknownNames::of::<T>(&json!({name: "x"}));
        names
            .refuse_meant()
            .map_err(|problem| problem.issues[0].message.clone())
    }

    #[rstest]
    #[case("expires", "expiration")]
    #[case("expires_at", "expiration")]
    #[case("alias", "slug")]
    #[case("customSlug", "slug")]
    #[case("newSlug", "slug")]
    #[case("longUrl", "url")]
    #[case("target", "url")]
    #[case("key", "slug")]
    #[case("customurl", "slug")]
    #[case("expire_in", "expiration")]
    #[case("validSince", "startsAt")]
    #[case("maxClicks", "maxVisits")]
    #[case("clickLimit", "maxVisits")]
    #[case("oneTime", "maxVisits")]
    #[case("enabled", "disabled")]
    #[case("archived", "disabled")]
    #[case("ios", "apple")]
    #[case("android", "google")]
    #[case("forwardQuery", "redirectWithQuery")]
    #[case("shortUrl", "slug")]
    fn what_other_programs_call_a_member_is_refused_with_its_name(
        #[case] name: &str,
        #[case] member: &str,
    ) {
        let expected = format!("Unrecognized key: {name:?}, did you mean {member:?}?");
        assert_eq!(said::<CreateLink>(name), Err(expected.clone()));
        if name != "newSlug" {
            assert_eq!(said::<EditLink>(name), Err(expected.clone()));
            assert_eq!(said::<PatchLink>(name), Err(expected));
        }
        // Beside the member itself it is a second value, if it has the same form. With another form,
        // and where there is no such member, it is a name like any other.
        let sent = json!({name: "x", member: "y"});
        let both = UnknownNames::of::<CreateLink>(&sent).refuse_meant();
        if same_form(name).is_some() {
            let issue = both.unwrap_err().issues.remove(0);
            let message = format!("{name:?} and {member:?} mean the same");
            assert_eq!(
                (issue.message, issue.expected),
                (message, format!("{member} alone"))
            );
        } else {
            assert_eq!(both.unwrap(), [name]);
        }
        assert_eq!(said::<RevokeToken>(name), Ok(vec![name.to_owned()]));
        // A file of another program may hold anything.
        let body = json!({name: "x"});
        let names = UnknownNames::of::<ImportLink>(&body).refuse_mistyped();
        assert_eq!(names.unwrap(), [name]);
    }

    #[test]
    fn whoever_renames_a_link_learns_that_slugs_stay() {
        for refused in [
            said::<EditLink>("newSlug"),
            said::<PatchLink>("new_slug"),
            said::<UpdateLink>("newSlug"),
        ] {
            let message = "a slug cannot change; make a new link and delete this one";
            assert_eq!(refused, Err(message.to_owned()));
        }
    }

    #[test]
    fn a_search_for_a_query_and_a_question_about_the_last_days_are_refused() {
        let meant = |refused: Result<Vec<String>, String>| refused.unwrap_err();
        assert!(meant(said::<SearchLinks>("query")).contains(r#"mean "q"?"#));
        assert!(meant(said::<AnalyticsFilter>("last")).contains(r#"mean "startAt"?"#));
        assert!(meant(said::<AnalyticsFilter>("until")).contains(r#"mean "endAt"?"#));
    }

    #[test]
    fn what_asks_that_nothing_be_stored_is_never_ignored() {
        for name in ["validateOnly", "validate_only", "dryRun"] {
            for refused in [said::<LinkDeletion>(name), said::<RestoreLink>(name)] {
                let message = format!("this operation does not take {name:?}, so nothing was done");
                assert_eq!(refused, Err(message));
            }
            let query = json!({name: "false", "zz": "1"});
            let issues = UnknownNames::refuse_trial(&query).unwrap_err().issues;
            assert_eq!((issues.len(), &issues[0].path), (1, &vec![name.to_owned()]));
        }
        assert_eq!(UnknownNames::refuse_trial(&json!({"zz": "1"})), Ok(()));
        assert!(
            said::<CreateLink>("dryRun")
                .unwrap_err()
                .contains(r#"mean "validateOnly"?"#)
        );
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
        assert_eq!(UnknownNames::of::<ListLinks>(&json!([1])).unknown, []);
    }
}
