//! Reads the versions of a link and the trash, and erases a link with its versions.

use slugline_domain::{
    AuditedOperation, DomainName, FormerVersion, Keeping, Link, LinkId, LinkKey, LinkVersions,
    PageSize, Purge, Scope, TrashPosition, TrashQuery,
    ports::{StoreError, Version},
};

use super::{LinkReader, LinkService, LinkWriter, Precondition, writer::Attempts};
use crate::{
    access::{Access, Forbidden},
    error::Error,
};

/// A request for a page of the trash.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListTrash {
    /// The most links on the page.
    pub size: PageSize,
    /// Only links of this domain.
    pub domain: Option<DomainName>,
    /// Only links after this position.
    pub after: Option<TrashPosition>,
}

/// Some deleted links, and the position of the next page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrashPage {
    /// The last versions of the links, the one deleted last first.
    pub links: Vec<FormerVersion>,
    /// The position to continue from; `None` on the last page.
    pub next: Option<TrashPosition>,
}

impl LinkService {
    /// The access rule of [`LinkReader::history`].
    pub const HISTORY: Access = Access::outside_preview(Scope::LinksRead, Forbidden::History);

    /// The access rule of [`LinkReader::trash`].
    pub const TRASH: Access = Access::outside_preview(Scope::LinksRead, Forbidden::History);

    /// The most deleted links whose versions [`Self::remove_old_versions`] removes in one
    /// transaction: some milliseconds of work, for which other changes wait.
    pub const PIECE: u32 = 100;

    /// Removes some of the versions that are no longer kept. Returns whether more may be left.
    /// Several nodes may do this at once.
    ///
    /// # Errors
    /// The store failed.
    pub async fn remove_old_versions(&self) -> Result<bool, StoreError> {
        let now = self.now();
        let removed = self.parts.history.remove_old(now, Self::PIECE).await?;
        Ok(removed == u64::from(Self::PIECE))
    }

    /// The versions that the store keeps of links that are changed or deleted.
    pub fn keeping(&self) -> Keeping {
        self.parts.history.keeping()
    }
}

impl LinkReader {
    /// Reads a link, as it is or was when it was deleted, and its versions. An identifier also names
    /// a link in the trash.
    ///
    /// # Errors
    /// There is no such link, preview mode, or the store failed.
    pub async fn history(&self, which: &WhichLink) -> Result<(Link, LinkVersions), Error> {
        self.permit(LinkService::HISTORY)?;
        match which {
            WhichLink::Key(key) => self.versions(&self.get(key).await?.id).await,
            WhichLink::Id(id) => self.versions(id).await,
        }
    }

    /// The versions of a link that the caller reaches now, or reached when it was deleted, back to
    /// the one with which it came into reach.
    pub(super) async fn versions(&self, id: &LinkId) -> Result<(Link, LinkVersions), Error> {
        let mut versions = self.parts.history.versions(id).await?;
        let latest = versions.latest().filter(|link| self.reach.holds(link));
        let latest = latest.ok_or_else(|| Error::IdNotFound(id.clone()))?.clone();
        let former = &mut versions.former;
        let hidden = former.iter().position(|one| !self.reach.holds(&one.link));
        former.truncate(hidden.unwrap_or(former.len()));
        Ok((latest, versions))
    }

    /// Returns one page of the deleted links.
    ///
    /// # Errors
    /// Preview mode, or the store failed.
    pub async fn trash(&self, request: ListTrash) -> Result<TrashPage, Error> {
        self.permit(LinkService::TRASH)?;
        // A domain that was taken away has links in the trash, too.
        let query = TrashQuery {
            reach: self.reach.clone(),
            domain: request.domain.map(|name| self.domains().recorded(name)),
            after: request.after,
            limit: request.size.limit(),
        };
        let mut links = self.parts.history.trash(&query).await?;
        let next = request.size.cut(&mut links, TrashPosition::after);
        Ok(TrashPage { links, next })
    }
}

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
        self.permit(LinkService::DELETE)?;
        self.may_administer()?;
        self.spend(1)?;
        let mut attempts = Attempts::default();
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
            let note = self.note(AuditedOperation::LinkPurge);
            let known = is_there.then(|| Version::of(&latest));
            let history = &self.parts.history;
            let purged = history.purge(&latest.id, known.as_ref(), &note).await;
            self.parts.resolver.announce(&latest.key, &note, false);
            let purged = match purged? {
                Purge::Purged(key) => {
                    self.parts.resolver.announce(&key, &note, true);
                    Ok(true)
                }
                Purge::Nothing => Ok(false),
                Purge::Outdated => Err(Error::Outdated(latest.key)),
            };
            if attempts.end_with(&purged) {
                return purged;
            }
        }
    }
}

/// A link that is there, or was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WhichLink {
    /// The link that has this key.
    Key(LinkKey),
    /// The link that has or had this identifier.
    Id(LinkId),
}
