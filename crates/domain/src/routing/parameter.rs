//! Parameters of a query that conditions ask for.

use std::{borrow::Cow, cell::OnceCell};

use url::form_urlencoded;

use super::value::Value;

/// A parameter of the visitor's query, with a value or with any. Its text is that of a query:
/// `ref=poster`, or `ref` for any value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Parameter {
    name: Box<str>,
    value: Option<Box<str>>,
}

impl Parameter {
    const MAX_CHARS: usize = 128;

    /// True if a query has the parameter.
    pub(super) fn is_in(&self, query: &AskedQuery<'_>) -> bool {
        let is_value = |value: &str| self.value.as_ref().is_none_or(|ours| value == &**ours);
        let mut pairs = query.pairs().iter();
        pairs.any(|(name, value)| *name == *self.name && is_value(value))
    }
}

/// The query of a visitor, parsed when the first condition asks for it.
#[derive(Debug)]
pub(super) struct AskedQuery<'q> {
    text: &'q str,
    pairs: OnceCell<Vec<(Cow<'q, str>, Cow<'q, str>)>>,
}

impl<'q> AskedQuery<'q> {
    /// The most that is read of a query: visitors write it, and each condition compares each pair.
    const MAX_BYTES: usize = 8 << 10;
    const MAX_PAIRS: usize = 256;

    pub(super) fn new(text: &'q str) -> Self {
        Self {
            text,
            pairs: OnceCell::new(),
        }
    }

    fn pairs(&self) -> &[(Cow<'q, str>, Cow<'q, str>)] {
        self.pairs.get_or_init(|| {
            let mut read = self.text.as_bytes();
            if read.len() > Self::MAX_BYTES {
                // The beginning of a value is another value.
                let end = read[..Self::MAX_BYTES]
                    .iter()
                    .rposition(|byte| *byte == b'&');
                read = &read[..end.unwrap_or(0)];
            }
            let pairs = form_urlencoded::parse(read);
            pairs.take(Self::MAX_PAIRS).collect()
        })
    }
}

impl Value for Parameter {
    const EXPECTED: &'static str =
        "a name and a value of at most 128 characters each; the name not empty";

    fn parse(text: &str) -> Option<Self> {
        let decoded = |text: &str| -> Option<Box<str>> {
            // An `&` would begin another parameter.
            let mut pairs = form_urlencoded::parse(text.as_bytes());
            let (name, _) = pairs
                .next()
                .unwrap_or((Cow::Borrowed(""), Cow::Borrowed("")));
            let alone = pairs.next().is_none() && name.chars().count() <= Self::MAX_CHARS;
            alone.then(|| name.as_ref().into())
        };
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(decoded(value)?)),
            None => (text, None),
        };
        let name = decoded(name).filter(|name| !name.is_empty())?;
        Some(Self { name, value })
    }

    fn show(&self) -> String {
        let mut text: String = form_urlencoded::byte_serialize(self.name.as_bytes()).collect();
        if let Some(value) = &self.value {
            text.push('=');
            text.extend(form_urlencoded::byte_serialize(value.as_bytes()));
        }
        text
    }

    fn bytes(&self) -> usize {
        self.name.len() + self.value.as_ref().map_or(0, |value| value.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_is_found_however_it_is_written() {
        let poster = <Parameter as Value>::parse("a+b=x%26y").unwrap();
        assert_eq!(poster.show(), "a+b=x%26y");
        let is_in = |parameter: &Parameter, query: &str| parameter.is_in(&AskedQuery::new(query));
        assert!(is_in(&poster, "c=1&a%20b=x%26y"));
        assert!(!is_in(&poster, "a+b=x") && !is_in(&poster, ""));
        let any = <Parameter as Value>::parse("ref").unwrap();
        assert!(is_in(&any, "ref") && is_in(&any, "ref=1") && !is_in(&any, "refs=1"));
        let none = <Parameter as Value>::parse("ref=").unwrap();
        assert!(is_in(&none, "ref") && is_in(&none, "&ref=") && !is_in(&none, "ref=1"));
        assert_eq!(none.show(), "ref=");
        for wrong in ["", "=x", "a&b", "a=b&c"] {
            assert_eq!(<Parameter as Value>::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_beginning_of_a_long_query_is_read_and_no_part_of_a_parameter() {
        let poster = <Parameter as Value>::parse("ref=poster").unwrap();
        let last = "ref=poster";
        let after = |bytes: usize| format!("{}&{last}", "a".repeat(bytes - last.len() - 1));
        let pairs = |before: usize| format!("{}{last}", "a&%&".repeat(before / 2));
        for (query, is_read) in [
            (after(AskedQuery::MAX_BYTES), true),
            (after(AskedQuery::MAX_BYTES + 1), false),
            (format!("{}ed&b", after(AskedQuery::MAX_BYTES)), false),
            (pairs(AskedQuery::MAX_PAIRS - 2), true),
            (pairs(AskedQuery::MAX_PAIRS), false),
        ] {
            let length = query.len();
            let asked = AskedQuery::new(&query);
            assert_eq!(poster.is_in(&asked), is_read, "{length} bytes");
        }
    }
}
