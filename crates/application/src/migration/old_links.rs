//! Links of the old store as links of ours.

use std::sync::Arc;

use sha2::{Digest, Sha256};
use slugline_domain::{
    Link, LinkId, OldLink, Slug,
    ports::{Clock, OldStore},
};
use uuid::Builder;

use super::MigrationLock;
use crate::{Error, Passwords};

/// Serves links from the old store to visitors until they are moved here.
#[derive(Debug)]
pub struct OldLinks {
    pub(super) store: Arc<dyn OldStore>,
    pub(super) passwords: Arc<Passwords>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) lock: MigrationLock,
}

impl OldLinks {
    /// Whether a link that is not here may still be in the old store. To be
    /// asked before looking here: what was moved in between is then looked for
    /// once too often rather than not at all.
    pub(crate) fn may_hold(&self) -> bool {
        !self.lock.is_open()
    }

    pub(crate) async fn find(&self, slug: &Slug) -> Result<Option<Link>, Error> {
        match self.store.find(slug).await? {
            Some(old) => Ok(Some(self.adopt(old).await?)),
            None => Ok(None),
        }
    }

    /// The link as it will be stored here.
    pub(super) async fn adopt(&self, old: OldLink) -> Result<Link, Error> {
        let now = self.clock.now().second();
        let password = match old.password {
            Some(password) => Some(self.passwords.adopt(password).await?),
            None => None,
        };
        let created_at = old.created_at.or(old.updated_at).unwrap_or(now);
        Ok(Link {
            id: old.id.unwrap_or_else(|| id_of(&old.slug)),
            slug: old.slug,
            created_at,
            updated_at: old.updated_at.unwrap_or(created_at),
            ends_at: old.ends_at,
            password,
            content: old.content,
        })
    }
}

/// The identity of a link that came without one: a UUID version 8 made of its
/// slug. Visits that are counted before the link is moved keep it, and whoever
/// moves the link gives it the same.
pub(super) fn id_of(slug: &Slug) -> LinkId {
    let digest = Sha256::digest(slug.as_str());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest[..16]);
    let uuid = Builder::from_custom_bytes(bytes).into_uuid();
    LinkId::parse(&uuid.to_string()).expect("a hyphenated UUID is a link id")
}

#[cfg(test)]
mod tests {
    use slugline_testkit::slug;

    use super::*;

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
