//! The domains of an instance, and the hosts that visitors use for them.

use std::{collections::BTreeMap, sync::Arc};

use crate::{Destination, DomainName, Host, SlugCase, host::without_port};

/// A named host and what its operator decided about it. `None` means what the instance decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Domain {
    /// The host.
    pub host: Host,
    /// The address that visitors of the bare host are sent to.
    pub home_url: Option<Destination>,
    /// The address that visitors of an unknown slug are sent to.
    pub not_found_url: Option<Destination>,
    /// The address that visitors of a link that is over are sent to.
    pub expired_url: Option<Destination>,
    /// The rule for case.
    pub case: Option<SlugCase>,
    /// `true` if a slug that this domain does not have is looked up in the default one.
    pub fall_through: bool,
}

impl Domain {
    /// A host of which nothing else was decided.
    pub fn new(host: Host) -> Self {
        Self {
            host,
            home_url: None,
            not_found_url: None,
            expired_url: None,
            case: None,
            fall_through: false,
        }
    }

    /// The name that links of this domain have.
    pub fn name(&self) -> DomainName {
        DomainName::named(self.host.clone())
    }
}

/// The named hosts of an instance at a moment.
///
/// A host that is not among them is the default domain, and so is the public address's host, even
/// if an operator named it: the default domain never switches to another one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DomainSet {
    named: BTreeMap<Host, Arc<Domain>>,
    public: Option<Host>,
}

impl DomainSet {
    /// The most named domains of an instance: a person can still check them, and every process keeps
    /// all of them in memory.
    pub const MAX: usize = 1_000;

    /// The set of these domains, for an instance with this public host.
    pub fn new(domains: impl IntoIterator<Item = Domain>, public: Option<Host>) -> Self {
        let domains = domains.into_iter();
        let named = domains.filter(|domain| Some(&domain.host) != public.as_ref());
        Self {
            named: named
                .map(|domain| (domain.host.clone(), Arc::new(domain)))
                .collect(),
            public,
        }
    }

    /// Returns whether there is only the default domain.
    pub fn is_default_alone(&self) -> bool {
        self.named.is_empty()
    }

    /// The named domains, by host.
    pub fn named(&self) -> impl Iterator<Item = &Arc<Domain>> {
        self.named.values()
    }

    /// The host of the default domain, if the instance knows its public address.
    pub fn public(&self) -> Option<&Host> {
        self.public.as_ref()
    }

    /// The named domain of a request with this authority, such as `go.example:8443`; `None` for the
    /// default domain.
    pub fn serving(&self, authority: &str) -> Option<&Arc<Domain>> {
        if self.named.is_empty() {
            return None;
        }
        let name = without_port(authority);
        if let Some(domain) = self.named.get(name) {
            return Some(domain);
        }
        // Nearly every request spells its host as hosts are kept, and then no other spelling is
        // looked for.
        let as_kept =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-._".contains(&byte);
        if name.bytes().all(as_kept) && !name.ends_with('.') {
            return None;
        }
        self.named.get(&Host::parse(name).ok()?)
    }

    /// The domain that links with this name belong to, as a client writes it: nothing or the public
    /// host for the default domain. `None` if there is no such domain.
    pub fn meant_by(&self, host: &Host) -> Option<DomainName> {
        if Some(host) == self.public.as_ref() {
            return Some(DomainName::DEFAULT);
        }
        self.named.get(host).map(|domain| domain.name())
    }

    /// The record of a domain; `None` for the default one, and for one that is not named any more.
    pub fn record(&self, name: &DomainName) -> Option<&Arc<Domain>> {
        self.named.get(name.host()?)
    }
}

impl std::borrow::Borrow<str> for Host {
    fn borrow(&self) -> &str {
        self.as_str()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(text: &str) -> Host {
        Host::parse(text).unwrap()
    }

    fn set() -> DomainSet {
        let named = ["go.example", "xn--bcher-kva.example", "sl.example"];
        let domains = named.map(|name| Domain::new(host(name)));
        DomainSet::new(domains, Some(host("sl.example")))
    }

    fn serving(authority: &str) -> Option<String> {
        let set = set();
        set.serving(authority).map(|domain| domain.host.to_string())
    }

    #[test]
    fn a_request_belongs_to_the_host_that_it_names_in_any_spelling() {
        for authority in [
            "go.example",
            "GO.example:8443",
            "go.example.",
            "go.example.:80",
        ] {
            assert_eq!(
                serving(authority).as_deref(),
                Some("go.example"),
                "{authority}"
            );
        }
        let bucher = serving("bücher.example");
        assert_eq!(bucher.as_deref(), Some("xn--bcher-kva.example"));
    }

    #[test]
    fn a_host_that_nobody_named_and_the_public_one_are_the_default_domain() {
        for authority in ["sl.example", "other.example", "", "127.0.0.1:8080", "a b"] {
            assert_eq!(serving(authority), None, "{authority}");
        }
        let meant = set().meant_by(&host("sl.example"));
        assert_eq!(meant, Some(DomainName::DEFAULT));
        assert_eq!(set().meant_by(&host("other.example")), None);
        let go = set().meant_by(&host("go.example")).unwrap();
        assert_eq!(set().record(&go).unwrap().host, host("go.example"));
        assert_eq!(set().record(&DomainName::DEFAULT), None);
    }
}
