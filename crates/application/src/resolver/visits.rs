//! Counting the visits of links that have a number of them.

use std::{sync::Arc, time::Duration};

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
    /// With `holds`, changes of the link have to wait instead: the visit is one of the link as it is
    /// now, which is returned. That costs more.
    ///
    /// # Errors
    /// The store failed or did not answer in time, and may have counted the visit or not.
    pub async fn take_visit(
        &self,
        link: &FollowedLink,
        holds: bool,
    ) -> Result<(Taking, Option<Arc<FollowedLink>>), Error> {
        let id = LinkId::parse(link.id()).expect("it was an identifier before");
        let key = link.to_key();
        let take = async {
            Ok(if holds {
                self.store.take_visit_now(&key).await?
            } else {
                (self.store.take_visit(&id, link.revision).await?, None)
            })
        };
        let (taken, now) = self.counting.ask(take, &*self.clock, TIMEOUT).await?;
        if holds || taken == Taking::Outdated {
            self.forget(&key);
        }
        Ok((taken, now.map(Arc::new)))
    }
}
