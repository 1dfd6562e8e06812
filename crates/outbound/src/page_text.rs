//! Extracts the words of an HTML page.
//!
//! This is not a parser: it knows where tags, comments and scripts begin and
//! end. A language model gets its output as a hint about the page, so mistakes
//! in odd markup do no harm. But its time must be proportional to the page,
//! whatever the page holds.

/// Elements whose content readers do not see.
const UNREAD: [&str; 5] = ["script", "style", "noscript", "template", "svg"];

/// The words of a page, at most so many characters. Title and description come
/// first.
pub(crate) fn text_of_html(html: &str, max_chars: usize) -> String {
    let (mut about, mut body) = (String::new(), String::new());
    let mut rest = html;
    while let Some((text, markup)) = cut(rest, "<") {
        body.push_str(text);
        if let Some(comment) = markup.strip_prefix("!--") {
            rest = after(comment, "-->");
        } else if markup.starts_with(|c: char| c.is_ascii_alphabetic() || "/!?".contains(c)) {
            let (tag, next) = cut(markup, ">").unwrap_or((markup, ""));
            let name = tag.split(|c: char| c.is_ascii_whitespace() || c == '/');
            let name = name.clone().next().unwrap_or_default();
            if name.eq_ignore_ascii_case("meta") && describes_the_page(tag) {
                about.push_str(attribute(tag, "content").unwrap_or_default());
                about.push(' ');
            }
            let unread = UNREAD
                .iter()
                .any(|unread| name.eq_ignore_ascii_case(unread));
            rest = if unread {
                after_element(next, name)
            } else {
                next
            };
            body.push(' ');
        } else {
            body.push('<');
            rest = markup;
        }
    }
    body.push_str(rest);
    squeezed(&with_characters(&(about + &body)), max_chars)
}

/// Replaces white space by single blanks.
pub(crate) fn squeezed(text: &str, max_chars: usize) -> String {
    let words: Vec<_> = text.split_whitespace().collect();
    words.join(" ").chars().take(max_chars).collect()
}

/// The text before and after the first `end`. Nothing else searches a page, so
/// tests count here what a page costs.
fn cut<'t>(text: &'t str, end: &str) -> Option<(&'t str, &'t str)> {
    let parts = text.split_once(end);
    #[cfg(test)]
    tests::count(parts.map_or(text.len(), |(before, _)| before.len() + end.len()));
    parts
}

fn after<'t>(text: &'t str, end: &str) -> &'t str {
    cut(text, end).map_or("", |(_, after)| after)
}

/// Only its own end tag ends such an element.
fn after_element<'t>(mut rest: &'t str, name: &str) -> &'t str {
    while let Some((_, end)) = cut(rest, "</") {
        let matches = end.get(..name.len());
        if matches.is_some_and(|found| found.eq_ignore_ascii_case(name)) {
            return after(end, ">");
        }
        rest = end;
    }
    ""
}

fn describes_the_page(tag: &str) -> bool {
    let is = |name, value: &str| {
        attribute(tag, name).is_some_and(|found| found.trim().eq_ignore_ascii_case(value))
    };
    is("name", "description") || is("property", "og:title") || is("property", "og:description")
}

/// The value of an attribute, its entities left as they are.
fn attribute<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
    let mut rest = tag;
    while let Some((before, value)) = cut(rest, "=") {
        let found = before
            .split_ascii_whitespace()
            .next_back()
            .unwrap_or_default();
        let value = value.trim_ascii_start();
        let (value, next) = match value.chars().next() {
            Some('"') => cut(&value[1..], "\"")?,
            Some('\'') => cut(&value[1..], "'")?,
            Some(_) | None => value
                .split_once(|c: char| c.is_ascii_whitespace())
                .unwrap_or((value, "")),
        };
        if found.eq_ignore_ascii_case(name) {
            return Some(value);
        }
        rest = next;
    }
    None
}

/// Replaces the most frequent entities by their characters.
fn with_characters(text: &str) -> String {
    const LONGEST: usize = 8;
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, entity)) = cut(rest, "&") {
        plain.push_str(before);
        let head = entity.bytes().take(LONGEST);
        let end = head.clone().position(|byte| byte == b';');
        let character = end.and_then(|end| character(&entity[..end]));
        if let (Some(end), Some(character)) = (end, character) {
            plain.push(character);
            rest = &entity[end + 1..];
        } else {
            plain.push('&');
            rest = entity;
        }
    }
    plain.push_str(rest);
    plain
}

fn character(entity: &str) -> Option<char> {
    match entity {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        "nbsp" => Some(' '),
        _ => {
            let number = entity.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16),
                None => number.parse(),
            };
            char::from_u32(code.ok()?)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use rstest::rstest;

    use super::*;

    thread_local! {
        static SEARCHED_BYTES: Cell<usize> = const { Cell::new(0) };
    }

    pub(super) fn count(bytes: usize) {
        SEARCHED_BYTES.set(SEARCHED_BYTES.get() + bytes);
    }

    #[rstest]
    #[case("<p>one<b>two</b>\n <br/> three", "one two three")]
    #[case(
        "a<SCRIPT src=x>if (a</b>c) '</div>'</Script >b<style>c</style>d",
        "a b d"
    )]
    #[case("a<!-- <p>b --> c<!-- d", "a c")]
    #[case("<!doctype html><?xml?><title>T</title>", "T")]
    #[case(
        "1 < 2 && 3 > 2 &amp; &lt;b&gt; &#8364; &#x41; &nope; &",
        "1 < 2 && 3 > 2 & <b> € A &nope; &"
    )]
    #[case(
        "<p>x<meta name=description content='Who &amp; why'><p>y",
        "Who & why x y"
    )]
    #[case(
        "<meta property=\"og:title\" content=\"A b\"/><meta name=viewport content=c>d",
        "A b d"
    )]
    #[case("a<b", "a")]
    #[case("&é;ü&", "&é;ü&")]
    #[case("", "")]
    fn reads_words(#[case] html: &str, #[case] text: &str) {
        assert_eq!(text_of_html(html, 100), text);
    }

    #[test]
    fn a_long_page_is_cut_between_characters() {
        assert_eq!(
            text_of_html(&"ü ".repeat(9_000), 4_096).chars().count(),
            4_096
        );
    }

    #[test]
    fn every_page_is_searched_a_few_times_only() {
        for piece in [
            "<",
            "<a \"",
            "<!--",
            "</",
            "<script></",
            "&#",
            "<meta name=\"",
            "=\"'",
        ] {
            let page = piece.repeat(256 * 1024 / piece.len());
            SEARCHED_BYTES.set(0);
            assert!(text_of_html(&page, 4_096).chars().count() <= 4_096);
            let searched = SEARCHED_BYTES.get();
            assert!(
                (1..=8 * page.len()).contains(&searched),
                "{piece}: {searched}"
            );
        }
    }
}
