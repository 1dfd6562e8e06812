//! Finds the links that have given tags.

use std::collections::BTreeSet;

use slugline_domain::{LinkFilter, LinkId, LinkOrder, ListQuery, Position, StatusFilter, Tag};

use super::LinkReader;
use crate::{Access, Error};

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

    /// Returns the identifiers of the links that the caller reaches today, expired links included.
    /// Reads them in pieces.
    ///
    /// # Errors
    /// As for [`Self::tagged`].
    pub(crate) async fn reached_ids(&self) -> Result<BTreeSet<LinkId>, Error> {
        /// The most links that are in memory at once.
        const PIECE: u32 = 1_000;

        self.permit(Access::LINKS_ARE_HERE)?;
        let filter = LinkFilter::default()
            .with_status(StatusFilter::All)
            .with_reach(self.reach.clone());
        let mut query = ListQuery::new(self.parts.clock.now().second(), PIECE)
            .with_order(LinkOrder::SlugAscending)
            .with_filter(filter);
        let mut found = BTreeSet::new();
        loop {
            let links = self.parts.store.list(&query).await?;
            let Some(last) = links.last() else {
                return Ok(found);
            };
            query.after = Some(Position::after(last));
            found.extend(links.into_iter().map(|link| link.id));
            if found.len() > usize::try_from(MAX_TAGGED).unwrap_or(usize::MAX) {
                return Err(Error::TooManyTagged { max: MAX_TAGGED });
            }
        }
    }
}
