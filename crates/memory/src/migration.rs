//! The progress of a migration.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use async_trait::async_trait;
use slugline_domain::{
    Advance, FailedEntry, Link, MigrationRun, MigrationState, MigrationStep, Tally, UnixSeconds,
    ports::{MigrationStore, StoreError},
};

use crate::MemoryLinkStore;

/// Runs of the migration, beside a link store in memory. It passes the same
/// contract suite as the SQL store.
#[derive(Debug)]
pub struct MemoryMigration {
    links: Arc<MemoryLinkStore>,
    runs: Mutex<BTreeMap<u32, (MigrationRun, Vec<FailedEntry>)>>,
}

impl MemoryMigration {
    /// Moves links into this store.
    pub fn into(links: Arc<MemoryLinkStore>) -> Self {
        Self {
            links,
            runs: Mutex::default(),
        }
    }

    fn runs(&self) -> std::sync::MutexGuard<'_, BTreeMap<u32, (MigrationRun, Vec<FailedEntry>)>> {
        self.runs
            .lock()
            .expect("nothing panics while it holds the lock")
    }
}

#[async_trait]
impl MigrationStore for MemoryMigration {
    async fn state(&self) -> Result<MigrationState, StoreError> {
        drop(self.links.open("read the migration's state")?);
        let runs = self.runs();
        let mut latest_first = runs.values().rev().map(|(run, _)| run);
        Ok(MigrationState {
            latest: runs.values().next_back().map(|(run, _)| run.clone()),
            completed: latest_first.find(|run| run.ended_at.is_some()).cloned(),
        })
    }

    async fn begin(&self, after: Option<u32>, _: UnixSeconds) -> Result<bool, StoreError> {
        drop(self.links.open("begin the migration")?);
        let mut runs = self.runs();
        let number = after.unwrap_or(0) + 1;
        if runs.contains_key(&number) {
            return Ok(false);
        }
        let run = MigrationRun {
            number,
            pages: 0,
            next: None,
            tally: Tally::default(),
            ended_at: None,
        };
        runs.insert(number, (run, Vec::new()));
        Ok(true)
    }

    async fn advance(&self, step: &MigrationStep) -> Result<Advance, StoreError> {
        let mut state = self.links.open("move links")?;
        let mut runs = self.runs();
        let Some((number, (run, failures))) = runs.iter_mut().next_back() else {
            return Ok(Advance::Overtaken);
        };
        if *number != step.run || run.pages != step.page || run.ended_at.is_some() {
            return Ok(Advance::Overtaken);
        }
        let mut inserted = 0;
        for moved in &step.links {
            if state.get(&moved.link.key).is_some() {
                continue;
            }
            let mut link: Link = moved.link.clone();
            if state.has_id(&link.id) {
                link.id = moved.spare_id.clone();
            }
            state.put(link, &step.note);
            inserted += 1;
        }
        let skipped = length(&step.links) - inserted;
        run.pages += 1;
        run.next.clone_from(&step.next);
        run.ended_at = step.next.is_none().then_some(step.note.at.second());
        let tally = &mut run.tally;
        tally.scanned += length(&step.links) + length(&step.failures) + step.expired;
        tally.inserted += inserted;
        tally.skipped += skipped;
        tally.expired += step.expired;
        tally.failed += length(&step.failures);
        tally.ignored += step.ignored;
        failures.extend(step.failures.iter().cloned());
        failures.truncate(usize::try_from(FailedEntry::MAX_KEPT).unwrap_or(usize::MAX));
        Ok(Advance::Done { inserted, skipped })
    }

    async fn failures(&self, run: u32) -> Result<Vec<FailedEntry>, StoreError> {
        drop(self.links.open("read what failed to move")?);
        let runs = self.runs();
        Ok(runs
            .get(&run)
            .map(|(_, failed)| failed.clone())
            .unwrap_or_default())
    }
}

fn length<T>(items: &[T]) -> u64 {
    u64::try_from(items.len()).unwrap_or(u64::MAX)
}
