//! The domains of the instance, as this process knows them.

use std::{borrow::Cow, sync::Arc};

use arc_swap::ArcSwap;
use slugline_domain::{Domain, DomainName, DomainSet, LinkKey, SlugCase};

use crate::error::Error;

/// The domains of the instance, as this process knows them, and the rule for case in each. All
/// clones share them.
#[derive(Clone, Debug)]
pub struct NamedDomains {
    set: Arc<ArcSwap<DomainSet>>,
    case: SlugCase,
}

impl NamedDomains {
    /// The default domain alone, where slugs have this rule for case.
    pub fn new(case: SlugCase) -> Self {
        Self {
            set: Arc::default(),
            case,
        }
    }

    /// The domains.
    pub fn current(&self) -> Arc<DomainSet> {
        self.set.load_full()
    }

    /// Replaces the domains.
    pub fn replace(&self, set: DomainSet) {
        self.set.store(Arc::new(set));
    }

    /// The named domain of a request; `None` for the default domain. `authority` reads the host,
    /// and the port if any, to which the client sent it; an instance with one domain needs neither.
    pub fn serving<'r>(&self, authority: impl FnOnce() -> Option<&'r str>) -> Option<Arc<Domain>> {
        let set = self.set.load();
        if set.is_default_alone() {
            return None;
        }
        set.serving(authority()?).cloned()
    }

    /// The rule for case in a domain.
    pub fn case_in(&self, domain: &DomainName) -> SlugCase {
        let of = |set: &DomainSet| set.record(domain).and_then(|domain| domain.case);
        let named = domain.host().and_then(|_| of(&self.set.load()));
        named.unwrap_or(self.case)
    }

    /// Returns whether a slug that the domain does not have is looked up in the default one.
    pub fn falls_through(&self, domain: &DomainName) -> bool {
        let of = |set: &DomainSet| set.record(domain).is_some_and(|domain| domain.fall_through);
        !domain.is_default() && of(&self.set.load())
    }

    /// The key under which a link is stored and looked up first. Borrows when nothing changes.
    pub fn canonical<'k>(&self, key: &'k LinkKey) -> Cow<'k, LinkKey> {
        match self.case_in(&key.domain).canonical(&key.slug) {
            Cow::Borrowed(_) => Cow::Borrowed(key),
            Cow::Owned(slug) => Cow::Owned(LinkKey::new(key.domain.clone(), slug)),
        }
    }

    /// The keys of the links that a key may mean, in the domain that it names: the canonical one, and
    /// its own spelling, of a link from before case was ignored.
    pub fn spellings(&self, key: LinkKey) -> impl Iterator<Item = LinkKey> + use<> {
        let key = LinkKey::new(self.recorded(key.domain), key.slug);
        let canonical = self.canonical(&key).into_owned();
        let own = (canonical != key).then_some(key);
        std::iter::once(canonical).chain(own)
    }

    /// The domain that a caller means by this name: the public address's host is the default one.
    ///
    /// # Errors
    /// The host is not named.
    pub fn meant(&self, name: DomainName) -> Result<DomainName, Error> {
        let Some(host) = name.host() else {
            return Ok(name);
        };
        let meant = self.set.load().meant_by(host);
        meant.ok_or_else(|| Error::NoDomain(host.clone()))
    }

    /// The domain whose records a name finds: as [`Self::meant`], and a host that is not named any more
    /// has those of its time.
    pub fn recorded(&self, name: DomainName) -> DomainName {
        self.meant(name.clone()).unwrap_or(name)
    }

    /// The key that a caller means, in the spelling that the caller gave the slug.
    ///
    /// # Errors
    /// As for [`Self::meant`].
    pub fn meant_key<'k>(&self, key: &'k LinkKey) -> Result<Cow<'k, LinkKey>, Error> {
        if key.domain.is_default() {
            return Ok(Cow::Borrowed(key));
        }
        let domain = self.meant(key.domain.clone())?;
        Ok(Cow::Owned(LinkKey::new(domain, key.slug.clone())))
    }
}

impl Default for NamedDomains {
    fn default() -> Self {
        Self::new(SlugCase::default())
    }
}
