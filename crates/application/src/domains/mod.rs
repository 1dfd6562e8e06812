//! The named domains of the instance: listing them, naming hosts, and taking them away,
//! and keeping this process's [`NamedDomains`] as the store has them.

mod removal;
#[cfg(test)]
mod tests;

use std::{sync::Arc, time::Duration};

use slugline_domain::{
    AuditNote, AuditedOperation, Author, BaseUrl, Domain, DomainName, DomainSet, Host,
    OwnAddresses, Reach, Scope,
    ports::{Clock, DomainStore, Hearing, LinkStore, StoreError},
};

use tokio::{sync::Mutex, time::sleep};

pub use self::removal::{LinksFate, RemovedDomain};
use crate::{
    access::{Access, Forbidden},
    error::{Error, OwnHost},
    named_domains::NamedDomains,
    resolver::Resolver,
};

/// Lists, names, edits and takes away domains. Clones share their state.
#[derive(Clone, Debug)]
pub struct Domains {
    parts: Arc<DomainsParts>,
    own_addresses: OwnAddresses,
    /// The state of the store's hearing when the domains were last read; `None` if they must be
    /// read again. The lock also orders readers, so that no earlier answer replaces a later one.
    heard: Arc<Mutex<Option<Hearing>>>,
}

/// The dependencies of [`Domains`].
#[derive(Debug)]
pub struct DomainsParts {
    /// Stores domains.
    pub store: Arc<dyn DomainStore>,
    /// Stores the links of the domains.
    pub links: Arc<dyn LinkStore>,
    /// Follows links for visitors. It holds the domains that this process knows.
    pub resolver: Arc<Resolver>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// The host of the public address, which is the default domain's.
    pub public: Option<Host>,
    /// The host that only the API and the dashboard answer on.
    pub admin: Option<Host>,
    /// The addresses of the instance, so that no link leads to itself after a move.
    pub own_addresses: OwnAddresses,
}

impl Domains {
    /// The access rule of [`Self::list`] and [`Self::get`].
    pub const LIST: Access = Access::always(Scope::LinksRead);
    /// The access rule of every change. Only adapters check it: the operator's own commands work
    /// in preview mode too.
    pub const CHANGE: Access = Access::outside_preview(Scope::Admin, Forbidden::Domains);

    /// Creates the use cases from their dependencies.
    pub fn new(parts: DomainsParts) -> Self {
        Self {
            own_addresses: parts.own_addresses.clone(),
            parts: Arc::new(parts),
            heard: Arc::default(),
        }
    }

    /// The same for a client that reaches the instance under this address.
    #[must_use]
    pub fn seen_at(&self, base: &BaseUrl) -> Self {
        Self {
            own_addresses: self.own_addresses.at(base),
            ..self.clone()
        }
    }

    /// The host of the public address.
    pub fn public(&self) -> Option<&Host> {
        self.parts.public.as_ref()
    }

    /// The host that only the API and the dashboard answer on.
    pub fn admin(&self) -> Option<&Host> {
        self.parts.admin.as_ref()
    }

    /// The named domains, by host, of which a caller may see links.
    ///
    /// # Errors
    /// The store failed.
    pub async fn list(&self, reach: &Reach) -> Result<Vec<Domain>, Error> {
        let mut domains = self.parts.store.list().await?;
        domains.retain(|domain| self.own_use(&domain.host).is_none());
        domains.retain(|domain| reach.reaches(&domain.name()));
        Ok(domains)
    }

    /// The domain with this host.
    ///
    /// # Errors
    /// The host is not named, the caller may see no link of it, or the store failed.
    pub async fn get(&self, host: &Host, reach: &Reach) -> Result<Domain, Error> {
        let domains = self.list(reach).await?.into_iter();
        let mut named = domains.filter(|domain| domain.host == *host);
        named
            .next()
            .ok_or_else(|| Error::DomainNotFound(host.clone()))
    }

    /// Names a host.
    ///
    /// # Errors
    /// The host is named already, or is the instance's own; there are too many domains; or the
    /// store failed.
    pub async fn add(&self, domain: &Domain, author: &Author) -> Result<(), Error> {
        if let Some(own) = self.own_use(&domain.host) {
            let host = domain.host.clone();
            return Err(Error::OwnHost { host, own });
        }
        let named = self.parts.store.list().await?;
        if named.iter().any(|other| other.host == domain.host) {
            return Err(Error::DomainExists(domain.host.clone()));
        }
        if named.len() >= DomainSet::MAX {
            return Err(Error::TooManyDomains);
        }
        let note = self.note(AuditedOperation::DomainAdd, author);
        let is_new = self.parts.store.insert(domain, &note).await;
        self.learn().await;
        if is_new? {
            Ok(())
        } else {
            Err(Error::DomainExists(domain.host.clone()))
        }
    }

