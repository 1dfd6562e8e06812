//! JSON or a query string → wire type, with faults that name the member.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use serde_path_to_error::Segment;

use crate::{
    issue::{Issue, IssueCode},
    problem::Problem,
};

/// Reads a wire type from a JSON object. Unknown members are dropped, unless
/// the type refuses them.
///
/// # Errors
/// The value is no object, or a member is missing or of another type; the
/// problem names it.
pub fn read<T: DeserializeOwned>(value: &Value) -> Result<T, Problem> {
    if !value.is_object() {
        return Err(wrong_type(Vec::new(), "object", type_of(value)));
    }
    serde_path_to_error::deserialize(value).map_err(|error| {
        let path = error.path().iter().filter_map(member).collect();
        explain(path, &error.inner().to_string(), value)
    })
}

/// Turns a query string into the object it spells: every value a text, a
/// repeated parameter an array, which then fails where one text is expected.
pub fn query_to_json(query: &str) -> Value {
    let pairs: Vec<(String, String)> = serde_urlencoded::from_str(query).unwrap_or_default();
    let mut object = Map::new();
    for (name, text) in pairs {
        let text = Value::String(text);
        match object.get_mut(&name) {
            None => drop(object.insert(name, text)),
            Some(Value::Array(texts)) => texts.push(text),
            Some(first) => *first = Value::Array(vec![first.take(), text]),
        }
    }
    Value::Object(object)
}

/// Serde reports faults as prose; clients get the parts. The prose is that of
/// serde's own error constructors, which `faults_name_the_member` holds it to.
fn explain(mut path: Vec<String>, prose: &str, root: &Value) -> Problem {
    if let Some(member) = quoted_after(prose, "missing field ") {
        path.push(member.to_owned());
        return wrong_type(path, "a value", "undefined");
    }
    if prose.starts_with("unknown field ") {
        // The path ends with the first unknown member.
        path.pop();
        return unrecognized(&path, prose, root);
    }
    if prose.starts_with("unknown variant ") {
        let options: Vec<String> = expected_names(prose)
            .map(|option| format!("\"{option}\""))
            .collect();
        let expected = format!("one of {}", options.join("|"));
        let message = format!("Invalid option: expected {expected}");
        let issue = Issue {
            code: IssueCode::InvalidValue,
            path,
            message,
            expected,
        };
        return Problem::invalid(vec![issue]);
    }
    let expected = match prose
        .rsplit_once("expected ")
        .map_or(prose, |(_, expected)| expected)
    {
        "a string" | "string or map" => "string",
        "a boolean" => "boolean",
        "a sequence" => "array",
        "a map" => "object",
        "i64" | "u64" => "integer",
        other => other,
    };
    let received = at(root, &path);
    wrong_type(path, expected, received.map_or("undefined", type_of))
}

/// Serde stops at the first member it does not know; clients are told of all,
/// as long as they are few enough to be mistakes.
fn unrecognized(path: &[String], prose: &str, root: &Value) -> Problem {
    let known: Vec<&str> = expected_names(prose).collect();
    let members = at(root, path).and_then(Value::as_object).into_iter();
    let unknown = members
        .flat_map(Map::keys)
        .filter(|name| !known.contains(&name.as_str()))
        .take(MAX_UNRECOGNIZED);
    let issue = |name: &String| Issue {
        code: IssueCode::UnrecognizedKeys,
        path: path.iter().chain([name]).cloned().collect(),
        message: format!("Unrecognized key: {name:?}"),
        expected: format!("one of {}", known.join(", ")),
    };
    Problem::invalid(unknown.map(issue).collect())
}

const MAX_UNRECOGNIZED: usize = 20;

/// The names that serde would have taken, which end its message.
fn expected_names(prose: &str) -> impl Iterator<Item = &str> {
    let listed = prose.rsplit_once("expected ").map_or("", |(_, rest)| rest);
    listed.split('`').skip(1).step_by(2)
}

fn at<'v>(root: &'v Value, path: &[String]) -> Option<&'v Value> {
    path.iter().try_fold(root, |value, part| match value {
        Value::Array(items) => items.get(part.parse::<usize>().ok()?),
        Value::Object(members) => members.get(part),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    })
}

fn member(segment: &Segment) -> Option<String> {
    match segment {
        Segment::Seq { index } => Some(index.to_string()),
        Segment::Map { key } => Some(key.clone()),
        Segment::Enum { .. } | Segment::Unknown => None,
    }
}

fn quoted_after<'a>(prose: &'a str, start: &str) -> Option<&'a str> {
    prose.strip_prefix(start)?.split('`').nth(1)
}

fn wrong_type(path: Vec<String>, expected: &str, received: &str) -> Problem {
    let message = format!("Invalid input: expected {expected}, received {received}");
    let expected = expected.to_owned();
    Problem::invalid(vec![Issue {
        code: IssueCode::InvalidType,
        path,
        message,
        expected,
    }])
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;
    use crate::{CreateLink, ListLinks};

    #[rstest]
    #[case(json!({}), "url", "expected a value, received undefined")]
    #[case(json!({"url": 5}), "url", "expected string, received number")]
    #[case(json!({"url": "u", "comment": null}), "comment", "expected string, received null")]
    #[case(json!({"url": "u", "tags": "a"}), "tags", "expected array, received string")]
    #[case(json!({"url": "u", "tags": ["a", 1]}), "tags.1", "expected string, received number")]
    #[case(json!({"url": "u", "geo": ["a"]}), "geo", "expected object, received array")]
    #[case(json!({"url": "u", "geo": {"DE": 1}}), "geo.DE", "expected string, received number")]
    #[case(json!({"url": "u", "expiration": "1"}), "expiration", "expected integer, received string")]
    #[case(json!({"url": "u", "expiration": 1.5}), "expiration", "expected integer, received number")]
    #[case(json!({"url": "u", "cloaking": "true"}), "cloaking", "expected boolean, received string")]
    #[case(json!([]), "", "expected object, received array")]
    fn faults_name_the_member(#[case] input: Value, #[case] path: &str, #[case] message: &str) {
        let problem = read::<CreateLink>(&input).unwrap_err();
        let issue = &problem.issues[0];
        assert_eq!(issue.path.join("."), path);
        assert_eq!(issue.message, format!("Invalid input: {message}"));
        assert_eq!(issue.code, IssueCode::InvalidType);
    }

    #[test]
    fn a_wrong_option_lists_the_right_ones() {
        let problem = read::<ListLinks>(&json!({"sort": "up"})).unwrap_err();
        assert_eq!(
            problem.issues[0].message,
            r#"Invalid option: expected one of "az"|"za"|"newest"|"oldest""#
        );
    }

    #[test]
    fn query_strings_become_objects_of_texts() {
        assert_eq!(
            query_to_json("a=1&b=x%20y&c&a=2&d=&a=3"),
            json!({"a": ["1", "2", "3"], "b": "x y", "c": "", "d": ""})
        );
        assert_eq!(query_to_json(""), json!({}));
    }
}
