//! Merging the query of a visitor into an address.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use crate::uri::encoded_query;

/// Puts a visitor's parameters into an absolute URL.
///
/// A parameter that the URL has keeps its position and takes the visitor's values. The other
/// parameters of the visitor follow at the end, in the visitor's order. The parameters of the URL
/// that the visitor does not name stay byte for byte, because they may be signed or in an
/// encoding other than UTF-8, and so do the visitor's; what no URI holds is encoded. The fragment
/// stays last.
pub(crate) fn merge_query<'u>(url: &'u str, query: &str) -> Cow<'u, str> {
    let query = encoded_query(query);
    let theirs = Parameters::of(&query);
    if theirs.all.is_empty() {
        return Cow::Borrowed(url);
    }
    let (address, fragment) = url.split_at(url.find('#').unwrap_or(url.len()));
    let (address, own) = address.split_once('?').unwrap_or((address, ""));
    let mut merged = Merged {
        // Most values are as long as they are written; a path or a fragment may be added.
        text: String::with_capacity(url.len() + query.len() + 2),
        separator: '?',
    };
    merged.text.push_str(address);
    if has_no_path(address) {
        merged.text.push('/');
    }
    if own.is_empty() {
        merged.write(&query);
        merged.text.push_str(fragment);
        return Cow::Owned(merged.text);
    }
    let mut written = vec![false; theirs.all.len()];
    for parameter in pairs(own) {
        let same_name = theirs.named(&parameter.name);
        let Some(&first) = same_name.first() else {
            merged.write(parameter.text);
            continue;
        };
        if !written[first] {
            for &index in same_name {
                merged.write(theirs.all[index].text);
                written[index] = true;
            }
        }
    }
    for (parameter, written) in theirs.all.iter().zip(written) {
        if !written {
            merged.write(parameter.text);
        }
    }
    merged.text.push_str(fragment);
    Cow::Owned(merged.text)
}

/// A parameter of a query.
struct Parameter<'q> {
    /// The parameter as it is written.
    text: &'q str,
    /// The name that the text stands for. Bytes, because a query need not be UTF-8.
    name: Cow<'q, [u8]>,
}

/// The parameters of a query in their order.
fn pairs(query: &str) -> impl Iterator<Item = Parameter<'_>> {
    let texts = query.split('&').filter(|text| !text.is_empty());
    texts.map(|text| Parameter {
        text,
        name: decoded(text.split_once('=').map_or(text, |(name, _)| name)),
    })
}

/// The parameters of a query, found by name. A search keeps the merge of two long queries cheap.
struct Parameters<'q> {
    all: Vec<Parameter<'q>>,
    /// Indexes into `all`, by name and then by index.
    by_name: Vec<usize>,
}

impl<'q> Parameters<'q> {
    fn of(query: &'q str) -> Self {
        let all: Vec<_> = pairs(query).filter(|pair| pair.text != "=").collect();
        let mut by_name: Vec<usize> = (0..all.len()).collect();
        by_name.sort_by(|&a, &b| all[a].name.cmp(&all[b].name));
        Self { all, by_name }
    }

    fn named(&self, name: &[u8]) -> &[usize] {
        let name_at = |index: usize| &*self.all[index].name;
        let from = self.by_name.partition_point(|&index| name_at(index) < name);
        let rest = &self.by_name[from..];
        &rest[..rest.partition_point(|&index| name_at(index) == name)]
    }
}

/// The URL as far as it is written.
struct Merged {
    text: String,
    /// The character before the next parameter.
    separator: char,
}

impl Merged {
    fn write(&mut self, parameters: &str) {
        self.text.push(self.separator);
        self.text.push_str(parameters);
        self.separator = '&';
    }
}

/// The bytes that a name in a query stands for.
fn decoded(text: &str) -> Cow<'_, [u8]> {
    if !text.contains(['%', '+']) {
        return Cow::Borrowed(text.as_bytes());
    }
    Cow::Owned(percent_decode_str(&text.replace('+', " ")).collect())
}

