//! Links as a table: converts members to cells, and cells to members.
//!
//! A row holds the members of an exported link. The cell of an absent member is empty.
//! Flags are `true` and `false`, moments are Unix seconds or dates. Tags are separated by
//! commas or semicolons, or are a JSON list if a tag holds such a character. Country
//! destinations are lines of a country code, a blank and a URL. Rules and splits are JSON.
//!
//! Texts are guarded as [`cells`](crate::cells) says. A text that is present but empty becomes
//! a single apostrophe.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::{
    member::Kind,
    parts::{IN_TABLES, Part},
};
use crate::{
    synonyms::{plain, same_form},
    table_rows::{guarded, without_apostrophe},
};

/// Returns the kind of the column with this name, if there is one.
pub(super) fn kind(name: &str) -> Option<Kind> {
    let part = IN_TABLES.iter().find(|part| part.name == name);
    part.map(|part| part.kind)
}

/// Returns the column of this name in any spelling, such as `Created at`.
pub(super) fn column(name: &str) -> Option<&'static Part> {
    let name = plain(name);
    let mut columns = IN_TABLES.iter().copied();
    columns.find(|part| plain(part.name) == name)
}

/// Returns the column that other programs call so.
pub(super) fn column_of_others(name: &str) -> Option<&'static Part> {
    column(same_form(name)?)
}

/// Returns the cell of a member.
pub(super) fn to_cell(member: Option<&Value>) -> String {
    let text = match member {
        None | Some(Value::Null) => return String::new(),
        Some(Value::String(text)) if text.is_empty() => return "'".into(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Bool(flag)) => flag.to_string(),
        Some(Value::Number(number)) => number.to_string(),
        Some(Value::Array(items)) if items.iter().any(Value::is_object) => {
            Value::from(items.as_slice()).to_string()
        }
        Some(Value::Array(tags)) => tags_to_text(tags),
        Some(Value::Object(geo)) => geo_to_text(geo),
    };
    guarded(&text).into_owned()
}

/// Returns the member in a cell. A cell that does not match the column's kind becomes a
/// text, which the reader of the link then refuses by the member's name.
pub(super) fn to_member(kind: Kind, cell: &str) -> Option<Value> {
    if cell.is_empty() {
        return None;
    }
    let text = without_apostrophe(cell);
    let as_it_is = || Value::from(text);
    Some(match kind {
        Kind::Text => as_it_is(),
        Kind::Moment | Kind::Count => text
            .trim()
            .parse::<i64>()
            .map_or_else(|_| as_it_is(), Value::from),
        // Spreadsheets write flags in capitals.
        Kind::Flag => match text.trim().to_ascii_lowercase().as_str() {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            _ => as_it_is(),
        },
        Kind::Tags if is_long(text, &[',', ';', '[', '{']) => as_it_is(),
        Kind::Geo if is_long(text, &['\n']) => as_it_is(),
        Kind::Tags => text_to_tags(text),
        Kind::Geo => text.lines().map(country_and_url).collect(),
        Kind::Json if has_too_many_values(text) => as_it_is(),
        Kind::Json => serde_json::from_str(text).unwrap_or_else(|_| as_it_is()),
    })
}

/// Returns whether a list has more parts than any link can have.
fn is_long(text: &str, between: &[char]) -> bool {
    const MOST: usize = 4096;
    text.matches(between).nth(MOST).is_some()
}

/// In spreadsheets that separate cells by commas, semicolons are free for lists.
const BETWEEN_TAGS: [char; 2] = [',', ';'];

fn tags_to_text(tags: &[Value]) -> String {
    let texts: Vec<&str> = tags.iter().filter_map(Value::as_str).collect();
    if texts
        .iter()
        .any(|tag| tag.contains(BETWEEN_TAGS) || tag.contains('['))
    {
        return serde_json::to_string(&texts).expect("texts are plain data");
    }
    texts.join(",")
}

fn text_to_tags(text: &str) -> Value {
    let listed = text.trim_start().starts_with('[');
    let listed = listed.then(|| serde_json::from_str(text).ok()).flatten();
    listed.unwrap_or_else(|| text.split(BETWEEN_TAGS).map(Value::from).collect())
}

fn geo_to_text(geo: &Map<String, Value>) -> String {
    let lines: Vec<String> = geo
        .iter()
        .map(|(country, url)| format!("{country} {}", url.as_str().unwrap_or_default()))
        .collect();
    lines.join("\n")
}

fn country_and_url(line: &str) -> (String, Value) {
    let (country, url) = line.trim().split_once(' ').unwrap_or((line, ""));
    (country.to_owned(), url.trim().into())
}

/// Returns the names of all columns, for errors.
pub(super) fn names() -> Cow<'static, str> {
    let names: Vec<&str> = IN_TABLES.iter().map(|part| part.name).collect();
    names.join(", ").into()
}

