//! Rules and splits of links on the wire.
//!
//! A rule is `{"when": {…}, "url": …}`. In `when` a list holds if one of its values does, `{"not":
//! […]}` if none does, and one text is a list of it. The domain knows the names and the values.

use serde_json::{Map, Value};
use slugline_domain::{
    Country, Destination, Rules, Split, TimeZoneName,
    routing::{
        Condition, ConditionError, ConditionForm, ConditionKind, Continent, Rule, RulesError,
        Share, SplitError,
    },
};
use url::form_urlencoded;

use super::shown_routing::{NOT, TIME_ZONE};
use crate::{
    bounds::Bounds,
    issue::{Explain, Fault, IssueCode},
    scalars::Instant,
    sent::{Sent, Wire, type_of},
    stats::is_known_zone,
    unknown::nearest,
    validation::Validation,
};

/// Parses rules; `None` after it noted a fault.
pub(super) fn rules(validation: &mut Validation, sent: &[Value], bounds: &Bounds) -> Option<Rules> {
    // A long list is not read.
    if sent.len() > Rules::MAX {
        return validation.member(&["rules"], Err(RulesError(sent.len())));
    }
    let parsed: Vec<Option<Rule>> = sent
        .iter()
        .enumerate()
        .map(|(index, sent)| rule(validation, &index.to_string(), sent, bounds))
        .collect();
    let rules = parsed.into_iter().collect::<Option<Vec<Rule>>>()?;
    validation.member(&["rules"], Rules::new(rules))
}

fn rule(validation: &mut Validation, index: &str, sent: &Value, bounds: &Bounds) -> Option<Rule> {
    let path = ["rules", index];
    let members = object(validation, &path, sent, &["when", "url"])?;
    let destination = destination(validation, &path, members, bounds);
    let path = ["rules", index, "when"];
    let when = members.get("when").unwrap_or(&Value::Null);
    let Value::Object(when) = when else {
        let received = type_of(when);
        let received = if received == "null" {
            "undefined"
        } else {
            received
        };
        validation.note(&path, no_object(received));
        return None;
    };
    let (mut conditions, mut zone, mut is_whole) = (Vec::new(), None, true);
    for (name, value) in when {
        let path = ["rules", index, "when", name];
        let found = if name == TIME_ZONE {
            zone = self::zone(validation, &path, value);
            zone.is_some()
        } else {
            let condition = condition(validation, &path, name, value);
            let is_there = condition.is_some();
            conditions.extend(condition);
            is_there
        };
        is_whole &= found;
    }
    if !is_whole {
        return None;
    }
    validation.member(&path, Rule::new(conditions, zone, destination?))
}

fn condition(
    validation: &mut Validation,
    path: &[&str],
    name: &str,
    value: &Value,
) -> Option<Condition> {
    let Some(kind) = ConditionKind::named(name) else {
        validation.note(path, unknown(name, &condition_names()));
        return None;
    };
    let Some((negated, texts)) = texts(kind, value) else {
        let expected = form(kind);
        let received = type_of(value);
        let message = format!("Invalid input: expected {expected}, received {received}");
        validation.note(path, (IssueCode::InvalidType, message, expected.to_owned()));
        return None;
    };
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let condition = validation.member(path, Condition::parse(kind, negated, &texts))?;
    if kind == ConditionKind::Country
        && let Some(code) = texts.iter().find(|code| !is_inhabited(code))
    {
        let message = format!("nobody comes from the country {code:?}; the United Kingdom is GB");
        let expected = "a country of ISO 3166-1, such as DE";
        validation.note(path, (IssueCode::Custom, message, expected.to_owned()));
        return None;
    }
    Some(condition)
}

/// False for a code without a country, such as `UK` or `EU`. A stored condition may have one.
fn is_inhabited(code: &str) -> bool {
    Country::parse(code).is_ok_and(|country| Continent::of(country).is_some())
}

/// The texts of a value, and whether `not` turns it; `None` if it has another form.
fn texts(kind: ConditionKind, value: &Value) -> Option<(bool, Vec<String>)> {
    match kind.form() {
        ConditionForm::Flag => Some((false, vec![value.as_bool()?.to_string()])),
        ConditionForm::Bound => Some((false, vec![bound(value)?])),
        ConditionForm::Parameters => {
            let members = value.as_object()?.iter();
            let parameters = members.map(|(name, value)| parameter(name, value));
            Some((false, parameters.collect::<Option<_>>()?))
        }
        ConditionForm::List => match value.as_object() {
            Some(members) if members.len() == 1 => Some((true, list(members.get(NOT)?)?)),
            Some(_) | None => Some((false, list(value)?)),
        },
    }
}

