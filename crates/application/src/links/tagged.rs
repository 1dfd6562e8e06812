//! Finds the links that have given tags.

use std::collections::BTreeSet;

use slugline_domain::{LinkId, Tag};

use super::LinkReader;
use crate::{access::Access, error::Error};

/// The most links that a query to the access log can name by their tags. ClickHouse reads
/// 40 bytes for each, up to twice in a statement, and accepts statements of 64 MiB.
pub const MAX_TAGGED: u32 = 250_000;

impl LinkReader {
    /// Returns the identifiers of the links that have any of these tags today, expired
    /// links included.
    ///
    /// # Errors
    /// There are more than 250,000, links still have to be moved here, or the
    /// store failed.
    pub async fn tagged(&self, tags: &BTreeSet<Tag>) -> Result<BTreeSet<LinkId>, Error> {
        self.permit(Access::LINKS_ARE_HERE)?;
        let found = self.parts.store.tagged(tags, MAX_TAGGED + 1).await?;
        if found.len() > usize::try_from(MAX_TAGGED).unwrap_or(usize::MAX) {
            return Err(Error::TooManyTagged { max: MAX_TAGGED });
        }
        Ok(found)
    }
}
