//! Shlink's redirect rules as ours.

use serde_json::{Map, Value, json};

type Record = Map<String, Value>;

/// Makes rules of the lines of a link's conditions, in their order. A rule that ours cannot express
/// becomes a text that says so.
pub(super) fn rules(lines: &[Record]) -> (Vec<Value>, Vec<String>) {
    let (mut rules, mut cuts) = (Vec::new(), Vec::new());
    for lines in lines.chunk_by(|a, b| a.get("rule") == b.get("rule")) {
        let mut when = Record::new();
        let url = text(&lines[0], "url");
        match lines.iter().try_for_each(|line| add(&mut when, line)) {
            Ok(()) => rules.push(json!({"when": when, "url": url})),
            Err(why) => cuts.push(format!("the rule that leads to {url}: {why}")),
        }
    }
    (rules, cuts)
}

/// The text of a member; empty if it has none.
pub(super) fn text<'r>(record: &'r Record, name: &str) -> &'r str {
    record.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn add(when: &mut Record, line: &Record) -> Result<(), String> {
    let (kind, key, value) = (text(line, "type"), text(line, "key"), text(line, "value"));
    // Shlink keeps the name of a parameter without a value as the value.
    let parameter = if key.is_empty() { value } else { key };
    let (name, value): (_, Value) = match kind {
        "device" | "language" => (kind, value.into()),
        "geolocation-country-code" => ("country", value.into()),
        "geolocation-city-name" => ("city", value.into()),
        "before-date" => ("until", value.into()),
        "after-date" => ("from", value.into()),
        "ip-address" => ("network", network(value).into()),
        "query-param" => (parameter, value.into()),
        "any-value-query-param" => (parameter, true.into()),
        "valueless-query-param" => (parameter, "".into()),
        "" => return Err("it has no conditions".into()),
        other => return Err(format!("the condition {other} is not known here")),
    };
    let all = if kind.ends_with("query-param") {
        let query = when.entry("query").or_insert_with(|| json!({}));
        query.as_object_mut()
    } else {
        Some(when)
    };
    match all.and_then(|all| all.insert(name.to_owned(), value)) {
        None => Ok(()),
        Some(_) => Err(format!("two conditions of {name} have to hold at once")),
    }
}

/// `10.1.*.*` is 10.1.0.0/16.
fn network(address: &str) -> String {
    let fixed = address.split('.').take_while(|part| *part != "*").count();
    if address.contains('*') {
        format!("{}/{}", address.replace('*', "0"), fixed * 8)
    } else {
        address.to_owned()
    }
}
