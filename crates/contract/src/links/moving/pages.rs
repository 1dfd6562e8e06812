//! Links of Dub and Bitly as their APIs answer them.

use serde_json::{Map, Value, json};

use super::member_of;

type Record = Map<String, Value>;

/// Members that follow from others, or mean nothing elsewhere.
const DERIVED: &str = "externalId qrCode utm_source utm_medium utm_campaign utm_term utm_content \
    workspaceId projectId lastClicked testStartedAt testCompletedAt tagId userId user proxy references \
    custom_bitlinks created_by client_id";

/// Makes records of a link of another product: one for each short address that it has. `lost` gets the
/// names of members that have a value and no counterpart. Returns `None` for every other object.
pub(in crate::links) fn records_of(
    link: &Record,
    mut lost: impl FnMut(&str),
) -> Option<Vec<Record>> {
    let has = |name: &str| link.contains_key(name);
    if has("slug") || !has("shortLink") && !has("link") {
        return None;
    }
    let is_set = |name: &str| link.get(name).is_some_and(says_something);
    let mut record = Record::new();
    for (name, value) in link.iter().filter(|(_, value)| says_something(value)) {
        let value = match name.as_str() {
            // There, a proxy is a preview of the author's own.
            "description" | "image" if !is_set("proxy") => continue,
            "testVariants" if is_set("testCompletedAt") => continue,
            "testVariants" => sides_of(value, link),
            "disabledAt" => true.into(),
            "tags" => names_in(value),
            _ => value.clone(),
        };
        match member_of(name) {
            Some("name") if is_set("proxy") => drop(record.insert("title".into(), value)),
            Some(member) => drop(record.insert(member.into(), value)),
            None if DERIVED.split_whitespace().any(|word| word == name) => {}
            None => lost(name),
        }
    }
    let others = link.get("custom_bitlinks").and_then(Value::as_array);
    let mut addresses: Vec<Value> = others.into_iter().flatten().cloned().collect();
    let own = record.get("short").cloned();
    addresses.extend(own.filter(|own| !addresses.contains(own)));
    let records = addresses.into_iter().map(|short| {
        let mut record = record.clone();
        record.insert("short".into(), short);
        record
    });
    Some(records.collect())
}

fn says_something(value: &Value) -> bool {
    let nothing = [json!(null), json!(false), json!(0), json!("")];
    !nothing.contains(value) && *value != json!([]) && *value != json!({})
}

/// The names of tags, which are texts or objects.
fn names_in(tags: &Value) -> Value {
    let tags = tags.as_array().into_iter().flatten();
    tags.map(|tag| tag.get("name").unwrap_or(tag).clone())
        .collect()
}

/// The sides of a test beside the destination.
fn sides_of(sides: &Value, link: &Record) -> Value {
    let sides = sides.as_array().into_iter().flatten();
    let others = sides.filter(|side| side.get("url") != link.get("url"));
    others
        .map(|side| json!({"url": side["url"], "weight": side["percentage"]}))
        .collect()
}
