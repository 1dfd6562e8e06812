//! The text form of values: `FromStr` parses what `Display` writes.
//!
//! Secrets have none, so that none is printed by mistake. Numbers and values with a form of their
//! own implement both beside their type.

use std::{fmt, str::FromStr};

use crate::{
    AuditedOperation, CallerName, CallerNameError, Colo, Country, CountryError, Host, HostError,
    LanguageTag, LanguageTagError, LinkId, LinkIdError, OperationError, PlaceError, PlaceName,
    Scheme, SchemeError, Scope, ScopeError, SearchText, SearchTextError, Slug, SlugError, Tag,
    TagError, TimeZoneName, TokenName, TokenNameError,
};

/// Implements both by the value's own `parse` and `as_str`.
macro_rules! text_forms {
    ($($value:ident: $error:ident,)*) => {$(
        impl FromStr for $value {
            type Err = $error;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::parse(text)
            }
        }

        impl fmt::Display for $value {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }
    )*};
}

text_forms! {
    CallerName: CallerNameError,
    Colo: PlaceError,
    Country: CountryError,
    Host: HostError,
    LanguageTag: LanguageTagError,
    LinkId: LinkIdError,
    AuditedOperation: OperationError,
    PlaceName: PlaceError,
    Scheme: SchemeError,
    Scope: ScopeError,
    SearchText: SearchTextError,
    Slug: SlugError,
    Tag: TagError,
    TimeZoneName: PlaceError,
    TokenName: TokenNameError,
}

#[cfg(test)]
mod tests {
    use std::fmt::{Debug, Display};

    use super::*;
    use crate::{ClientTag, Comment, Destination, Dimension, Revision, UnixMillis, UnixSeconds};

    fn returns<T: FromStr<Err: Debug> + Display>(text: &str) {
        assert_eq!(text.parse::<T>().unwrap().to_string(), text);
    }

    #[test]
    fn what_a_value_writes_is_parsed_again() {
        returns::<CallerName>("CI bot");
        returns::<ClientTag>("00000000deadbeef");
        returns::<Colo>("FRA");
        returns::<Comment>("for the spring sale");
        returns::<Country>("DE");
        returns::<Destination>("https://example.com/?a=b#c");
        returns::<Dimension>("browserType");
        returns::<Host>("go.example");
        returns::<LanguageTag>("pt-BR");
        returns::<LinkId>("0198f0a2-6f1e-7c3a-8f00-0123456789ab");
        returns::<AuditedOperation>("link.create");
        returns::<PlaceName>("São Paulo");
        returns::<Revision>("7");
        returns::<Scheme>("mailto");
        returns::<Scope>("links:read");
        returns::<SearchText>("sale");
        returns::<Slug>("spring-sale");
        returns::<Tag>("sale");
        returns::<TimeZoneName>("Europe/Berlin");
        returns::<TokenName>("CI bot");
        returns::<UnixMillis>("-1");
        returns::<UnixSeconds>("1800000000");
    }

    #[test]
    fn a_text_without_the_form_is_refused_with_the_reason() {
        let says = |error: &dyn Display, text: &str| assert_eq!(error.to_string(), text);
        says(
            &"x".parse::<Country>().unwrap_err(),
            "a country code is two letters, such as DE",
        );
        says(
            &"link.paint".parse::<AuditedOperation>().unwrap_err(),
            "\"link.paint\" is not an operation",
        );
        says(
            &"noon".parse::<UnixSeconds>().unwrap_err(),
            "not a whole number: invalid digit found in string",
        );
        says(
            &"9007199254740992".parse::<UnixSeconds>().unwrap_err(),
            "9007199254740992 is not a moment between -(2^53-1) and 2^53-1 seconds",
        );
    }
}
