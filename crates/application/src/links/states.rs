//! What a link does not hold itself: its status at the moment, and whether its destination is broken.

use std::collections::HashMap;

use slugline_domain::{Failing, Link, LinkId, LinkStatus, UnixSeconds};

use super::LinkReader;
use crate::Error;

/// The states of some links at one moment.
#[derive(Clone, Debug)]
pub struct LinkStates {
    now: UnixSeconds,
    is_watching: bool,
    broken: HashMap<LinkId, Failing>,
}

impl LinkReader {
    /// The states of links that the caller has read, so no scope is checked. No destination is
    /// broken where nobody watches destinations.
    ///
    /// # Errors
    /// The store failed.
    pub async fn states(
        &self,
        links: impl IntoIterator<Item = &Link>,
    ) -> Result<LinkStates, Error> {
        let links: Vec<&Link> = links.into_iter().collect();
        let broken = match &self.parts.watch {
            Some(watch) if !links.is_empty() => watch.broken(&links).await?,
            Some(_) | None => HashMap::new(),
        };
        Ok(LinkStates {
            now: self.parts.clock.now().second(),
            is_watching: self.parts.watch.is_some(),
            broken,
        })
    }
}

impl LinkStates {
    /// The status of a link.
    pub fn status(&self, link: &Link) -> LinkStatus {
        link.status_at(self.now)
    }

    /// True if the state of this version of the link may change.
    pub fn may_change(&self, link: &Link) -> bool {
        let begins = link.content.life.starts_at.is_some();
        self.is_watching || begins || link.effective_expiry().is_some()
    }

    /// The failures of the destination of a link, if it is broken.
    pub fn broken(&self, link: &Link) -> Option<&Failing> {
        self.broken.get(&link.id)
    }
}
