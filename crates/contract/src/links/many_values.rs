//! Bounds the values of a JSON text before it is parsed.

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
    use super::*;

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
