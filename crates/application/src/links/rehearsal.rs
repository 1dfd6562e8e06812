//! Works out what an import would do, without changing anything.

use std::{
    collections::{HashMap, HashSet, hash_map::RandomState},
    hash::{BuildHasher, Hash},
};

use slugline_domain::{
    Destination, Link, LinkFilter, LinkId, LinkKey, LinkOrder, LinkStatus, PageSize, Reach,
    StatusFilter, UnixSeconds, ports::Insertion,
};

use super::{ImportLink, ImportOutcome, LinkService, LinkWriter, ListLinks};
use crate::{error::Error, named_domains::NamedDomains};

/// The keys and ids that are in use, as an import would find and leave them. It holds hashes of those of
/// every link, because a file may come in any order: some 150 bytes for each. Among a million links two have
/// the same hash once in thirty million runs.
#[derive(Clone, Debug)]
pub struct Rehearsal {
    domains: NamedDomains,
    now: UnixSeconds,
    hashing: RandomState,
    owners: HashMap<u64, Owner>,
    ids: HashSet<u64>,
    /// The links that an import may replace once they are expired.
    reach: Reach,
}

/// The link that has a key, by hashes.
#[derive(Clone, Copy, Debug)]
struct Owner {
    /// `None` for a link whose id would be generated.
    id: Option<u64>,
    destination: u64,
    /// True if no new link replaces it.
    stays: bool,
}

impl LinkWriter {
    /// Returns a rehearsal of imports into the links that are stored now.
    ///
    /// # Errors
    /// Preview mode, or the store failed.
    pub async fn rehearse_import(&self) -> Result<Rehearsal, Error> {
        self.permit(LinkService::IMPORT)?;
        let parts = &self.parts;
        let mut rehearsal = Rehearsal::new(self.domains().clone(), parts.clock.now().second());
        rehearsal.reach = self.reach.clone();
        let mut after = None;
        loop {
            let request = ListLinks {
                size: PageSize::new(PageSize::MAX.into()).expect("the largest page is a page"),
                order: LinkOrder::Newest,
                filter: LinkFilter {
                    status: StatusFilter::All,
                    ..LinkFilter::default()
                },
                after,
            };
            let page = self.list(request).await?;
            for link in &page.links {
                rehearsal.hold(link);
            }
            match page.next {
                Some(next) => after = Some(next),
                None => return Ok(rehearsal),
            }
        }
    }
}

impl LinkWriter {
    /// Returns a rehearsal of changes that store these links and no others.
    pub(super) async fn rehearsal_of(&self, links: &[Link]) -> Result<Rehearsal, Error> {
        let parts = &self.parts;
        let mut rehearsal = Rehearsal::new(self.domains().clone(), parts.clock.now().second());
        rehearsal.reach = self.reach.clone();
        let keys = links.iter().map(|link| link.key.clone()).collect();
        let ids = links.iter().map(|link| link.id.clone()).collect();
        for link in parts.store.holders(&keys, &ids).await? {
            rehearsal.hold(&link);
        }
        Ok(rehearsal)
    }
}

impl Rehearsal {
    /// A rehearsal at this moment, while no link is stored.
    pub fn new(domains: NamedDomains, now: UnixSeconds) -> Self {
        Self {
            domains,
            now,
            hashing: RandomState::new(),
            owners: HashMap::new(),
            ids: HashSet::new(),
            reach: Reach::Everything,
        }
    }

    /// The domains that the links come into.
    pub fn domains(&self) -> &NamedDomains {
        &self.domains
    }

    fn hash(&self, value: impl Hash) -> u64 {
        self.hashing.hash_one(value)
    }

    fn owner(&self, id: Option<&LinkId>, to: &Destination, status: LinkStatus) -> Owner {
        Owner {
            id: id.map(|id| self.hash(id.as_str())),
            destination: self.hash(to.as_str()),
            stays: status != LinkStatus::Expired,
        }
    }

    fn owner_of(&self, link: &Link) -> Owner {
        let status = link.status_at(self.now);
        self.owner(Some(&link.id), &link.content.destination, status)
    }

    fn hold(&mut self, link: &Link) {
        let mut owner = self.owner_of(link);
        owner.stays |= !self.reach.holds(link);
        self.own(self.hash(&link.key), owner);
    }

    fn own(&mut self, key: u64, owner: Owner) {
        if let Some(Owner { id: Some(gone), .. }) = self.owners.insert(key, owner) {
            self.ids.remove(&gone);
        }
        self.ids.extend(owner.id);
    }

