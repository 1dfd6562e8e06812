//! JSON or a query string → wire type.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::{
    Problem,
    issue::{Issue, IssueCode},
    sent::type_of,
};

/// Reads a wire type from a JSON object. Unknown members are dropped; check them with
/// [`UnknownNames`](crate::UnknownNames) first. The type's `check` reports wrong members.
///
/// # Errors
/// The value is not an object.
pub fn read<T: DeserializeOwned>(value: &Value) -> Result<T, Problem> {
    if !value.is_object() {
        return Err(no_object(type_of(value)));
    }
    // Members accept any JSON, so this does not fail.
    T::deserialize(value).map_err(|error| no_object(&error.to_string()))
}

fn no_object(received: &str) -> Problem {
    Problem::invalid(vec![Issue {
        code: IssueCode::InvalidType,
        path: Vec::new(),
        message: format!("Invalid input: expected object, received {received}"),
        expected: "object".into(),
    }])
}

/// Turns a query string into an object: every value is a text, and a repeated parameter
/// is an array, which then fails if one text is expected.
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

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;
    use crate::{
        bounds::Bounds,
        links::{CreateLink, ListLinks},
        stats::ViewsRequest,
    };

    #[rstest]
    #[case(json!({}), "url", "expected string, received undefined")]
    #[case(json!({"url": 5}), "url", "expected string, received number")]
    #[case(json!({"url": "u", "comment": null}), "comment", "expected string, received null")]
    #[case(json!({"url": "u", "tags": "a"}), "tags", "expected array of strings, received string")]
    #[case(json!({"url": "u", "tags": ["a", 1]}), "tags.1", "expected string, received number")]
    #[case(json!({"url": "u", "geo": ["a"]}), "geo", "expected object of strings, received array")]
    #[case(json!({"url": "u", "geo": {"DE": 1}}), "geo.DE", "expected string, received number")]
    #[case(json!({"url": "u", "expiration": "1"}), "expiration", "expected Unix seconds, or a text such as 2027-01-01T12:00:00Z, received string")]
    #[case(json!({"url": "u", "expiration": 1.5}), "expiration", "expected Unix seconds, or a text such as 2027-01-01T12:00:00Z, received number")]
    #[case(json!({"url": "u", "cloaking": "true"}), "cloaking", "expected boolean, received string")]
    #[case(json!([]), "", "expected object, received array")]
    fn faults_name_the_member(#[case] input: Value, #[case] path: &str, #[case] message: &str) {
        let link = read::<CreateLink>(&input).and_then(|link| link.validate(&Bounds::default()));
        let problem = link.unwrap_err();
        let one = |issue: &&Issue| issue.code == IssueCode::InvalidType;
        let issue = problem.issues.iter().find(one).unwrap();
        assert_eq!(issue.path.join("."), path);
        assert_eq!(issue.message, format!("Invalid input: {message}"));
    }

    #[test]
    fn a_wrong_option_lists_the_right_ones() {
        let list = read::<ListLinks>(&json!({"sort": "up"})).unwrap();
        let problem = list.validate().unwrap_err();
        assert_eq!(
            problem.issues[0].message,
            r#"Invalid option: expected one of "az"|"za"|"newest"|"oldest"|"visits""#
        );
        let views = read::<ViewsRequest>(&json!({})).unwrap();
        let problem = views.validate().unwrap_err();
        assert_eq!(
            problem.issues[0].message,
            r#"Invalid input: expected one of "minute"|"hour"|"day", received undefined"#
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
