//! The documents of applications that were fetched.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use quick_cache::sync::Cache;
use slugline_domain::{
    UnixMillis,
    assistants::{Client, ClientId},
};

/// Documents that were fetched, and when.
#[derive(Debug)]
pub(super) struct KnownDocuments {
    known: Cache<ClientId, Arc<Known>>,
    fetches: Mutex<VecDeque<UnixMillis>>,
}

#[derive(Debug)]
struct Known {
    client: Client,
    stale_at: i64,
}

impl Default for KnownDocuments {
    fn default() -> Self {
        Self {
            known: Cache::new(Self::REMEMBERED),
            fetches: Mutex::default(),
        }
    }
}

impl KnownDocuments {
    const REMEMBERED: usize = 100;
    const FETCHES_PER_HOUR: usize = 60;
    const HOUR_MS: i64 = 3_600_000;
    /// The longest time for which a document is kept, whatever it says.
    const LONGEST: Duration = Duration::from_hours(24);
    /// The time for one that says nothing: a person who asks again after a mistake of the
    /// application's developer does not wait long.
    const UNSAID: Duration = Duration::from_mins(5);

    pub(super) fn fresh(&self, id: &ClientId, now: UnixMillis) -> Option<Client> {
        let known = self.known.get(id)?;
        (now.get() < known.stale_at).then(|| known.client.clone())
    }

    pub(super) fn keep(&self, client: &Client, fresh_for: Option<Duration>, now: UnixMillis) {
        let life = fresh_for.unwrap_or(Self::UNSAID).min(Self::LONGEST);
        let life = i64::try_from(life.as_millis()).expect("a day at most");
        let known = Known {
            client: client.clone(),
            stale_at: now.get().saturating_add(life),
        };
        self.known.insert(client.id.clone(), Arc::new(known));
    }

    /// Counts a fetch. Returns false if there were too many in the last hour.
    pub(super) fn may_fetch(&self, now: UnixMillis) -> bool {
        let mut fetches = self.fetches.lock().unwrap_or_else(PoisonError::into_inner);
        while fetches
            .front()
            .is_some_and(|at| now.get() - at.get() >= Self::HOUR_MS)
        {
            fetches.pop_front();
        }
        let may = fetches.len() < Self::FETCHES_PER_HOUR;
        if may {
            fetches.push_back(now);
        }
        may
    }
}
