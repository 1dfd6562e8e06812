//! Counting the visits of links that have a number of them.

use std::time::Duration;

use slugline_domain::{FollowedLink, LinkId, ports::Taking};

use super::Resolver;
use crate::error::Error;

/// The timeout for counting a visit. Many visitors of one link wait for one another.
const TIMEOUT: Duration = Duration::from_secs(5);

impl Resolver {
    /// Counts a visit of a link in the store, which alone knows how many are left. Must be called
    /// before a destination leaves, for links that [count visits](FollowedLink::counts_visits).
    ///
    /// If memory holds an outdated version, it is forgotten, and the caller finds the link again.
    ///
    /// # Errors
    /// The store failed or did not answer in time, and may have counted the visit or not.
    pub async fn take_visit(&self, link: &FollowedLink) -> Result<Taking, Error> {
        let id = LinkId::parse(link.id()).expect("it was an identifier before");
        let take = async { Ok(self.store.take_visit(&id, link.revision).await?) };
        let taken = self.counting.ask(take, &*self.clock, TIMEOUT).await?;
        if taken == Taking::Outdated {
            self.forget(&link.to_key());
        }
        Ok(taken)
    }
}
