//! Tells which links have a broken destination.

use std::collections::HashMap;

use slugline_domain::{Failing, Link, LinkId};

use super::LinkReader;
use crate::Error;

/// Those of some links whose destination is broken.
#[derive(Clone, Debug)]
pub struct BrokenLinks {
    is_watching: bool,
    broken: HashMap<LinkId, Failing>,
}

impl LinkReader {
    /// Those of these links whose destination is broken; none where nobody watches destinations. The
    /// caller has read the links, so no scope is checked.
    ///
    /// # Errors
    /// The store failed.
    pub async fn broken(
        &self,
        links: impl IntoIterator<Item = &Link>,
    ) -> Result<BrokenLinks, Error> {
        let links: Vec<&Link> = links.into_iter().collect();
        let broken = match &self.parts.watch {
            Some(watch) if !links.is_empty() => watch.broken(&links).await?,
            Some(_) | None => HashMap::new(),
        };
        Ok(BrokenLinks {
            is_watching: self.parts.watch.is_some(),
            broken,
        })
    }
}

impl BrokenLinks {
    /// The failures of the destination of a link, if it is broken.
    pub fn failures(&self, link: &Link) -> Option<&Failing> {
        self.broken.get(&link.id)
    }

    /// True if another answer may be right later for the same version of a link.
    pub fn may_change(&self) -> bool {
        self.is_watching
    }
}
