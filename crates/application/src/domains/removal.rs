//! Takes a domain away, with its links.
//!
//! Links are moved or deleted in pieces, each in one transaction. After a crash between two of them
//! the domain is still there, with the rest of its links, and the same call continues.

use slugline_domain::{
    AuditedOperation, Author, DomainName, ForwardingFault, Host, Link, LinkFilter, LinkKey,
    LinkOrder, ListQuery, Position, Slug, StatusFilter,
    ports::{Deletion, DomainRemoval, LinkMove, Version},
};
use tokio::task::JoinSet;

use super::Domains;
use crate::error::Error;

/// The fate of the links of a domain that is taken away.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum LinksFate {
    /// They stay, and so does the domain. A domain without links is taken away.
    #[default]
    Refuse,
    /// They are moved to this domain.
    MoveTo(DomainName),
    /// They are deleted.
    Delete,
}

/// A domain that was taken away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RemovedDomain {
    /// The number of links that were moved or deleted.
    pub links: u64,
}

/// The links that one transaction moves, and that one look asks for.
const PIECE: u32 = 500;

/// Links that are deleted at the same time. With SQLite, they share a commit.
const AT_ONCE: usize = 8;

/// Rounds for links that other callers store meanwhile.
const ROUNDS: usize = 3;

/// The most taken slugs that an error names.
const NAMED: usize = 20;

impl Domains {
    /// Takes a domain away. From then on visitors of its host meet the default domain.
    ///
    /// # Errors
    /// The host is not named; it has links, which were to stay or come faster than they are
    /// moved; links of the target have some of the slugs, or a link would lead to itself there, in
    /// which cases nothing moves; or the store failed. After an error of the store some links may have been moved or deleted: call again.
    pub async fn remove(
        &self,
        host: &Host,
        fate: &LinksFate,
        author: &Author,
    ) -> Result<RemovedDomain, Error> {
        let named = self.parts.store.list().await?;
        if !named.iter().any(|domain| domain.host == *host) {
            return Err(Error::DomainNotFound(host.clone()));
        }
        let from = DomainName::named(host.clone());
        let fate = match fate {
            LinksFate::MoveTo(target) => match self.meant(target).await? {
                target if target == from => LinksFate::Refuse,
                target => {
                    self.refuse_taken(&from, &target).await?;
                    LinksFate::MoveTo(target)
                }
            },
            fate @ (LinksFate::Refuse | LinksFate::Delete) => fate.clone(),
        };
        let mut links = 0;
        for _ in 0..ROUNDS {
            links += match &fate {
                LinksFate::Refuse => 0,
                LinksFate::MoveTo(target) => self.move_all(&from, target, author).await?,
                LinksFate::Delete => self.delete_all(&from, author).await?,
            };
            let note = self.note(AuditedOperation::DomainRemove, author);
            let removed = self.parts.store.remove(host, &note).await;
            self.learn().await;
            match removed? {
                DomainRemoval::Removed => return Ok(RemovedDomain { links }),
                DomainRemoval::NoDomain => return Err(Error::DomainNotFound(host.clone())),
                DomainRemoval::HasLinks if fate == LinksFate::Refuse => break,
                DomainRemoval::HasLinks => {}
            }
        }
        let now = self.parts.clock.now().second();
        let links = self.parts.links.count(&of_domain(&from), now).await?;
        let host = host.clone();
        Err(Error::DomainHasLinks { host, links })
    }

    async fn move_all(
        &self,
        from: &DomainName,
        to: &DomainName,
        author: &Author,
    ) -> Result<u64, Error> {
        let mut moved = 0;
        loop {
            let links = self.piece(from, None).await?;
            if links.is_empty() {
                return Ok(moved);
            }
            self.refuse_circles(&links, to)?;
            let note = self.note(AuditedOperation::LinkMove, author);
            let outcome = self.parts.store.move_links(&links, to, &note).await;
            let is_moved = matches!(outcome, Ok(LinkMove::Moved));
            for Link { key, .. } in &links {
                for key in [key, &within(to, &key.slug)] {
                    self.parts.resolver.announce(key, &note, is_moved);
                }
            }
            match outcome? {
                LinkMove::Moved => moved += u64::try_from(links.len()).unwrap_or(u64::MAX),
                // Another caller changed one, which may lead to itself there by now.
                LinkMove::Outdated => {}
                // Another caller took a slug since it was found free.
                LinkMove::Taken => self.refuse_taken(from, to).await?,
                LinkMove::NoDomain => {
                    let gone = to.host().cloned();
                    return Err(Error::NoDomain(gone.expect("the default domain is there")));
                }
            }
        }
    }

