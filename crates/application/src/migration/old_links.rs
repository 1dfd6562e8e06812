//! Links of the old store: the lock until every one is here, and their conversion.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use quick_cache::sync::Cache;
use sha2::{Digest, Sha256};
use slugline_domain::{
    ImportedPassword, Link, LinkId, OldLink, Password, PasswordHash, Revision, Slug,
    ports::{Clock, OldStore},
};
use uuid::Builder;

use crate::{error::Error, passwords::Passwords};

/// Closed while links are still in an older instance's store. Once open, it stays open.
/// Clones share the state, and a check costs one load.
#[derive(Clone, Debug)]
pub struct MigrationLock(Arc<AtomicBool>);

impl MigrationLock {
    /// Creates an open lock, for an instance that has nothing to move.
    pub fn open() -> Self {
        Self(Arc::new(AtomicBool::new(true)))
    }

    /// Creates a lock that is closed until the migration is completed.
    pub fn closed() -> Self {
        Self(Arc::new(AtomicBool::new(false)))
    }

    /// Returns whether every link has been moved here.
    pub fn is_open(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    /// # Errors
    /// Links are still in the old store.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.is_open() {
            Ok(())
        } else {
            Err(Error::MigrationRequired)
        }
    }

    pub(super) fn unlock(&self) {
        self.0.store(true, Ordering::Release);
    }
}

/// Serves links from the old store to visitors until they are moved here.
#[derive(Debug)]
pub struct OldLinks {
    pub(super) store: Arc<dyn OldStore>,
    pub(super) passwords: Arc<Passwords>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) lock: MigrationLock,
    /// By slug and digest of the password. A password that was stored in clear is hashed
    /// once, not each time a visitor's request reads the link again.
    pub(super) hashed: Cache<(Slug, [u8; 32]), PasswordHash>,
}

impl OldLinks {
    /// The most hashes that are kept of passwords stored in clear.
    pub(super) const HASHED: usize = 10_000;

    /// Returns whether the old store may still hold links that are not here. Callers
    /// check this before they look here: a link that is moved in between is then looked
    /// up once too often rather than not at all.
    pub(crate) fn may_hold(&self) -> bool {
        !self.lock.is_open()
    }

    pub(crate) async fn find(&self, slug: &Slug) -> Result<Option<Link>, Error> {
        match self.store.find(slug).await? {
            Some(old) => Ok(Some(self.adopt(old).await?)),
            None => Ok(None),
        }
    }

    /// Returns the link as it will be stored here.
    pub(super) async fn adopt(&self, old: OldLink) -> Result<Link, Error> {
        let now = self.clock.now().second();
        let password = match old.password {
            Some(ImportedPassword::Hashed(hash)) => Some(hash),
            Some(ImportedPassword::Plain(password)) => {
                Some(self.hash_once(&old.slug, &password).await?)
            }
            None => None,
        };
        let created_at = old.created_at.or(old.updated_at).unwrap_or(now);
        Ok(Link {
            id: old.id.unwrap_or_else(|| id_of(&old.slug)),
            key: old.slug.into(),
            created_at,
            updated_at: old.updated_at.unwrap_or(created_at),
            revision: Revision::FIRST,
            ends_at: old.ends_at,
            password,
            visits_used: 0,
            request: None,
            content: old.content,
        })
    }

    async fn hash_once(&self, slug: &Slug, password: &Password) -> Result<PasswordHash, Error> {
        let digest: [u8; 32] = Sha256::digest(password.reveal()).into();
        let key = (slug.clone(), digest);
        let hash = self.passwords.hash(password);
        Ok(self.hashed.get_or_insert_async(&key, hash).await?)
    }
}

/// Returns the identifier of a link that came without one: a UUID version 8 made of its
/// slug. Visits that are counted before the move keep it, because every node that moves
/// the link computes the same one.
pub(super) fn id_of(slug: &Slug) -> LinkId {
    let digest = Sha256::digest(slug.as_str());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest[..16]);
    let uuid = Builder::from_custom_bytes(bytes).into_uuid();
    LinkId::parse(&uuid.to_string()).expect("a hyphenated UUID is a link id")
}

#[cfg(test)]
mod tests {
    use slugline_domain::{EntryKey, OldEntry};
    use slugline_testkit::{FixedClock, MemoryOldStore, NOON, SeededRandom, old_link, slug};

    use super::*;

    #[tokio::test]
    async fn a_password_in_clear_is_hashed_once_however_often_its_link_is_read() {
        let mut link = old_link("docs");
        link.password = Some(ImportedPassword::parse("letmein").unwrap());
        let entry = OldEntry {
            key: EntryKey::new("link:docs"),
            link: Ok(link),
        };
        let old = OldLinks {
            store: Arc::new(MemoryOldStore::new(vec![entry])),
            passwords: Arc::new(Passwords::new(Arc::new(SeededRandom::new(1)))),
            clock: Arc::new(FixedClock::at(NOON)),
            lock: MigrationLock::closed(),
            hashed: Cache::new(OldLinks::HASHED),
        };
        let first = old.find(&slug("docs")).await.unwrap().unwrap();
        let hash = first.password.clone().unwrap();
        assert!(hash.as_str().starts_with("$argon2id$"));
        let again = old.find(&slug("docs")).await.unwrap();
        assert_eq!(again, Some(first), "another hash would have another salt");
    }

    #[test]
    fn an_id_follows_from_the_slug() {
        let id = id_of(&slug("docs"));
        assert_eq!(id, id_of(&slug("docs")));
        assert_ne!(id, id_of(&slug("Docs")));
        assert_eq!(
            uuid::Uuid::parse_str(id.as_str())
                .unwrap()
                .get_version_num(),
            8
        );
    }
}
