//! Named domains on the wire.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use slugline_application::{LinksFate, RemovedDomain};
use slugline_domain::{Destination, DestinationRules, Domain, DomainName, Host, SlugCase};

use crate::{
    Problem,
    bounds::Bounds,
    sent::{Sent, options},
    validation::Validation,
};

/// A domain: a host with links of its own, and what its operator decided about it. A member that is
/// left out means what the instance decides.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(rename = "DomainInput", extend("required" = ["host"]))]
pub struct NamedDomain {
    /// The host, such as `go.example.com`, without `https://`, a port or a path.
    #[schemars(length(min = 1, max = Host::MAX_CHARS))]
    pub host: Sent<String>,
    /// The address for visitors of the bare host.
    #[schemars(url, length(min = 1, max = DestinationRules::DEFAULT_MAX_BYTES), extend("type" = ["string", "null"], "nullable" = true))]
    pub home_url: Sent<String>,
    /// The address for visitors of an unknown slug.
    #[schemars(url, length(min = 1, max = DestinationRules::DEFAULT_MAX_BYTES), extend("type" = ["string", "null"], "nullable" = true))]
    pub not_found_url: Sent<String>,
    /// The address for visitors of a link that is over.
    #[schemars(url, length(min = 1, max = DestinationRules::DEFAULT_MAX_BYTES), extend("type" = ["string", "null"], "nullable" = true))]
    pub expired_url: Sent<String>,
    /// `true` if `Docs` and `docs` are two slugs here, `false` if they are one.
    #[schemars(extend("type" = ["boolean", "null"], "nullable" = true))]
    pub case_sensitive: Sent<bool>,
    /// `true` if a slug that this domain does not have is looked up in the default one.
    #[schemars(extend("type" = ["boolean", "null"], "nullable" = true))]
    pub fall_through: Sent<bool>,
}

impl NamedDomain {
    /// Makes a domain value of the members.
    ///
    /// # Errors
    /// Lists every member that is missing, of another type or out of bounds.
    pub fn validate(&self, bounds: &Bounds) -> Result<Domain, Problem> {
        let mut validation = Validation::default();
        let host = validation.required(&["host"], &self.host, |host| Host::parse(host));
        let mut url = |name: &str, sent: &Sent<String>| {
            let parse = |url: &String| Destination::parse(url, &bounds.destinations);
            given(sent).and_then(|sent| validation.optional(&[name], sent, parse))
        };
        let home_url = url("homeUrl", &self.home_url);
        let not_found_url = url("notFoundUrl", &self.not_found_url);
        let expired_url = url("expiredUrl", &self.expired_url);
        let mut flag = |name: &str, sent: &Sent<bool>| {
            given(sent).and_then(|sent| validation.value(&[name], sent).copied())
        };
        let case = flag("caseSensitive", &self.case_sensitive).map(|is_sensitive| {
            if is_sensitive {
                SlugCase::Sensitive
            } else {
                SlugCase::Insensitive
            }
        });
        let fall_through = flag("fallThrough", &self.fall_through).unwrap_or_default();
        validation.finish(|| {
            Some(Domain {
                home_url,
                not_found_url,
                expired_url,
                case,
                fall_through,
                ..Domain::new(host?)
            })
        })
    }
}

/// A member, unless it is `null`, which means the same as leaving it out.
fn given<T>(sent: &Sent<T>) -> Option<&Sent<T>> {
    (!matches!(sent, Sent::Null)).then_some(sent)
}

/// A domain to be taken away, and the fate of its links.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["host"]))]
pub struct RemoveDomain {
    /// The host of the domain.
    #[schemars(length(min = 1, max = Host::MAX_CHARS))]
    pub host: Sent<String>,
    /// The fate of its links; left out, the domain stays if it has links.
    pub links: Sent<LinksFateName>,
    /// The host of the domain that the links are moved to; an empty text for the default one. Goes
    /// with `links=move`.
    #[schemars(length(max = Host::MAX_CHARS))]
    pub move_to: Sent<String>,
}

/// The fate of the links of a domain that is taken away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum LinksFateName {
    /// The domain stays if it has links.
    Refuse,
    /// The links are moved to the domain `moveTo`. Nothing moves if one of its links has one of the
    /// slugs.
    Move,
    /// The links are deleted.
    Delete,
}

options!(LinksFateName);

impl RemoveDomain {
    /// Makes domain values of the members.
    ///
    /// # Errors
    /// Lists every member that is missing, of another type or out of bounds.
    pub fn validate(&self) -> Result<(Host, LinksFate), Problem> {
        let mut validation = Validation::default();
        let host = validation.required(&["host"], &self.host, |host| Host::parse(host));
        let fate = match validation.value(&["links"], &self.links) {
            None | Some(LinksFateName::Refuse) => Some(LinksFate::Refuse),
            Some(LinksFateName::Delete) => Some(LinksFate::Delete),
            Some(LinksFateName::Move) => {
                let target = |text: &String| DomainName::parse(text.trim());
                let target = validation.required(&["moveTo"], &self.move_to, target);
                target.map(LinksFate::MoveTo)
            }
        };
        validation.finish(|| Some((host?, fate?)))
    }
}

