//! The domain that a request is for.

use std::{borrow::Cow, sync::Arc};

use actix_web::HttpRequest;
use slugline_application::NamedDomains;
use slugline_domain::{Destination, Domain, DomainName};
use slugline_httpkit::Edge;

use crate::{address::Address, options::RedirectOptions};

/// The domain that a request is for, by the host to which the client sent it.
pub(crate) struct AskedDomain {
    /// `None` for the default domain.
    named: Option<Arc<Domain>>,
}

impl AskedDomain {
    pub(crate) fn of(request: &HttpRequest, edge: &Edge, domains: &NamedDomains) -> Self {
        let named = domains.serving(|| edge.requested_host(request));
        Self { named }
    }

    /// The domain with this name.
    pub(crate) fn named(name: &DomainName, domains: &NamedDomains) -> Self {
        let set = domains.current();
        Self {
            named: set.record(name).cloned(),
        }
    }

    pub(crate) fn name(&self) -> DomainName {
        let named = self.named.as_ref();
        named.map_or(DomainName::DEFAULT, |domain| domain.name())
    }

    /// The address to which the bare host leads.
    pub(crate) fn home<'o>(&self, options: &'o RedirectOptions) -> Option<Cow<'o, Address>> {
        self.chosen(|domain| domain.home_url.as_ref(), options.home.as_ref())
    }

    /// The address for visitors of unknown paths.
    pub(crate) fn not_found<'o>(&self, options: &'o RedirectOptions) -> Option<Cow<'o, Address>> {
        let instance = options.not_found.as_ref();
        self.chosen(|domain| domain.not_found_url.as_ref(), instance)
    }

    /// The address for visitors of links that are over.
    pub(crate) fn expired<'o>(&self, options: &'o RedirectOptions) -> Option<Cow<'o, Address>> {
        let instance = options.expired.as_ref();
        self.chosen(|domain| domain.expired_url.as_ref(), instance)
    }

    /// The domain's own address, else that of the instance.
    fn chosen<'o>(
        &self,
        own: impl Fn(&Domain) -> Option<&Destination>,
        instance: Option<&'o Address>,
    ) -> Option<Cow<'o, Address>> {
        let own = self.named.as_deref().and_then(own);
        match own.and_then(Address::of) {
            Some(own) => Some(Cow::Owned(own)),
            None => instance.map(Cow::Borrowed),
        }
    }
}
