//! The text that a model reads.
//!
//! Strangers write titles, comments, URLs, referers and user agents. Their texts stand
//! in the same context as the model's instructions and, in many hosts, on a terminal.
//! So this module removes characters that steer a terminal and characters that are
//! invisible, and it limits the length.
//!
//! Structured content stays exact, because programs read it and agents write values
//! back. Hosts may show its JSON to a model unchanged, so the JSON writes every such
//! character as an escape: a parser gets the same value, and a reader sees it.

use std::fmt::Write;

use icu_properties::{
    CodePointSetData,
    props::{DefaultIgnorableCodePoint, EmojiModifier, ExtendedPictographic},
};
use serde_json::Value;

/// The most bytes of a result's text: more than a page of ordinary links, and about the
/// limit of hosts (Claude Code stops at 25,000 tokens).
const MAX_RESULT: usize = 128 << 10;

/// The most bytes of an error's text, which may repeat the caller's input.
const MAX_ERROR: usize = 4 << 10;

/// Formats a result as text, from its JSON.
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

/// Formats an error as one line.
pub(crate) fn of_error(text: &str) -> String {
    let text: String = shown(text)
        .map(|c| if c.is_whitespace() { ' ' } else { c })
        .collect();
    bounded(text, MAX_ERROR, "what was sent is too long to repeat")
}

/// Returns the same JSON with escapes for hidden characters, or `None` if there are none.
/// Hidden characters only stand in texts, where every character may be an escape.
pub(crate) fn escaped(json: &str) -> Option<String> {
    if !json.contains(is_hidden) {
        return None;
    }
    let mut text = String::with_capacity(json.len());
    for (c, hidden) in judged(json) {
        if hidden {
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(text, "\\u{unit:04x}").expect("writing to a string does not fail");
            }
        } else {
            text.push(c);
        }
    }
    Some(text)
}

fn cleaned(value: Value) -> Value {
    match value {
        Value::String(text) => shown(&text).collect::<String>().into(),
        Value::Array(items) => items.into_iter().map(cleaned).collect(),
        Value::Object(members) => members
            .into_iter()
            .map(|(name, value)| (shown(&name).collect::<String>(), cleaned(value)))
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value,
    }
}

/// Returns the characters of a text without the hidden ones.
fn shown(text: &str) -> impl Iterator<Item = char> {
    judged(text).filter_map(|(c, hidden)| (!hidden).then_some(c))
}

/// Yields each character, and true if it is hidden at its position.
fn judged(text: &str) -> impl Iterator<Item = (char, bool)> {
    let mut chars = text.chars().peekable();
    let mut before = None;
    std::iter::from_fn(move || {
        let c = chars.next()?;
        let hidden = is_hidden(c) && !is_part_of_emoji(before, c, chars.peek().copied());
        if !hidden {
            before = Some(c);
        }
        Some((c, hidden))
    })
}

/// Returns whether a character is invisible but has an effect. These are controls,
/// separators of lines that are no escapes in JSON, annotations between lines, and the
/// characters that Unicode calls default ignorable: direction marks, characters of zero
/// width, variation selectors, fillers, and tags, which spell ASCII that only a model
/// sees. Line breaks and tabs stay, because JSON writes them as escapes.
fn is_hidden(c: char) -> bool {
    const IGNORABLE: Property = CodePointSetData::new::<DefaultIgnorableCodePoint>();
    match c {
        '\n' | '\r' | '\t' => false,
        '\u{2028}' | '\u{2029}' | '\u{fff9}'..='\u{fffb}' => true,
        other => other.is_control() || (!other.is_ascii() && IGNORABLE.contains(other)),
    }
}

/// Returns whether a hidden character joins its neighbours into one picture. Each picture
/// takes one selector and one joiner, so there is no room to hide a text. Flags spelled
/// in tags turn black, and joiners between letters are removed, though some scripts use
/// them: a model reads the words without them.
fn is_part_of_emoji(before: Option<char>, c: char, after: Option<char>) -> bool {
    const PICTURE: Property = CodePointSetData::new::<ExtendedPictographic>();
    const SKIN: Property = CodePointSetData::new::<EmojiModifier>();
    let Some(before) = before else {
        return false;
    };
    match c {
        '\u{fe0e}' | '\u{fe0f}' => PICTURE.contains(before),
        '\u{200d}' => {
            let ends_a_picture =
                PICTURE.contains(before) || SKIN.contains(before) || before == '\u{fe0f}';
            ends_a_picture && after.is_some_and(|after| PICTURE.contains(after))
        }
        _ => false,
    }
}

type Property = icu_properties::CodePointSetDataBorrowed<'static>;

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
    use rstest::rstest;
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

    #[rstest]
    #[case::zero_width("a\u{200b}\u{200c}\u{200d}b")]
    #[case::word_joiner_and_invisible_operators("a\u{2060}\u{2061}\u{2064}b")]
    #[case::soft_hyphen("a\u{ad}b")]
    #[case::selectors("a\u{fe00}\u{fe0f}\u{e0100}\u{e01ef}b")]
    #[case::fillers("a\u{115f}\u{3164}\u{ffa0}\u{34f}\u{180e}b")]
    #[case::tags("a\u{e0001}\u{e0041}\u{e007f}b")]
    #[case::annotations("a\u{fff9}\u{fffb}b")]
    #[case::lines("a\u{2028}\u{2029}\u{85}b")]
    fn what_shows_nothing_is_removed_from_texts_and_escaped_in_structures(#[case] hidden: &str) {
        assert_eq!(of_error(hidden).replace(' ', ""), "ab");
        let json = json!({"title": hidden, "geo": {hidden: "😀"}}).to_string();
        let read: Value = serde_json::from_str(&of_result(&json)).unwrap();
        assert_eq!(read, json!({"title": "ab", "geo": {"ab": "😀"}}));
        let escaped = escaped(&json).unwrap();
        assert!(!escaped.contains(is_hidden), "{escaped}");
        assert_eq!(
            serde_json::from_str::<Value>(&escaped).unwrap().to_string(),
            json
        );
    }

    #[rstest]
    #[case(
        "❤\u{fe0f} 👩\u{200d}👩\u{200d}👧 🧑🏽\u{200d}🚀 🏳\u{fe0f}\u{200d}🌈",
        None
    )]
    #[case("❤\u{fe0f}\u{fe0f}\u{fe00}\u{200d}", Some("❤\u{fe0f}"))]
    #[case("\u{fe0f}\u{200d}❤", Some("❤"))]
    #[case("👩\u{200d}a1\u{fe0f}", Some("👩a1"))]
    #[case("👩\u{200b}\u{200d}👧", Some("👩\u{200d}👧"))]
    fn emoji_stay_whole(#[case] text: &str, #[case] read: Option<&str>) {
        assert_eq!(of_error(text), read.unwrap_or(text));
        let json = json!(text).to_string();
        let escaped = escaped(&json).unwrap_or_default();
        assert_eq!(escaped == json, read.is_none(), "{escaped}");
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
