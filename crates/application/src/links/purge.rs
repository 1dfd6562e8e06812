//! Erases a link with its versions.

use slugline_domain::{Operation, Purge, ports::Version};

use super::{LinkService, LinkWriter, Precondition, WhichLink};
use crate::Error;

impl LinkWriter {
    /// Erases a link, whether it is there or in the trash, with all of its versions. Returns false
    /// if there was nothing to erase, which is no error.
    ///
    /// # Errors
    /// Preview mode, the caller lacks the scope `admin`, the link is none of the versions that the
    /// erasure is meant for, other callers changed the link again and again, or the store failed.
    pub async fn purge_if(
        &self,
        which: &WhichLink,
        precondition: &Precondition,
    ) -> Result<bool, Error> {
        /// Each attempt loses only to a change that succeeded.
        const ATTEMPTS: usize = 5;

        self.permit(LinkService::DELETE)?;
        self.may_administer()?;
        self.spend(1)?;
        let mut attempt = 1;
        loop {
            let (id, current) = match which {
                WhichLink::Id(id) => {
                    let versions = self.parts.history.versions(id).await?;
                    (id.clone(), versions.current)
                }
                WhichLink::Key(key) => match self.get(key).await {
                    Err(Error::LinkNotFound(_)) => {
                        precondition.check_absent(key)?;
                        return Ok(false);
                    }
                    link => link.map(|link| (link.id.clone(), Some(link)))?,
                },
            };
            if let Some(link) = &current {
                precondition.check(link, self)?;
            } else if *precondition != Precondition::None {
                return Err(Error::IdNotFound(id));
            }
            let note = self.note(Operation::LinkPurge);
            let known = current.as_ref().map(Version::of);
            let history = &self.parts.history;
            let purged = history.purge(&id, known.as_ref(), &note).await;
            // Also after an error: the store may have erased the link before it failed.
            if let Some(link) = &current {
                self.parts.resolver.forget(&link.key);
            }
            match (purged?, current) {
                (Purge::Purged(key), _) => {
                    self.parts.resolver.forget(&key);
                    return Ok(true);
                }
                (Purge::Nothing, _) => return Ok(false),
                (Purge::Outdated, Some(link)) if attempt == ATTEMPTS => {
                    return Err(Error::Outdated(link.key));
                }
                (Purge::Outdated, _) => attempt += 1,
            }
        }
    }
}
