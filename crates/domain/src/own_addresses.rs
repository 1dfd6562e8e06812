//! The addresses at which an instance answers for its links.
//!
//! A link to its own address would cause a redirect loop.

use url::Url;

use crate::{BaseUrl, Destination, LinkKey, Origin, Slug, SlugCase, routing::placeholder_in};

/// The public address of an instance, as far as it is known, and its rule about
/// the case of slugs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnAddresses {
    base: Option<BaseUrl>,
    case: SlugCase,
}

impl OwnAddresses {
    /// The addresses below no known one.
    pub fn of_slugs(case: SlugCase) -> Self {
        Self { base: None, case }
    }

    /// The addresses below this one.
    #[must_use]
    pub fn at(&self, base: &BaseUrl) -> Self {
        Self {
            base: Some(base.clone()),
            case: self.case,
        }
    }

    /// Tells whether the destination is the public address of this link, or, if the link `forwards`
    /// what stands behind its slug, is or may be below that address once its placeholders are filled
    /// in. A named domain answers on the port of the public origin.
    pub fn lead_back(&self, key: &LinkKey, destination: &Destination, forwards: bool) -> bool {
        self.path_of(key, destination).is_some_and(|path| {
            // A parsed path has braces encoded.
            let path = path.replace("%7B", "{").replace("%7D", "}");
            let path = path.trim_start_matches('/');
            let (first, behind) = path.split_once('/').unwrap_or((path, ""));
            match placeholder_in(first).filter(|_| forwards) {
                // One alone takes a segment away each time, so the visitor arrives.
                Some(placeholder) => path != placeholder,
                // The redirect ignores a slash at the end, too.
                None if behind.is_empty() => {
                    let slug = Slug::pasted(first).map(|(slug, _)| slug);
                    self.is_same(slug, &key.slug)
                }
                None => forwards && self.is_same(Slug::in_segment(first), &key.slug),
            }
        })
    }

    /// The path of a destination below the address that answers for the link.
    fn path_of(&self, key: &LinkKey, destination: &Destination) -> Option<String> {
        let url = Url::parse(destination.as_str()).ok()?;
        let led_to = Origin::of(&url)?;
        let own = match (key.domain.host(), &self.base) {
            (None, base) => base.clone()?,
            (Some(host), Some(base)) => base.of_host(host.as_str()),
            (Some(host), None) => format!("http://{host}").parse().ok()?,
        };
        // Schemes are not compared: a proxy in front may send visitors from `http` to `https`.
        let is_own = led_to.host_and_port() == own.origin().host_and_port();
        let path = url.path().strip_prefix(own.path()).filter(|_| is_own)?;
        (path.is_empty() || path.starts_with('/')).then(|| path.to_owned())
    }

    fn is_same(&self, led_to: Option<Slug>, slug: &Slug) -> bool {
        led_to.is_some_and(|led_to| {
            self.case.canonical(&led_to).as_ref() == self.case.canonical(slug).as_ref()
        })
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::DestinationRules;

    fn is_own(origin: &str, case: SlugCase, slug: &str, url: &str) -> bool {
        let destination = Destination::parse(url, &DestinationRules::default()).unwrap();
        let addresses = OwnAddresses::of_slugs(case).at(&origin.parse().unwrap());
        addresses.lead_back(&LinkKey::parse(slug).unwrap(), &destination, false)
    }

    #[rstest]
    #[case("https://sl.example/docs")]
    #[case("https://sl.example/docs/")]
    #[case("https://SL.example/DOCS?a=1#b")]
    #[case("https://sl.example:443/docs")]
    #[case("http://sl.example/docs")]
    #[case("https://sl.example./docs")]
    #[case("https://user:pass@%73l.example/docs")]
    #[case("https://ｓl。example/x/../docs")]
    #[case("https://sl.example/x/%2e%2e\\docs")]
    #[case("https://sl.example/%64ocs.")]
    #[case("https://sl.example/docs&a=1")]
    fn its_own_address_is_known_in_every_spelling(#[case] url: &str) {
        let insensitive = SlugCase::Insensitive;
        assert!(is_own("https://sl.example", insensitive, "docs", url));
    }

    #[rstest]
    #[case("https://sl.example/")]
    #[case("https://sl.example/docs-2")]
    #[case("https://sl.example/docs/more")]
    #[case("https://sl.example/_docs")]
    #[case("https://sl.example:8443/docs")]
    #[case("https://other.example/docs")]
    fn other_addresses_are_not_its_own(#[case] url: &str) {
        let insensitive = SlugCase::Insensitive;
        assert!(!is_own("https://sl.example", insensitive, "docs", url));
    }

    #[rstest]
    #[case("https://sl.example/lo/{1}", true)]
    #[case("https://sl.example/{1}/{1}", true)]
    #[case("https://sl.example/{path}/lo", true)]
    #[case("https://sl.example/x{1}{path}", true)]
    #[case("https://sl.example/{path}?from={1}", false)]
    #[case("https://sl.example/{2}", false)]
    #[case("https://sl.example/other/{1}", false)]
    #[case("https://other.example/{1}/{1}", false)]
    fn what_is_filled_in_may_lead_below_its_own_address(#[case] url: &str, #[case] below: bool) {
        let destination = Destination::parse(url, &DestinationRules::default()).unwrap();
        let addresses = OwnAddresses::default().at(&"https://sl.example".parse().unwrap());
        let key = LinkKey::parse("lo").unwrap();
        assert_eq!(addresses.lead_back(&key, &destination, true), below);
        assert!(!addresses.lead_back(&key, &destination, false));
    }

    #[test]
    fn below_a_path_only_what_is_below_it_is_its_own() {
        let own = |slug, url| is_own("https://a.example/go", SlugCase::Insensitive, slug, url);
        assert!(own("docs", "https://a.example/go/docs"));
        assert!(!own("docs", "https://a.example/docs"));
        assert!(!own("docs", "https://a.example/gone/docs"));
        assert!(own("b.example/docs", "https://b.example/docs"));
    }

    #[test]
    fn a_named_domain_has_addresses_of_its_own() {
        let own = |slug, url| is_own("https://sl.example:8443", SlugCase::Insensitive, slug, url);
        assert!(own("go.example/docs", "https://go.example:8443/docs"));
        assert!(!own("go.example/docs", "https://sl.example:8443/docs"));
        assert!(!own("docs", "https://go.example:8443/docs"));
    }

    #[test]
    fn ports_and_case_count_as_they_do_for_visitors() {
        let here = "http://127.0.0.1:8080";
        let own = |case, url| is_own(here, case, "docs", url);
        assert!(own(SlugCase::Sensitive, "http://127.0.0.1:8080/docs"));
        assert!(!own(SlugCase::Sensitive, "http://127.0.0.1:8080/Docs"));
        assert!(!own(SlugCase::Insensitive, "http://127.0.0.1/docs"));
    }
}
