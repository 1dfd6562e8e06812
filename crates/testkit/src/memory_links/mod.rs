//! Links in memory, for tests of what reads links.

mod lines;
mod state;

use std::{
    fmt,
    pin::Pin,
    sync::{Mutex, MutexGuard, OnceLock},
};

use async_trait::async_trait;
use slugline_domain::{
    AuditLine, AuditNote, AuditQuery, Host, Link, LinkId, LinkKey, ListQuery, Reach, Revision,
    UnixMillis,
    ports::{
        AuditTrail, Deletion, Hearing, Insertion, LinkStore, StoreError, Taking, Update, Version,
    },
};

use self::state::State;

/// Links in a map, and their audit trail, as if the database were away or told of changes when a
/// test says so. It passes the contract suite that the SQL stores pass, and keeps no former
/// versions.
#[derive(Debug, Default)]
pub struct MemoryLinkStore {
    state: Mutex<State>,
    delay: OnceLock<Delay>,
}

type Waiting = Pin<Box<dyn Future<Output = ()> + Send>>;

struct Delay(Box<dyn Fn() -> Waiting + Send + Sync>);

impl fmt::Debug for Delay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Delay")
    }
}

impl MemoryLinkStore {
    /// Lets each later [`find`](LinkStore::find) wait, once it has looked, before it answers.
    pub fn slow_down(&self, delay: impl Fn() -> Waiting + Send + Sync + 'static) {
        let first = self.delay.set(Delay(Box::new(delay)));
        first.expect("a test slows a store down once");
    }

    /// Makes every later call fail, as if the database were down.
    pub fn break_down(&self) {
        self.state().is_broken = true;
    }

    /// Makes calls succeed again.
    pub fn recover(&self) {
        self.state().is_broken = false;
    }

    /// Sets the reported way of learning of changes.
    pub fn hear(&self, hearing: Hearing) {
        self.state().hearing = hearing;
    }

    /// Lets links of a named host be stored.
    pub fn name_domain(&self, host: Host) {
        self.state().domains.insert(host);
    }

    /// The state, unless the store is broken.
    fn open(&self, action: &'static str) -> Result<MutexGuard<'_, State>, StoreError> {
        let state = self.state();
        if state.is_broken {
            return Err(StoreError::Failed {
                action,
                source: "the database went away".into(),
            });
        }
        Ok(state)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        let state = self.state.lock();
        state.expect("nothing panics while it holds the lock")
    }
}

#[async_trait]
impl LinkStore for MemoryLinkStore {
    async fn insert(
        &self,
        reach: &Reach,
        link: &Link,
        note: &AuditNote,
    ) -> Result<Insertion, StoreError> {
        let mut state = self.open("insert a link")?;
        Ok(state.insert(reach, link, note))
    }

    async fn insert_many(
        &self,
        reach: &Reach,
        new: &[Link],
        note: &AuditNote,
    ) -> Result<Vec<Insertion>, StoreError> {
        let mut state = self.open("insert links")?;
        let outcomes = new.iter().map(|link| state.insert(reach, link, note));
        Ok(outcomes.collect())
    }

    async fn update(
        &self,
        link: &Link,
        known: &Version,
        note: &AuditNote,
    ) -> Result<Update, StoreError> {
        let mut state = self.open("update a link")?;
        match state.get(&link.key) {
            Some(stored) if Version::of(stored) == *known => {
                let visits_used = stored.visits_used;
                let link = Link {
                    visits_used,
                    ..link.clone()
                };
                state.put(link, note);
                Ok(Update::Stored)
            }
            Some(_) | None => Ok(Update::Outdated),
        }
    }

    async fn find(&self, key: &LinkKey) -> Result<Option<Link>, StoreError> {
        let state = self.open("find a link");
        let found = state.map(|state| state.get(key).cloned());
        if let Some(Delay(delay)) = self.delay.get() {
            delay().await;
        }
        found
    }

    async fn take_visit(&self, id: &LinkId, version: Revision) -> Result<Taking, StoreError> {
        Ok(self.open("count a visit")?.take_visit(id, version))
    }

    async fn list(&self, query: &ListQuery) -> Result<Vec<Link>, StoreError> {
        let state = self.open("list links")?;
        Ok(query.page(state.links_with(query.filter.status)))
    }

    async fn delete_version(
        &self,
        key: &LinkKey,
        known: &Version,
        note: &AuditNote,
    ) -> Result<Deletion, StoreError> {
        let mut state = self.open("delete a link")?;
        match state.get(key) {
            Some(stored) if Version::of(stored) == *known => {
                state.remove(key, note);
                Ok(Deletion::Deleted)
            }
            Some(_) | None => Ok(Deletion::Outdated),
        }
    }

    async fn ping(&self) -> Result<(), StoreError> {
        self.open("answer").map(drop)
    }

    fn hearing(&self) -> Hearing {
        self.state().hearing
    }
}

#[async_trait]
impl AuditTrail for MemoryLinkStore {
    async fn lines(&self, query: &AuditQuery) -> Result<Vec<AuditLine>, StoreError> {
        Ok(self.open("read the audit trail")?.trail.chosen(query))
    }

    async fn add(&self, note: &AuditNote, key: Option<&LinkKey>) -> Result<(), StoreError> {
        let mut state = self.open("write into the audit trail")?;
        state.trail.add(note, key);
        Ok(())
    }

    async fn remove_before(&self, moment: UnixMillis, limit: u32) -> Result<u64, StoreError> {
        let mut state = self.open("shorten the audit trail")?;
        Ok(state.trail.remove_before(moment, limit))
    }
}