    /// Returns the outcome for the next link of the import.
    pub fn take(&mut self, link: &ImportLink) -> ImportOutcome {
        let key = link.slug.clone().map(|slug| {
            let key = LinkKey::new(link.domain.clone(), slug);
            self.hash(&*self.domains.canonical(&key))
        });
        let (content, used) = (&link.content, link.visits_used);
        let status = LinkStatus::at(self.now, &content.life, content.expires_at, used);
        let owner = self.owner(link.id.as_ref(), &content.destination, status);
        self.outcome(key, owner)
    }

    /// Returns the outcome for the next link, whose key and identifier are decided.
    pub(super) fn take_complete(&mut self, link: &Link) -> ImportOutcome {
        self.outcome(Some(self.hash(&link.key)), self.owner_of(link))
    }

    /// As [`Self::take_complete`], as the store would tell it.
    pub(super) fn insert(&mut self, link: &Link) -> Insertion {
        self.admit(Some(self.hash(&link.key)), self.owner_of(link))
    }

    fn outcome(&mut self, key: Option<u64>, new: Owner) -> ImportOutcome {
        let before = key.and_then(|key| self.owners.get(&key));
        let is_same = |owner: &Owner| {
            owner.destination == new.destination || new.id.is_some() && owner.id == new.id
        };
        let came_before = before.is_some_and(is_same);
        let insertion = self.admit(key, new);
        ImportOutcome::of(insertion, came_before)
    }

    fn admit(&mut self, key: Option<u64>, new: Owner) -> Insertion {
        let before = key.and_then(|key| self.owners.get(&key));
        if before.is_some_and(|owner| owner.stays) {
            return Insertion::SlugTaken;
        }
        let freed = before.and_then(|owner| owner.id);
        if let Some(id) = new.id
            && freed != Some(id)
            && self.ids.contains(&id)
        {
            return Insertion::IdTaken;
        }
        match key {
            Some(key) => self.own(key, new),
            // It gets a slug that no link has.
            None => self.ids.extend(new.id),
        }
        Insertion::Stored
    }
}

#[cfg(test)]
mod tests {
    use slugline_domain::ports::Random;
    use slugline_testkit::{SeededRandom, assert_matches, destination, link, seconds, slug};

    use super::*;
    use crate::links::fixture::{demonstration, fixture};

    #[tokio::test]
    async fn a_rehearsal_ends_as_the_import_does() {
        let random = SeededRandom::new(7);
        let pick = |count: u8| {
            let mut byte = [0];
            random.fill(&mut byte);
            byte[0] % count
        };
        let mut seen = HashSet::new();
        for _ in 0..200 {
            let mut fixture = fixture();
            for number in 0..3 {
                let stored = link(&format!("s{number}")).id(&format!("i{number}"));
                let stored = match pick(2) {
                    0 => stored.expires(-1),
                    _ => stored,
                };
                fixture = fixture.holding(&stored.build()).await;
            }
            let batch: Vec<ImportLink> = (0..8)
                .map(|_| {
                    let to = ["https://example.com/", "https://example.com/other"];
                    let to = destination(to[usize::from(pick(2))]);
                    let mut link = ImportLink::leading_to(to);
                    let spelling = ["s", "S"][usize::from(pick(2))];
                    link.slug = match pick(6) {
                        0 => None,
                        number => Some(slug(&format!("{spelling}{number}"))),
                    };
                    link.id = match pick(3) {
                        0 => None,
                        _ => LinkId::parse(&format!("i{}", pick(6))).ok(),
                    };
                    link.content.expires_at = match pick(3) {
                        0 => Some(seconds(-1)),
                        _ => None,
                    };
                    link
                })
                .collect();
            let mut rehearsal = fixture.links.rehearse_import().await.unwrap();
            let rehearsed: Vec<ImportOutcome> =
                batch.iter().map(|link| rehearsal.take(link)).collect();
            let checked = fixture.links.validate_import(batch.clone()).await.unwrap();
            let checked: Vec<ImportOutcome> = checked.into_iter().map(|it| it.outcome).collect();
            let imported = fixture.links.import(batch.clone()).await.unwrap();
            let outcomes: Vec<ImportOutcome> = imported.into_iter().map(|it| it.outcome).collect();
            assert_eq!(rehearsed, outcomes, "{batch:?}");
            assert_eq!(checked, outcomes, "{batch:?}");
            seen.extend(outcomes.iter().map(|outcome| format!("{outcome:?}")));
        }
        assert_eq!(seen.len(), 4, "{seen:?}");
    }

    #[tokio::test]
    async fn a_demonstration_rehearses_no_import() {
        let refused = demonstration().links.rehearse_import().await;
        assert_matches!(refused, Err(Error::PreviewMode(_)));
    }
}