    async fn delete_all(&self, from: &DomainName, author: &Author) -> Result<u64, Error> {
        let mut deleted = 0;
        loop {
            let links = self.piece(from, None).await?;
            if links.is_empty() {
                return Ok(deleted);
            }
            let note = self.note(AuditedOperation::LinkDelete, author);
            let mut links = links.into_iter();
            loop {
                let mut running = JoinSet::new();
                for link in links.by_ref().take(AT_ONCE) {
                    let (this, note) = (self.clone(), note.clone());
                    running.spawn(async move {
                        let (known, parts) = (Version::of(&link), &this.parts);
                        let deleted = parts.links.delete_version(&link.key, &known, &note).await;
                        let is_deleted = matches!(deleted, Ok(Deletion::Deleted));
                        parts.resolver.announce(&link.key, &note, is_deleted);
                        deleted
                    });
                }
                if running.is_empty() {
                    break;
                }
                for outcome in running.join_all().await {
                    // A link that was changed meanwhile is in the next piece.
                    deleted += u64::from(outcome? == Deletion::Deleted);
                }
            }
        }
    }

    /// Refuses a move if links of the target have some of the slugs, or would be found in place of
    /// the moved ones because the target ignores case, or if a moved one would lead to itself.
    async fn refuse_taken(&self, from: &DomainName, to: &DomainName) -> Result<(), Error> {
        let mut taken = Vec::new();
        let mut after = None;
        loop {
            let links = self.piece(from, after).await?;
            let Some(last) = links.last() else {
                break;
            };
            after = Some(Position::after(last));
            self.refuse_circles(&links, to)?;
            taken.extend(self.taken_of(&links, from, to).await?);
            if taken.len() > NAMED {
                break;
            }
        }
        if taken.is_empty() {
            return Ok(());
        }
        taken.truncate(NAMED);
        let (from, to) = (from.clone(), to.clone());
        Err(Error::SlugsTaken {
            from,
            to,
            slugs: taken,
        })
    }

    /// Refuses a move after which one of these links would lead to itself.
    fn refuse_circles(&self, links: &[Link], to: &DomainName) -> Result<(), ForwardingFault> {
        links.iter().try_for_each(|link| {
            let mut moved = link.clone();
            moved.key.domain = to.clone();
            let circle = moved.check_circles(Some(link), &self.own_addresses);
            circle.map_err(|fault| fault.within(link.key.slug.as_str()))
        })
    }

    async fn taken_of(
        &self,
        links: &[Link],
        from: &DomainName,
        to: &DomainName,
    ) -> Result<Vec<Slug>, Error> {
        let case = self.known().case_in(to);
        let rivals = |slug: &Slug| {
            let canonical = case.canonical(slug).into_owned();
            let mut rivals = vec![within(to, slug)];
            if canonical != *slug {
                rivals.extend([within(to, &canonical), within(from, &canonical)]);
            }
            rivals
        };
        let keys: Vec<LinkKey> = links
            .iter()
            .flat_map(|link| rivals(&link.key.slug))
            .collect();
        let filter = LinkFilter {
            keys: Some(keys),
            status: StatusFilter::All,
            ..LinkFilter::default()
        };
        let now = self.parts.clock.now().second();
        let found = self.parts.links.search(&filter, now, u32::MAX).await?;
        let is_taken = |slug: &&Slug| {
            let rivals = rivals(slug);
            found.iter().any(|link| rivals.contains(&link.key))
        };
        let slugs = links.iter().map(|link| &link.key.slug);
        Ok(slugs.filter(is_taken).cloned().collect())
    }

    /// Links of a domain, by slug.
    async fn piece(&self, of: &DomainName, after: Option<Position>) -> Result<Vec<Link>, Error> {
        let query = ListQuery {
            now: self.parts.clock.now().second(),
            order: LinkOrder::SlugAscending,
            filter: of_domain(of),
            after,
            limit: PIECE,
        };
        Ok(self.parts.links.list(&query).await?)
    }
}

fn of_domain(name: &DomainName) -> LinkFilter {
    LinkFilter {
        domain: Some(name.clone()),
        status: StatusFilter::All,
        ..LinkFilter::default()
    }
}

fn within(domain: &DomainName, slug: &Slug) -> LinkKey {
    LinkKey::new(domain.clone(), slug.clone())
}
