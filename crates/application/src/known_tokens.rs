//! Named tokens that this process has found in the store.
//!
//! A remembered token passes without a look at the store only while the store announces revoked
//! tokens and none was announced since the token was read. Otherwise the store is asked.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use quick_cache::sync::Cache;
use slugline_domain::{
    TokenRecord, UnixMillis, UnixSeconds,
    ports::{Hearing, StoreError, TokenStore},
};

/// The tokens that were presented and found, and when their last use was noted.
#[derive(Debug)]
pub(crate) struct KnownTokens {
    store: Arc<dyn TokenStore>,
    known: Cache<[u8; 32], Known>,
}

#[derive(Clone, Debug)]
struct Known {
    record: Arc<TokenRecord>,
    heard: Hearing,
    read_at: UnixMillis,
    /// The second of the last use that was noted.
    noted: Arc<AtomicI64>,
}

impl KnownTokens {
    /// Tokens that are remembered. With more in use, some are read again more often.
    const REMEMBERED: usize = 1_000;
    /// The time after which a token is read again although nothing was announced: the bound for
    /// what announcements may miss, as for links.
    const LIFE: Duration = Duration::from_mins(1);
    /// The shortest time between two notes of a token's use, in seconds.
    const NOTE_EVERY: i64 = 60;

    pub(crate) fn new(store: Arc<dyn TokenStore>) -> Self {
        Self {
            store,
            known: Cache::new(Self::REMEMBERED),
        }
    }

    /// Returns whether the token was right when it was last presented here. It may have been
    /// revoked since.
    pub(crate) fn was_right(&self, digest: &[u8; 32]) -> bool {
        self.known.peek(digest).is_some()
    }

    /// The token with this digest, expired or not. Never one that was revoked by a change that
    /// this process could know of.
    pub(crate) async fn find(
        &self,
        digest: &[u8; 32],
        now: UnixMillis,
    ) -> Result<Option<Arc<TokenRecord>>, StoreError> {
        // Asked before the read: a token that is revoked meanwhile is then outdated at once.
        let hearing = self.store.hearing();
        let remembered = self.known.get(digest);
        if let Some(known) = &remembered
            && known.holds(hearing, now)
        {
            return Ok(Some(Arc::clone(&known.record)));
        }
        let Some(record) = self.store.find(digest).await? else {
            self.known.remove(digest);
            return Ok(None);
        };
        let noted = remembered.map_or_else(|| noted_in(&record), |known| known.noted);
        let record = Arc::new(record);
        let known = Known {
            record: Arc::clone(&record),
            heard: hearing,
            read_at: now,
            noted,
        };
        self.known.insert(*digest, known);
        Ok(Some(record))
    }

    /// Notes that the token is used now, at most once a minute. No request waits for that, and
    /// a failure is made good a minute later.
    pub(crate) fn note_use(&self, record: &TokenRecord, now: UnixSeconds) {
        let Some(known) = self.known.peek(&record.digest) else {
            return;
        };
        let last = known.noted.load(Ordering::Relaxed);
        // A clock that was set back is noted, too.
        if (now.get() - last).unsigned_abs() < Self::NOTE_EVERY.unsigned_abs() {
            return;
        }
        let (old, new) = (Ordering::Relaxed, Ordering::Relaxed);
        let claimed = known.noted.compare_exchange(last, now.get(), old, new);
        if claimed.is_err() {
            return;
        }
        let (store, name) = (Arc::clone(&self.store), record.name.clone());
        tokio::spawn(async move { store.touch(&name, now).await });
    }
}

fn noted_in(record: &TokenRecord) -> Arc<AtomicI64> {
    let last = record.last_used_at.map_or(i64::MIN / 2, UnixSeconds::get);
    Arc::new(AtomicI64::new(last))
}

impl Known {
    fn holds(&self, hearing: Hearing, now: UnixMillis) -> bool {
        let life = i64::try_from(KnownTokens::LIFE.as_millis()).unwrap_or(i64::MAX);
        let age = now.get() - self.read_at.get();
        matches!(hearing, Hearing::Announced(_))
            && hearing == self.heard
            && (0..life).contains(&age)
    }
}
