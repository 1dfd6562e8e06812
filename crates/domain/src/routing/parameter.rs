//! Parameters of a query that conditions ask for.

use std::borrow::Cow;

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
    pub(super) fn is_in(&self, query: &str) -> bool {
        let is_it = |name: &str, value: &str| {
            name == &*self.name && self.value.as_ref().is_none_or(|ours| value == &**ours)
        };
        if query.contains(['%', '+']) {
            let mut pairs = form_urlencoded::parse(query.as_bytes());
            return pairs.any(|(name, value)| is_it(&name, &value));
        }
        // Most queries are written as they are meant.
        let mut pairs = query.split('&').filter(|pair| !pair.is_empty());
        pairs.any(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            is_it(name, value)
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
        assert!(poster.is_in("c=1&a%20b=x%26y") && !poster.is_in("a+b=x") && !poster.is_in(""));
        let any = <Parameter as Value>::parse("ref").unwrap();
        assert!(any.is_in("ref") && any.is_in("ref=1") && !any.is_in("refs=1"));
        let none = <Parameter as Value>::parse("ref=").unwrap();
        assert!(none.is_in("ref") && none.is_in("ref=") && !none.is_in("ref=1"));
        assert_eq!(none.show(), "ref=");
        for wrong in ["", "=x", "a&b", "a=b&c"] {
            assert_eq!(<Parameter as Value>::parse(wrong), None, "{wrong}");
        }
    }
}
