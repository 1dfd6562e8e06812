//! The campaign that brought a visitor.

use std::sync::Arc;

use slugline_domain::Campaign;
use url::form_urlencoded;

use crate::{
    bounds::{UTM_MAX_BYTES, truncate},
    memo::Memo,
};

/// Finds the campaigns of visits.
#[derive(Debug)]
pub(super) struct Campaigns {
    known: Memo<Arc<Named>>,
    none: Arc<Named>,
}

/// A campaign: the values of [`Campaign::PARAMETERS`], empty where unknown.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Named([Box<str>; 3]);

impl Campaigns {
    /// Caches at most so many.
    pub(super) fn new(most: usize) -> Self {
        Self {
            known: Memo::new(most),
            none: Arc::default(),
        }
    }

    /// The campaign that the visitor's query and the link's destination name.
    ///
    /// A parameter of the visitor's query replaces the destination's, as it does in the address of
    /// a redirect that passes the query on. It counts even if the redirect does not pass it on,
    /// because it tells where this visitor found the link.
    pub(super) fn of(&mut self, query: &str, destination: &str) -> Arc<Named> {
        let own = query_of(destination);
        if query.is_empty() && !may_name_one(own) {
            return Arc::clone(&self.none);
        }
        let named = || Arc::new(Named::first_of([query, own]));
        self.known.get(&(query, own), named)
    }
}

impl Named {
    pub(super) fn parts(&self) -> Campaign<'_> {
        let [source, medium, name] = &self.0;
        Campaign {
            source,
            medium,
            name,
        }
    }

    /// Takes each parameter from the first query that has a value for it.
    fn first_of(queries: [&str; 2]) -> Self {
        let pairs = || {
            let queries = queries.into_iter();
            queries.flat_map(|query| form_urlencoded::parse(query.as_bytes()))
        };
        Self(Campaign::PARAMETERS.map(|parameter| {
            pairs()
                .filter(|(name, _)| name.eq_ignore_ascii_case(parameter))
                .map(|(_, value)| clean(&value))
                .find(|value| !value.is_empty())
                .unwrap_or_default()
        }))
    }
}

/// A value without control characters and blanks around it, within its bound.
fn clean(value: &str) -> Box<str> {
    /// Filters read this as the empty value, so no stored value may be it.
    const NONE: &str = "(none)";

    let printable: String = value.chars().filter(|c| !c.is_control()).collect();
    let cut = truncate(printable.trim(), UTM_MAX_BYTES).trim_end();
    if cut == NONE {
        Box::default()
    } else {
        cut.into()
    }
}

/// The query of a URL, without its fragment.
fn query_of(url: &str) -> &str {
    let (before_fragment, _) = url.split_once('#').unwrap_or((url, ""));
    before_fragment
        .split_once('?')
        .map_or("", |(_, query)| query)
}

/// Returns `false` for most queries that name no campaign, at little cost.
fn may_name_one(query: &str) -> bool {
    let bytes = query.as_bytes();
    bytes
        .windows(3)
        .any(|three| three.eq_ignore_ascii_case(b"utm"))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn campaign(query: &str, destination: &str) -> [String; 3] {
        let named = Campaigns::new(8).of(query, destination);
        let Campaign {
            source,
            medium,
            name,
        } = named.parts();
        [source, medium, name].map(str::to_owned)
    }

    #[rstest]
    #[case("", "https://e.example/", ["", "", ""])]
    #[case("utm_source=a&utm_medium=b&utm_campaign=c", "https://e.example/", ["a", "b", "c"])]
    #[case("", "https://e.example/?utm_source=a&x=y&utm_campaign=c#utm_medium=b", ["a", "", "c"])]
    #[case("", "https://e.example/#?utm_source=a", ["", "", ""])]
    #[case("utm_source=mine", "https://e.example/?utm_source=a&utm_medium=b", ["mine", "b", ""])]
    #[case("utm_source=%20", "https://e.example/?utm_source=a", ["a", "", ""])]
    #[case("", "https://e.example/?UTM_Source=a", ["a", "", ""])]
    #[case("", "mailto:a@e.example?utm_source=a", ["a", "", ""])]
    fn the_visitors_parameters_replace_the_destinations(
        #[case] query: &str,
        #[case] destination: &str,
        #[case] expected: [&str; 3],
    ) {
        assert_eq!(campaign(query, destination), expected);
    }

    #[rstest]
    #[case("spring+sale%202026", "spring sale 2026")]
    #[case("%C3%BCber", "über")]
    #[case("%FF", "\u{fffd}")]
    #[case("%00a%0Ab%C2%85c%7F", "abc")]
    #[case("%20a%20", "a")]
    #[case("Newsletter", "Newsletter")]
    #[case("(none)", "")]
    #[case("%28none%29%00", "")]
    fn values_are_decoded_and_cleaned(#[case] sent: &str, #[case] expected: &str) {
        let [source, ..] = campaign(&format!("utm_source={sent}"), "https://e.example/");
        assert_eq!(source, expected);
    }

    #[test]
    fn a_value_beyond_the_bound_is_cut_between_characters() {
        let [source, ..] = campaign(&format!("utm_source=a{}", "%C3%BC".repeat(200)), "x:");
        assert_eq!(source.len(), UTM_MAX_BYTES - 1);
        let [source, ..] = campaign(&format!("utm_source={}+b", "a".repeat(127)), "x:");
        assert_eq!(source.len(), 127);
    }

    #[test]
    fn campaigns_of_other_links_are_others() {
        let mut campaigns = Campaigns::new(8);
        for (destination, expected) in [("x:?utm_source=a", "a"), ("x:?utm_source=b", "b")] {
            for _ in 0..2 {
                let named = campaigns.of("utm_medium=m", destination);
                assert_eq!(named.parts().source, expected);
                assert_eq!(named.parts().medium, "m");
            }
        }
    }
}