    /// Replaces the record of a domain.
    ///
    /// # Errors
    /// The host is not named, or the store failed.
    pub async fn edit(&self, domain: &Domain, author: &Author) -> Result<(), Error> {
        let note = self.note(AuditedOperation::DomainEdit, author);
        let is_named = self.parts.store.update(domain, &note).await;
        self.learn().await;
        if is_named? {
            Ok(())
        } else {
            Err(Error::DomainNotFound(domain.host.clone()))
        }
    }

    /// Names those of these hosts that have no record yet, except the public one. Several nodes
    /// may do so at once.
    ///
    /// # Errors
    /// One of them is the host for administration, there are too many, or the store failed.
    pub async fn name_missing(&self, hosts: &[Host]) -> Result<(), Error> {
        for host in hosts {
            match self
                .add(&Domain::new(host.clone()), &Author::service())
                .await
            {
                Ok(())
                | Err(
                    Error::DomainExists(_)
                    | Error::OwnHost {
                        own: OwnHost::Public,
                        ..
                    },
                ) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Returns whether this process answers on the host: as a domain, under the public address or
    /// for administration. Never waits.
    pub fn serves(&self, host: &Host) -> bool {
        let named = || self.known().current().meant_by(host).is_some();
        self.own_use(host).is_some() || named()
    }

    fn own_use(&self, host: &Host) -> Option<OwnHost> {
        if Some(host) == self.parts.admin.as_ref() {
            return Some(OwnHost::Admin);
        }
        (Some(host) == self.parts.public.as_ref()).then_some(OwnHost::Public)
    }

    fn known(&self) -> &NamedDomains {
        self.parts.resolver.domains()
    }

    /// The domain that a client means by a host.
    async fn meant(&self, name: &DomainName) -> Result<DomainName, Error> {
        // Another node may have named it a moment ago.
        if self.known().meant(name.clone()).is_err() {
            self.reload().await?;
        }
        self.known().meant(name.clone())
    }

    fn note(&self, operation: AuditedOperation, author: &Author) -> AuditNote {
        AuditNote::new(self.parts.clock.now(), author, operation)
    }

    /// The interval at which this process asks whether domains were changed elsewhere.
    pub const INTERVAL: Duration = Duration::from_millis(250);

    /// After so many intervals the domains are read again if the store does not learn of changes.
    const DEAF_INTERVALS: u32 = 4;

    /// After so many intervals, a minute, the domains are read again although nothing was
    /// announced: the bound for what announcements may miss, as for links.
    const LIFE_INTERVALS: u32 = 240;

    /// Reads the domains.
    ///
    /// # Errors
    /// The store failed. The domains stay as they were last read.
    pub async fn reload(&self) -> Result<(), Error> {
        let mut heard = self.heard.lock().await;
        Ok(self.read(&mut heard).await?)
    }

    /// Follows changes by other processes, for as long as the future is polled. Reports the first
    /// of several failures, and the first success after them, to `report`.
    pub async fn keep_up(&self, report: impl Fn(Result<(), &StoreError>) + Send + Sync) {
        let mut age = 0;
        let mut failed = false;
        loop {
            sleep(Self::INTERVAL).await;
            age += 1;
            let mut heard = self.heard.lock().await;
            if !self.is_over(*heard, age) {
                continue;
            }
            let read = self.read(&mut heard).await;
            if read.is_err() != failed {
                failed = read.is_err();
                report(read.as_ref().copied());
            }
            age = 0;
        }
    }

    /// Reads the domains after a change by this process. If that fails, [`Self::keep_up`] does it.
    async fn learn(&self) {
        let mut heard = self.heard.lock().await;
        // The change itself has the answer that matters.
        let _ = self.read(&mut heard).await;
    }

    async fn read(&self, heard: &mut Option<Hearing>) -> Result<(), StoreError> {
        *heard = None;
        // Asked before the read: a change meanwhile makes it outdated at once.
        let hearing = self.parts.store.hearing();
        let domains = self.parts.store.list().await?;
        let others = domains.into_iter();
        let others = others.filter(|domain| Some(&domain.host) != self.parts.admin.as_ref());
        let set = DomainSet::new(others, self.parts.public.clone());
        self.known().replace(set);
        *heard = Some(hearing);
        Ok(())
    }

    fn is_over(&self, heard: Option<Hearing>, age: u32) -> bool {
        let hearing = self.parts.store.hearing();
        match hearing {
            _ if heard != Some(hearing) || age >= Self::LIFE_INTERVALS => true,
            Hearing::Deaf => age >= Self::DEAF_INTERVALS,
            Hearing::Counted(_) | Hearing::Announced(_) => false,
        }
    }
}