/// True for `https://example.com`, whose path is written `/` if a query follows.
fn has_no_path(address: &str) -> bool {
    address.split_once("://").is_some_and(|(scheme, rest)| {
        let web = ["http", "https"]
            .iter()
            .any(|web| scheme.eq_ignore_ascii_case(web));
        web && !rest.contains('/')
    })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::keeps_its_position("?a=1&b=t", "c=2&b=r", "?a=1&b=r&c=2")]
    #[case::follows_in_order("?a=1", "z=1&y=2&x=3", "?a=1&z=1&y=2&x=3")]
    #[case::fragment_last("?a=1&b=2#top?x", "b=3&c", "?a=1&b=3&c#top?x")]
    #[case::repeated_by_the_visitor("?a=1&b=2", "a=3&c=5&a=4", "?a=3&a=4&b=2&c=5")]
    #[case::repeated_in_the_url("?a=1&b=2&a=3", "a=4", "?a=4&b=2")]
    #[case::repeated_and_unnamed("?a=1&b=2&a=3", "b=4", "?a=1&b=4&a=3")]
    #[case::the_same_name_encoded("?%61+b=1&c=2", "a%20b=3", "?a%20b=3&c=2")]
    #[case::case_matters("?a=1", "A=2", "?a=1&A=2")]
    #[case::the_visitors_encoding("", "x=%26%20y+z%7e", "?x=%26%20y+z%7e")]
    #[case::what_no_uri_holds("?a=1", "b=|ü\"#c", "?a=1&b=%7C%C3%BC%22%23c")]
    #[case::alone_and_byte_for_byte("", "&a=&&b==c&[d]=/?", "?&a=&&b==c&[d]=/?")]
    #[case::the_urls_encoding("?a=%20+/%FF&b=", "c=1", "?a=%20+/%FF&b=&c=1")]
    #[case::bytes_that_are_no_text("?a=1&%FF=1", "%FF=%C4%E3&%FE=2", "?a=1&%FF=%C4%E3&%FE=2")]
    #[case::broken_escapes("?a=1", "b=%zz%", "?a=1&b=%25zz%25")]
    #[case::empty_values("?a=1&b", "a=&c=&b", "?a=&b&c=")]
    #[case::equals_signs("?a=b=c", "d=e=f", "?a=b=c&d=e=f")]
    #[case::empty_names("?=1", "=2&=", "?=2")]
    #[case::empty_pairs("?a=1&&b=2&", "&c=3&", "?a=1&b=2&c=3")]
    #[case::a_bare_question_mark("?#f", "a=1", "?a=1#f")]
    #[case::nothing_to_add("?a=1&&b", "&=&", "?a=1&&b")]
    fn the_visitors_parameters_win(#[case] own: &str, #[case] query: &str, #[case] merged: &str) {
        let url = |query| format!("https://e.example/p{query}");
        assert_eq!(merge_query(&url(own), query), url(merged));
    }

    #[rstest]
    #[case("https://e.example", "https://e.example/?a=1")]
    #[case("https://e.example#f", "https://e.example/?a=1#f")]
    #[case("https://e.example?b=/", "https://e.example/?b=/&a=1")]
    #[case("HTTPS://Ü.example/ö", "HTTPS://Ü.example/ö?a=1")]
    #[case("mailto:a@e.example", "mailto:a@e.example?a=1")]
    #[case("app://open", "app://open?a=1")]
    fn the_query_follows_the_path(#[case] url: &str, #[case] merged: &str) {
        assert_eq!(merge_query(url, "a=1"), merged);
    }

    #[test]
    fn two_long_queries_are_merged_in_order() {
        let numbered = |from: u32, to: u32, value: &str| {
            let pairs: Vec<_> = (from..to).map(|i| format!("p{i}={value}")).collect();
            pairs.join("&")
        };
        let url = format!("https://e.example/?{}", numbered(0, 3_000, "own"));
        let expected = [
            numbered(0, 1_000, "own"),
            numbered(1_000, 3_000, "theirs"),
            numbered(3_000, 4_000, "theirs"),
        ];
        assert_eq!(
            merge_query(&url, &numbered(1_000, 4_000, "theirs")),
            format!("https://e.example/?{}", expected.join("&"))
        );
    }
}
