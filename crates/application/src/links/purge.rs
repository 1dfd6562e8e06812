//! Erases a link with its versions.

use slugline_domain::{Operation, Purge, ports::Version};

use super::{LinkService, LinkWriter, Precondition, WhichLink};
use crate::error::Error;

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
            let (latest, is_there) = match which {
                WhichLink::Id(id) => {
                    let versions = self.parts.history.versions(id).await?;
                    match versions.latest() {
                        Some(latest) => (latest.clone(), versions.current.is_some()),
                        None if *precondition == Precondition::None => return Ok(false),
                        None => return Err(Error::IdNotFound(id.clone())),
                    }
                }
                WhichLink::Key(key) => match self.get(key).await {
                    Err(Error::LinkNotFound(_)) => {
                        precondition.check_absent(key)?;
                        return Ok(false);
                    }
                    link => (link?, true),
                },
            };
            if is_there {
                precondition.check(&latest, self)?;
            } else {
                precondition.check_absent(&latest.key)?;
            }
            let note = self.note(Operation::LinkPurge);
            let known = is_there.then(|| Version::of(&latest));
            let history = &self.parts.history;
            let purged = history.purge(&latest.id, known.as_ref(), &note).await;
            self.parts.resolver.announce(&latest.key, &note, false);
            match purged? {
                Purge::Purged(key) => {
                    self.parts.resolver.announce(&key, &note, true);
                    return Ok(true);
                }
                Purge::Nothing => return Ok(false),
                Purge::Outdated if attempt == ATTEMPTS => return Err(Error::Outdated(latest.key)),
                Purge::Outdated => attempt += 1,
            }
        }
    }
}
