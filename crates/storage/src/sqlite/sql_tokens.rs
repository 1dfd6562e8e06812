//! A statement in pieces, to compare statements that differ in blanks, quotes and case only.

/// The words, texts and signs of a statement. Names are lower case and lose quotes that they do
/// not need; texts and comments stay as they are.
pub(super) fn tokens(sql: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut rest = sql.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = length_of_token(rest, first);
        let (token, after) = rest.split_at(length);
        tokens.push(plain(token));
        rest = after.trim_start();
    }
    tokens
}

fn length_of_token(text: &str, first: char) -> usize {
    let until = |end: &str| text.find(end).map_or(text.len(), |at| at + end.len());
    match first {
        '\'' | '"' | '`' => length_of_quoted(text, first),
        '[' => until("]"),
        // One piece up to its end: what a comment hides must not count as a word.
        '-' if text.starts_with("--") => until("\n"),
        '/' if text.starts_with("/*") => until("*/"),
        _ if is_of_word(first) => text.find(|c| !is_of_word(c)).unwrap_or(text.len()),
        _ => first.len_utf8(),
    }
}

/// A quote within is written twice.
fn length_of_quoted(text: &str, quote: char) -> usize {
    let mut within = text.char_indices().skip(1).peekable();
    while let Some((at, sign)) = within.next() {
        if sign == quote && within.next_if(|(_, next)| *next == quote).is_none() {
            return at + 1;
        }
    }
    text.len()
}

fn is_of_word(sign: char) -> bool {
    sign.is_ascii_alphanumeric() || sign == '_' || sign == '$' || !sign.is_ascii()
}

fn plain(token: &str) -> String {
    let name = token
        .strip_prefix('"')
        .and_then(|token| token.strip_suffix('"'));
    let name = name.filter(|name| !name.is_empty() && name.chars().all(is_of_word));
    match token.chars().next() {
        _ if name.is_some() => name.unwrap_or_default().to_ascii_lowercase(),
        Some(first) if is_of_word(first) => token.to_ascii_lowercase(),
        _ => token.trim_end().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_quotes_and_case_of_names_do_not_matter() {
        let one = tokens("CREATE TABLE \"a\" ( \"b\" text NULL, c INTEGER )");
        assert_eq!(one, tokens("create table a(b TEXT null,\n c integer)"));
        assert_eq!(tokens("x'00' + 1.5"), ["x", "'00'", "+", "1", ".", "5"]);
    }

    #[test]
    fn texts_comments_and_odd_names_stay_as_they_are() {
        for (one, other) in [
            ("'a b'", "'ab'"),
            ("'A'", "'a'"),
            ("'it''s'", "'it' 's'"),
            ("'a'", "a"),
            ("\"a b\"", "a b"),
            ("a -- b\n c", "a -- b c"),
            ("a /* b */ c", "a /* b c */"),
            ("[a b]", "a b"),
        ] {
            assert_ne!(tokens(one), tokens(other), "{one}");
        }
    }

    #[test]
    fn what_has_no_end_ends_with_the_statement() {
        for text in ["'a", "\"", "-- b", "/* ü", "[", "'it''"] {
            assert_eq!(tokens(text), [text]);
        }
    }
}
