//! Keeps this process's domains as the store has them.

use std::time::Duration;

use slugline_domain::{
    DomainSet,
    ports::{Hearing, StoreError},
};
use tokio::time::sleep;

use super::Domains;
use crate::error::Error;

impl Domains {
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

    /// Reads the domains after a change by this process. If that fails, the watch does it.
    pub(super) async fn learn(&self) {
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