fn list(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::String(text) => Some(vec![text.clone()]),
        Value::Array(items) => {
            let texts = items.iter().map(|item| item.as_str().map(str::to_owned));
            texts.collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    }
}

/// A day stays a text, because the rule's time zone decides when it begins.
fn bound(value: &Value) -> Option<String> {
    if let Value::String(text) = value
        && text.trim().len() == "2026-12-01".len()
    {
        return Some(text.clone());
    }
    let moment = Instant::from_json(value.clone())?.planned().ok()?;
    Some(moment.to_string())
}

fn parameter(name: &str, value: &Value) -> Option<String> {
    let encoded = |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
    match value {
        Value::Bool(true) => Some(encoded(name)),
        Value::String(value) => Some(format!("{}={}", encoded(name), encoded(value))),
        Value::Null
        | Value::Bool(false)
        | Value::Number(_)
        | Value::Array(_)
        | Value::Object(_) => None,
    }
}

fn form(kind: ConditionKind) -> &'static str {
    match kind.form() {
        ConditionForm::Flag => "boolean",
        ConditionForm::Bound => {
            "Unix seconds, or a text such as 2027-01-01T12:00:00Z or 2027-01-01"
        }
        ConditionForm::Parameters => "object of texts, or true for any value",
        ConditionForm::List => "array of strings, or {\"not\": array of strings}",
    }
}

fn zone(validation: &mut Validation, path: &[&str], value: &Value) -> Option<TimeZoneName> {
    let found = value
        .as_str()
        .filter(|name| is_known_zone(name))
        .and_then(TimeZoneName::new);
    if found.is_none() {
        let message = "no time zone has this name".to_owned();
        let expected = "a name such as Europe/Berlin".to_owned();
        validation.note(path, (IssueCode::InvalidValue, message, expected));
    }
    found
}

/// Parses a split; `None` after it noted a fault.
pub(super) fn split(validation: &mut Validation, sent: &[Value], bounds: &Bounds) -> Option<Split> {
    if sent.len() > Split::MAX {
        return validation.member(&["split"], Err(SplitError::Count(sent.len())));
    }
    let parsed: Vec<Option<Share>> = sent
        .iter()
        .enumerate()
        .map(|(index, sent)| share(validation, &index.to_string(), sent, bounds))
        .collect();
    let shares = parsed.into_iter().collect::<Option<Vec<Share>>>()?;
    validation.member(&["split"], Split::new(shares))
}

fn share(validation: &mut Validation, index: &str, sent: &Value, bounds: &Bounds) -> Option<Share> {
    let path = ["split", index];
    let members = object(validation, &path, sent, &["url", "weight"])?;
    let destination = destination(validation, &path, members, bounds);
    let weight = members.get("weight").and_then(Value::as_f64);
    // Whole numbers alone; JSON writes them as `30` or `30.0`.
    let weight = (1_u8..=100).find(|&whole| weight == Some(f64::from(whole)));
    if weight.is_none() {
        let path = ["split", index, "weight"];
        validation.note(&path, SplitError::Nobody.explain());
    }
    Some(Share {
        weight: weight?,
        destination: destination?,
    })
}

fn object<'v>(
    validation: &mut Validation,
    path: &[&str],
    sent: &'v Value,
    known: &[&str],
) -> Option<&'v Map<String, Value>> {
    let Value::Object(members) = sent else {
        validation.note(path, no_object(type_of(sent)));
        return None;
    };
    for name in members
        .keys()
        .filter(|name| !known.contains(&name.as_str()))
    {
        let known: Vec<String> = known.iter().map(|name| (*name).to_owned()).collect();
        validation.note(&[path, &[name]].concat(), unknown(name, &known));
    }
    Some(members)
}

