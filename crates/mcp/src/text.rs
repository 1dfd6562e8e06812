//! The text that a model reads.
//!
//! Titles, comments, URLs, referers and user agents were written by strangers,
//! and what they write stands in the same context as the model's orders and,
//! in many hosts, on somebody's terminal. So the text shows neither characters
//! that steer a terminal nor ones that make text look like other text, and it
//! has an end. Structured content stays exact: programs read that, and what an
//! agent reads and writes back must not change on the way.

use serde_json::Value;

/// Most bytes of a result's text: more than a page of ordinary links, and about
/// what hosts let through (Claude Code stops at 25,000 tokens).
const MAX_RESULT: usize = 128 << 10;

/// Most bytes of an error's text. It may repeat what the caller sent.
const MAX_ERROR: usize = 4 << 10;

/// A result for reading, from its JSON.
pub(crate) fn of_result(json: &str) -> String {
    let text = if json.contains(r"\u00") || json.contains(is_hidden) {
        let value = serde_json::from_str(json).expect("results are JSON");
        cleaned(value).to_string()
    } else {
        json.to_owned()
    };
    let note = "structuredContent holds all of it; ask for less, by limit or for one link";
    bounded(text, MAX_RESULT, note)
}

/// An error for reading: one line.
pub(crate) fn of_error(text: &str) -> String {
    let text: String = text
        .chars()
        .map(|c| if c.is_whitespace() { ' ' } else { c })
        .filter(|c| !is_hidden(*c))
        .collect();
    bounded(text, MAX_ERROR, "what was sent is too long to repeat")
}

fn cleaned(value: Value) -> Value {
    match value {
        Value::String(text) => text.replace(is_hidden, "").into(),
        Value::Array(items) => items.into_iter().map(cleaned).collect(),
        Value::Object(members) => members
            .into_iter()
            .map(|(name, value)| (name.replace(is_hidden, ""), cleaned(value)))
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value,
    }
}

/// Characters that show nothing and do something: controls, those that turn the
/// direction of writing (Unicode UAX #9), line separators that are no escapes in
/// JSON, and tags, which spell ASCII that only a model sees. Line breaks and
/// tabs stay, because JSON writes them as escapes.
fn is_hidden(c: char) -> bool {
    match c {
        '\n' | '\r' | '\t' => false,
        '\u{61c}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}'
        | '\u{feff}'
        | '\u{e0000}'..='\u{e007f}' => true,
        other => other.is_control(),
    }
}

fn bounded(mut text: String, max: usize, note: &str) -> String {
    let whole = text.len();
    if whole <= max {
        return text;
    }
    text.truncate(text.floor_char_boundary(max));
    format!(
        "{text}\n[cut after {} of {whole} bytes: {note}]",
        text.len()
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_hides_is_removed_and_everything_else_stays() {
        let hostile =
            "a\u{202e}b\u{2066}c\u{1b}[31md\u{0}e\u{9b}f\u{2028}g\u{e0041}h\u{feff}i\u{7f}";
        let text =
            of_result(&json!({"title": hostile, "geo": {"\u{202e}DE": hostile}}).to_string());
        let read: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(
            read,
            json!({"title": "abc[31mdefghi", "geo": {"DE": "abc[31mdefghi"}})
        );

        let kind = json!({"comment": "zwei\nZeilen\tund \"ß\" 👩‍👩‍👧 سلام \\u0041"}).to_string();
        assert_eq!(of_result(&kind), kind);
    }

    #[test]
    fn texts_end_and_say_where() {
        let long = json!({"comment": "ä".repeat(MAX_RESULT)}).to_string();
        let text = of_result(&long);
        assert!(text.len() < MAX_RESULT + 200);
        let end = format!("of {} bytes: structuredContent holds", long.len());
        assert!(text.contains(&end), "{}", &text[text.len() - 200..]);
        let fits = json!("x".repeat(MAX_RESULT - 2)).to_string();
        assert_eq!(of_result(&fits), fits);
    }

    #[test]
    fn errors_are_one_bounded_line() {
        assert_eq!(of_error("a\nb\u{202e}\u{7}c"), "a bc");
        assert!(of_error(&"x".repeat(1 << 20)).len() < MAX_ERROR + 100);
    }
}
