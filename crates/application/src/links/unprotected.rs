//! Finds links without a password.

use std::collections::BTreeSet;

use slugline_domain::LinkId;

use super::LinkService;
use crate::error::Error;

impl LinkService {
    /// Returns those of these links that have no password, expired links included. A link that
    /// still has to be moved here is not there.
    ///
    /// # Errors
    /// The store failed.
    pub(crate) async fn unprotected(
        &self,
        links: &BTreeSet<LinkId>,
    ) -> Result<BTreeSet<LinkId>, Error> {
        Ok(self.parts.store.unprotected(links).await?)
    }
}