fn destination(
    validation: &mut Validation,
    path: &[&str],
    members: &Map<String, Value>,
    bounds: &Bounds,
) -> Option<Destination> {
    let url = members.get("url").cloned();
    let url = url.map_or(Sent::Absent, Sent::<String>::of);
    validation.required(&[path, &["url"]].concat(), &url, |url| {
        Destination::parse(url, &bounds.destinations)
    })
}

fn no_object(received: &str) -> Fault {
    let message = format!("Invalid input: expected object, received {received}");
    (IssueCode::InvalidType, message, "object".to_owned())
}

fn unknown(name: &str, known: &[String]) -> Fault {
    let (message, expected) = match nearest(name, known) {
        Some(near) => (
            format!("Unrecognized key: {name:?}, did you mean {near:?}?"),
            near.to_owned(),
        ),
        None => (
            format!("Unrecognized key: {name:?}"),
            format!("one of {}", known.join(", ")),
        ),
    };
    (IssueCode::UnrecognizedKeys, message, expected)
}

fn condition_names() -> Vec<String> {
    let kinds = ConditionKind::ALL.into_iter().map(ConditionKind::as_str);
    kinds.chain([TIME_ZONE]).map(str::to_owned).collect()
}

impl Explain for ConditionError {
    fn explain(&self) -> Fault {
        let (code, expected) = match self {
            Self::Empty => (IssueCode::TooSmall, "a value".to_owned()),
            Self::Value { expected, .. } => (IssueCode::InvalidValue, (*expected).to_owned()),
            Self::TooMany(_) | Self::TooManyParameters(_) => {
                (IssueCode::TooBig, "fewer values".to_owned())
            }
            Self::OneOnly | Self::NoList | Self::Never => {
                (IssueCode::Custom, "another condition".to_owned())
            }
        };
        (code, self.to_string(), expected)
    }
}