/// A domain: a host with links of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Domain")]
pub struct DomainView {
    /// The host, in lower case and ASCII.
    pub host: String,
    /// The address for visitors of the bare host. Left out where the instance decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub home_url: Option<String>,
    /// The address for visitors of an unknown slug. Left out where the instance decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_found_url: Option<String>,
    /// The address for visitors of a link that is over. Left out where the instance decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expired_url: Option<String>,
    /// `true` if `Docs` and `docs` are two slugs here, `false` if they are one. Left out where the
    /// instance decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub case_sensitive: Option<bool>,
    /// `true` if a slug that this domain does not have is looked up in the default one.
    pub fall_through: bool,
}

impl From<&Domain> for DomainView {
    fn from(domain: &Domain) -> Self {
        let text = |url: &Option<Destination>| url.as_ref().map(ToString::to_string);
        Self {
            host: domain.host.to_string(),
            home_url: text(&domain.home_url),
            not_found_url: text(&domain.not_found_url),
            expired_url: text(&domain.expired_url),
            case_sensitive: domain.case.map(|case| case == SlugCase::Sensitive),
            fall_through: domain.fall_through,
        }
    }
}

/// A host about which a proxy asks.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["domain"]))]
pub struct AskDomain {
    /// The host.
    #[schemars(length(min = 1, max = Host::MAX_CHARS))]
    pub domain: Sent<String>,
}

impl AskDomain {
    /// Returns the host, unless the text is none.
    pub fn host(&self) -> Option<Host> {
        Host::parse(self.domain.value()?).ok()
    }
}

/// The named domains.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DomainList {
    /// The domains by host, without the default one, which has no name.
    pub domains: Vec<DomainView>,
}

impl DomainList {
    /// Shows domains.
    pub fn new(domains: &[Domain]) -> Self {
        Self {
            domains: domains.iter().map(DomainView::from).collect(),
        }
    }
}

/// The outcome of taking a domain away.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct DomainRemoved {
    /// The number of links that were moved or deleted with it.
    pub links: u64,
}

impl From<RemovedDomain> for DomainRemoved {
    fn from(removed: RemovedDomain) -> Self {
        Self {
            links: removed.links,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::{faults::paths, reader::query_to_json};

    fn read(body: &Value) -> Result<Domain, Problem> {
        crate::read::<NamedDomain>(body)?.validate(&Bounds::default())
    }

    #[test]
    fn a_domain_is_shown_as_it_was_sent() {
        let full = json!({
            "host": "go.example", "homeUrl": "https://example.com/", "notFoundUrl": "https://example.com/404",
            "expiredUrl": "https://example.com/410", "caseSensitive": true, "fallThrough": true,
        });
        let shown = DomainView::from(&read(&full).unwrap());
        assert_eq!(serde_json::to_value(shown).unwrap(), full);
        let plain = json!({"host": "BÜCHER.example.:8443", "homeUrl": null, "caseSensitive": null});
        let shown = DomainView::from(&read(&plain).unwrap());
        let expected = json!({"host": "xn--bcher-kva.example", "fallThrough": false});
        assert_eq!(serde_json::to_value(shown).unwrap(), expected);
    }

    #[test]
    fn every_fault_of_a_domain_is_named() {
        let wrong = json!({
            "host": "https://go.example/", "homeUrl": "x", "notFoundUrl": 1, "expiredUrl": "",
            "caseSensitive": "yes", "fallThrough": 1,
        });
        let expected = "host homeUrl notFoundUrl expiredUrl caseSensitive fallThrough";
        assert_eq!(paths(read(&wrong)).join(" "), expected);
        assert!(read(&json!({})).is_err());
    }

    #[test]
    fn links_are_moved_only_to_a_domain_that_is_named() {
        let remove = |query: &str| {
            let query = query_to_json(query);
            crate::read::<RemoveDomain>(&query).unwrap().validate()
        };
        let fate = |query: &str| remove(query).unwrap().1;
        assert_eq!(fate("host=go.example"), LinksFate::Refuse);
        assert_eq!(fate("host=go.example&links=delete"), LinksFate::Delete);
        let default = LinksFate::MoveTo(DomainName::DEFAULT);
        assert_eq!(fate("host=go.example&links=move&moveTo="), default);
        let named = LinksFate::MoveTo(DomainName::parse("a.example").unwrap());
        assert_eq!(fate("host=go.example&links=move&moveTo=A.example"), named);
        for wrong in [
            "links=delete",
            "host=go.example&links=drop",
            "host=go.example&links=move",
        ] {
            assert!(remove(wrong).is_err(), "{wrong}");
        }
    }
}