/// Checks that the cell of a text converts back to the text, and that no cell is a
/// formula.
#[cfg(feature = "fuzzing")]
pub(crate) fn fuzz_cells(text: &str) {
    let cell = to_cell(Some(&text.into()));
    assert_eq!(to_member(Kind::Text, &cell), Some(text.into()));
    assert!(!cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']));
    for kind in [Kind::Moment, Kind::Flag, Kind::Tags, Kind::Geo, Kind::Json] {
        if let Some(member) = to_member(kind, text) {
            to_cell(Some(&member));
        }
    }
}

/// The most values in the text of a link. Twenty rules of eight conditions with fifty values each, the
/// most that a link can hold beside a destination for every country, make some nine thousand. A parsed
/// value takes up to a hundred bytes of memory and two of the text, so the values of a text are
/// counted before it is parsed.
pub(super) const MOST_VALUES: usize = 16_384;

/// Returns whether the parsed form of a text would be much larger than the text.
pub(super) fn has_too_many_values(json: &str) -> bool {
    let (mut values, mut in_text, mut escaped) = (1_usize, false, false);
    for byte in json.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_text,
            b'"' => in_text = !in_text,
            b',' | b'[' | b'{' if !in_text => values += 1,
            _ => {}
        }
    }
    values > MOST_VALUES
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    #[rstest]
    #[case(Kind::Text, json!("=1+1"), "'=1+1")]
    #[case(Kind::Text, json!("+49"), "'+49")]
    #[case(Kind::Text, json!("-1"), "'-1")]
    #[case(Kind::Text, json!("@SUM(A1)"), "'@SUM(A1)")]
    #[case(Kind::Text, json!("\tx"), "'\tx")]
    #[case(Kind::Text, json!("'"), "''")]
    #[case(Kind::Text, json!("''=1"), "'''=1")]
    #[case(Kind::Text, json!("'tis"), "''tis")]
    #[case(Kind::Text, json!(""), "'")]
    #[case(Kind::Text, json!("a\"b,\r\nc \u{1f600}"), "a\"b,\r\nc \u{1f600}")]
    #[case(Kind::Moment, json!(1_800_000_000), "1800000000")]
    #[case(Kind::Moment, json!(-5), "'-5")]
    #[case(Kind::Flag, json!(false), "false")]
    #[case(Kind::Tags, json!(["a", "b c"]), "a,b c")]
    #[case(Kind::Tags, json!(["a,b", "=c"]), r#"["a,b","=c"]"#)]
    #[case(Kind::Tags, json!(["[x"]), r#"["[x"]"#)]
    #[case(Kind::Tags, json!(["a;b"]), r#"["a;b"]"#)]
    #[case(Kind::Tags, json!(["=c"]), "'=c")]
    #[case(
        Kind::Json,
        json!([{"url": "https://e.example/", "weight": 30}]),
        r#"[{"url":"https://e.example/","weight":30}]"#
    )]
    #[case(
        Kind::Geo,
        json!({"AT": "https://e.at/a b", "DE": "https://e.de/"}),
        "AT https://e.at/a b\nDE https://e.de/"
    )]
    fn cells_hold_members_without_loss(
        #[case] kind: Kind,
        #[case] member: Value,
        #[case] cell: &str,
    ) {
        assert_eq!(to_cell(Some(&member)), cell);
        assert_eq!(to_member(kind, cell), Some(member));
    }

    #[rstest]
    #[case(Kind::Text, "'tis", json!("'tis"))]
    #[case(Kind::Flag, "TRUE", json!(true))]
    #[case(Kind::Flag, "yes", json!("yes"))]
    #[case(Kind::Moment, "1.8E+09", json!("1.8E+09"))]
    #[case(Kind::Tags, "a, b", json!(["a", " b"]))]
    #[case(Kind::Tags, "spring;shop", json!(["spring", "shop"]))]
    #[case(Kind::Geo, "DE  https://e.de/\r\nnonsense", json!({"DE": "https://e.de/", "nonsense": ""}))]
    fn cells_of_other_programs_are_read(
        #[case] kind: Kind,
        #[case] cell: &str,
        #[case] member: Value,
    ) {
        assert_eq!(to_member(kind, cell), Some(member));
    }

    #[test]
    fn a_list_without_end_is_a_text() {
        for (kind, part) in [
            (Kind::Tags, ","),
            (Kind::Geo, "\n"),
            (Kind::Tags, "["),
            (Kind::Json, "["),
        ] {
            let cell = format!("x{}", part.repeat(5000));
            assert_eq!(to_member(kind, &cell), Some(json!(cell)));
        }
    }

    #[test]
    fn an_absent_member_is_an_empty_cell() {
        assert_eq!(to_cell(None), "");
        assert_eq!(to_cell(Some(&json!([]))), "");
        assert_eq!(to_member(Kind::Text, ""), None);
    }

    #[test]
    fn the_largest_link_is_not_too_big() {
        let list = |parts: Vec<String>| format!("[{}]", parts.join(","));
        let values = list(vec!["\"a\"".into(); 50]);
        let rule = format!("{{\"when\":{},\"url\":\"b\"}}", list(vec![values; 8]));
        let bounds = list(vec![rule; 20]);
        let geo = list(vec!["\"https://example.com/\"".into(); 300]);
        assert!(!has_too_many_values(&list(vec![bounds, geo])));
    }

    #[test]
    fn values_are_counted_and_texts_are_not() {
        let zeros = |count: usize| format!("[{}]", vec!["0"; count].join(","));
        assert!(!has_too_many_values(&zeros(MOST_VALUES - 1)));
        assert!(has_too_many_values(&zeros(MOST_VALUES)));
        assert!(has_too_many_values(&"{\"a\":".repeat(MOST_VALUES)));
        let text = ",[{\\\"".repeat(MOST_VALUES);
        assert!(!has_too_many_values(&format!(
            "{{\"comment\": \"{text}\", \"b\": 0}}"
        )));
    }
}