impl Explain for SplitError {
    fn explain(&self) -> Fault {
        let (code, expected) = match self {
            Self::Count(0) => (
                IssueCode::TooSmall,
                format!("1 to {} destinations", Split::MAX),
            ),
            Self::Count(_) => (
                IssueCode::TooBig,
                format!("1 to {} destinations", Split::MAX),
            ),
            Self::Nobody => (
                IssueCode::InvalidValue,
                "a whole number from 1 to 100".to_owned(),
            ),
            Self::Sum(_) => (IssueCode::TooBig, "at most 100 percent together".to_owned()),
        };
        (code, self.to_string(), expected)
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;
    use slugline_testkit::full_link;

    use super::*;
    use crate::{
        Problem,
        faults::{faults, paths},
        links::shown_routing::{show_rules, show_split},
    };

    fn parsed(sent: &Value) -> Result<Rules, Problem> {
        let mut validation = Validation::default();
        let sent = sent.as_array().unwrap();
        let rules = rules(&mut validation, sent, &Bounds::default());
        validation.finish(|| rules)
    }

    #[test]
    fn rules_are_shown_as_they_are_sent() {
        let routing = full_link("docs").content.routing;
        let shown = Value::from(show_rules(&routing.rules));
        assert_eq!(
            shown,
            json!([
                {
                    "when": {
                        "device": ["ios", "tablet"],
                        "country": {"not": ["DE", "AT"]},
                        "city": ["São Paulo", "it's"],
                        "query": {"a b": "x&y", "c": true, "d": ""},
                        "from": "2026-12-01",
                        "hours": ["22:00-06:00"],
                        "timeZone": "Europe/Berlin"
                    },
                    "url": "https://rules.example/1"
                },
                {
                    "when": {
                        "until": 1_800_000_000,
                        "bot": false,
                        "network": {"not": ["192.0.2.0/24", "2001:db8::/32"]}
                    },
                    "url": "https://rules.example/ü"
                }
            ])
        );
        assert_eq!(parsed(&shown).unwrap(), routing.rules);
        let split = routing.split.unwrap();
        let shown = show_split(&split);
        let mut validation = Validation::default();
        let read = super::split(&mut validation, &shown, &Bounds::default());
        assert_eq!(read.unwrap(), split);
    }

    #[rstest]
    #[case(json!({"country": "DE", "hours": "08:00-18:00", "from": "2027-01-15T08:00:00Z"}))]
    #[case(json!({"country": ["de"], "hours": ["08:00-18:00"], "from": 1_800_000_000}))]
    fn one_text_is_a_list_of_it(#[case] when: Value) {
        let rules = parsed(&json!([{"when": when, "url": "https://e.example/"}])).unwrap();
        let shown = show_rules(&rules);
        let expected = json!({"from": 1_800_000_000, "hours": ["08:00-18:00"], "country": ["DE"]});
        assert_eq!(shown[0]["when"], expected);
    }

    #[rstest]
    #[case(json!({}), "rules.0.when", "a rule needs a condition, because it would hold for everybody")]
    #[case(json!(5), "rules.0.when", "Invalid input: expected object, received number")]
    #[case(json!({"contry": ["DE"]}), "rules.0.when.contry", "Unrecognized key: \"contry\", did you mean \"country\"?")]
    #[case(json!({"country": []}), "rules.0.when.country", "a condition needs a value")]
    #[case(json!({"country": ["DEU"]}), "rules.0.when.country", "\"DEU\" is not a two-letter country code, such as DE")]
    #[case(json!({"country": {"in": ["DE"]}}), "rules.0.when.country", "Invalid input: expected array of strings, or {\"not\": array of strings}, received object")]
    #[case(json!({"country": ["de", "UK"]}), "rules.0.when.country", "nobody comes from the country \"UK\"; the United Kingdom is GB")]
    #[case(json!({"bot": "yes"}), "rules.0.when.bot", "Invalid input: expected boolean, received string")]
    #[case(json!({"query": {"a": false}}), "rules.0.when.query", "Invalid input: expected object of texts, or true for any value, received object")]
    #[case(json!({"from": "soon"}), "rules.0.when.from", "Invalid input: expected Unix seconds, or a text such as 2027-01-01T12:00:00Z or 2027-01-01, received string")]
    #[case(json!({"from": "2027-13-01"}), "rules.0.when.from", "\"2027-13-01\" is not a moment, or a day such as 2026-12-01")]
    #[case(json!({"from": 5, "until": 5}), "rules.0.when", "no visitor meets this rule: until is not after from")]
    #[case(json!({"weekday": ["mon"], "timeZone": "Mars/Olympus"}), "rules.0.when.timeZone", "no time zone has this name")]
    #[case(json!({"country": ["DE"], "timeZone": "Europe/Berlin"}), "rules.0.when", "timeZone needs a condition on days, weekday or hours")]
    fn a_fault_names_the_condition(#[case] when: Value, #[case] path: &str, #[case] message: &str) {
        let refused = parsed(&json!([{"when": when, "url": "https://e.example/"}]));
        assert_eq!(faults(refused), [(path.to_owned(), message.to_owned())]);
    }

    #[test]
    fn all_faults_of_rules_and_splits_are_listed() {
        let refused = parsed(&json!([
            {"url": "nope", "to": 1},
            5,
            {"when": {"country": ["DE"], "bot": 1, "device": ["phone"]}}
        ]));
        assert_eq!(
            paths(refused),
            [
                "rules.0.to",
                "rules.0.url",
                "rules.0.when",
                "rules.1",
                "rules.2.url",
                "rules.2.when.bot",
                "rules.2.when.device"
            ]
        );
        let many = faults(parsed(&Value::from(vec![json!(0); 21])));
        let told = "21 rules, at most 20 are allowed";
        assert_eq!(many, [("rules".into(), told.into())]);
        let faults_of = |sent: Value| {
            let mut validation = Validation::default();
            let sent = sent.as_array().unwrap();
            let split = split(&mut validation, sent, &Bounds::default());
            let faults = faults(validation.finish(|| split)).into_iter();
            let faults = faults.map(|(path, message)| format!("{path}: {message}"));
            faults.collect::<Vec<_>>()
        };
        let to = |weight: Value| json!({"url": "https://e.example/", "weight": weight});
        assert_eq!(
            faults_of(json!([to(json!(0)), to(json!(1.5)), to(json!("5"))])),
            [
                "split.0.weight: a weight is 1 to 100 percent",
                "split.1.weight: a weight is 1 to 100 percent",
                "split.2.weight: a weight is 1 to 100 percent"
            ]
        );
        assert_eq!(
            faults_of(json!([to(json!(60)), to(json!(50))])),
            ["split: the weights add up to 110 percent, at most 100 are allowed"]
        );
        let none = "split: 0 destinations, a split has 1 to 8";
        assert_eq!(faults_of(json!([])), [none]);
    }
}
