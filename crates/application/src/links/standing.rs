//! Tells how links stand: whether they lead on at the moment, and whether their destination is broken.

use std::collections::HashMap;

use slugline_domain::{Failing, Link, LinkId, LinkStatus, UnixSeconds};

use super::LinkReader;
use crate::error::Error;

/// The status of some links at a moment, and the failures of their destinations.
#[derive(Clone, Debug)]
pub struct Standings {
    now: UnixSeconds,
    is_watching: bool,
    broken: HashMap<LinkId, Failing>,
}

impl LinkReader {
    /// Reads the standings of these links. The caller has read the links, so no scope is checked.
    ///
    /// # Errors
    /// The store failed.
    pub async fn standings(
        &self,
        links: impl IntoIterator<Item = &Link>,
    ) -> Result<Standings, Error> {
        let links: Vec<&Link> = links.into_iter().collect();
        let broken = match &self.parts.watch {
            Some(watch) if !links.is_empty() => watch.broken(&links).await?,
            Some(_) | None => HashMap::new(),
        };
        Ok(Standings {
            now: self.now().second(),
            is_watching: self.parts.watch.is_some(),
            broken,
        })
    }
}

impl Standings {
    /// The status of a link.
    pub fn status(&self, link: &Link) -> LinkStatus {
        link.status_at(self.now)
    }

    /// The failures of the destination of a link, if it is broken; `None` where nobody watches
    /// destinations.
    pub fn failures(&self, link: &Link) -> Option<&Failing> {
        self.broken.get(&link.id)
    }

    /// Returns whether another answer may be right later for the same version of a link.
    pub fn may_change(&self, link: &Link) -> bool {
        let life = &link.content.life;
        let has_bounds = life.starts_at.is_some() || life.max_visits.is_some();
        self.is_watching || has_bounds || link.effective_expiry().is_some()
    }
}
