//! A record of another product as an import of ours.
//!
//! Links come although parts of them do not: too many tags are left out and long texts are cut, and each
//! such part is told. What decides where a visitor gets is never cut; then the link stays behind.

use jiff::tz::TimeZone;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use slugline_domain::{Comment, Description, Tag, Tags, Title, VisitCount};

use super::{ReadLink, moments::moment};
use crate::{
    links::{member::Kind, table},
    reader::read,
};

type Record = Map<String, Value>;

/// Makes an import of a record of the product `of`. A slug of null is to be drawn.
pub(in crate::links) fn settle(mut record: Record, of: &str, zone: &TimeZone) -> ReadLink {
    let says_nothing = |value: &Value| value.is_null() || value.as_str() == Some("");
    record.retain(|name, value| name == "slug" || !says_nothing(value));
    split_address(&mut record);
    let slug = slug(&record);
    record.remove("id");
    if let Some(slug) = &slug {
        let host = record.get("domain").map(as_text).unwrap_or_default();
        record.insert("id".into(), id(of, &host.to_lowercase(), slug).into());
        record.insert("slug".into(), slug.as_str().into());
    }
    // A title that the product fetched would replace the preview of the destination.
    if let Some(name) = record.remove("name") {
        let comment = record.get("comment").map(|it| format!("\n{}", as_text(it)));
        let both = as_text(&name) + &comment.unwrap_or_default();
        record.insert("comment".into(), both.into());
    }
    let mut cuts = Vec::new();
    for (name, value) in &mut record {
        settle_member(name, value, zone, &mut cuts);
    }
    record.retain(|name, value| name == "slug" || !value.is_null());
    if let Some(made) = record.get("createdAt").cloned() {
        record.entry("updatedAt").or_insert(made);
    }
    let count = |name: &str| record.get(name).and_then(Value::as_i64);
    if let (Some(most), Some(used)) = (count("maxVisits"), count("visitsBefore")) {
        record.insert("visitsLeft".into(), (most - used.min(most)).into());
    }
    ReadLink {
        slug,
        cuts,
        ..read(&Value::Object(record)).into()
    }
}

fn as_text(value: &Value) -> String {
    let text = value.as_str().map(|text| text.trim().to_owned());
    text.unwrap_or_else(|| value.to_string())
}

fn slug(record: &Record) -> Option<String> {
    let slug = record.get("slug").filter(|slug| !slug.is_null());
    slug.map(as_text)
}

/// Takes a whole short address apart, also where a slug is expected.
fn split_address(record: &mut Record) {
    let short = record.remove("short").map(|short| as_text(&short));
    let address = slug(record).map_or(short, |slug| slug.contains("://").then_some(slug));
    let Some(address) = address else { return };
    let (_, rest) = address.split_once("://").unwrap_or(("", &address));
    let (host, path) = rest.split_once('/').unwrap_or(("", rest));
    record.insert("slug".into(), path.trim_end_matches('/').into());
    if !host.is_empty() {
        record.entry("domain").or_insert_with(|| host.into());
    }
}

/// The same link has the same id in every run.
fn id(of: &str, host: &str, slug: &str) -> String {
    let digest = Sha256::digest(format!("{of}\n{host}\n{slug}"));
    let start = digest.first_chunk().expect("a digest has 32 bytes");
    format!("{:032x}", u128::from_be_bytes(*start))
}

/// Writes a value as ours are; null if it says nothing. What cannot be read stays, and the reader of links
/// refuses it by name.
fn settle_member(name: &str, value: &mut Value, zone: &TimeZone, cuts: &mut Vec<String>) {
    let text = as_text(value);
    match table::kind(name) {
        Some(Kind::Flag) => match text.to_lowercase().as_str() {
            "1" | "t" | "true" | "yes" => *value = true.into(),
            "0" | "f" | "false" | "no" => *value = false.into(),
            _ => {}
        },
        Some(Kind::Count) => {
            if let Ok(count) = text.replace(['.', ','], "").parse::<i64>() {
                let count = count.min(VisitCount::MAX.into());
                *value = (count > 0).then_some(count).into();
            }
        }
        Some(Kind::Moment) => match moment(value, zone) {
            Some(moment) => *value = moment,
            None if ["createdAt", "updatedAt"].contains(&name) => {
                cuts.push(format!("{name}: {text} is no moment"));
                *value = Value::Null;
            }
            None => {}
        },
        Some(Kind::Tags) => settle_tags(value, cuts),
        _ => shorten(name, &text, value, cuts),
    }
}

fn shorten(name: &str, text: &str, value: &mut Value, cuts: &mut Vec<String>) {
    let most = match name {
        "comment" => Comment::MAX_CHARS,
        "title" => Title::MAX_CHARS,
        "description" => Description::MAX_CHARS,
        _ => return,
    };
    if let Some((end, _)) = text.char_indices().nth(most) {
        cuts.push(format!("{name}: cut to {most} characters"));
        *value = text[..end].into();
    }
}

/// Some tables separate tags by bars.
fn settle_tags(value: &mut Value, cuts: &mut Vec<String>) {
    let Value::Array(tags) = value else { return };
    let tags: Vec<String> = tags.iter().map(as_text).collect();
    let mut kept: Vec<String> = Vec::new();
    for tag in tags.iter().flat_map(|tags| tags.split('|')).map(str::trim) {
        let short: String = tag.to_lowercase().chars().take(Tag::MAX_CHARS).collect();
        if short.is_empty() || kept.contains(&short) {
            continue;
        }
        if kept.len() == Tags::MAX {
            cuts.push(format!("tag {tag}: a link has at most {}", Tags::MAX));
            continue;
        }
        if tag.chars().nth(Tag::MAX_CHARS).is_some() {
            cuts.push(format!("tag {tag}: cut to {} characters", Tag::MAX_CHARS));
        }
        kept.push(short);
    }
    *value = kept.into();
}
