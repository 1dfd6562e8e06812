//! Moving links here from an older instance's key-value store.
//!
//! A run goes through the old store page by page. What is known of it is kept
//! beside the links and changes together with them, so that no page is lost or
//! counted twice, whatever happens in between and however many take part.

use crate::{EntryFault, EntryKey, Link, LinkId, OldPlace, UnixSeconds};

/// A run as far as it has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MigrationRun {
    /// Which run: 1 for the first one, then upwards.
    pub number: u32,
    /// Pages that are done.
    pub pages: u32,
    /// Where the next page begins; `None` for the first one.
    pub next: Option<OldPlace>,
    /// What the pages came to.
    pub tally: Tally,
    /// When the last page was done.
    pub ended_at: Option<UnixSeconds>,
}

/// What became of entries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Entries under keys of links: the sum of the next four.
    pub scanned: u64,
    /// Moved here.
    pub inserted: u64,
    /// Their slug is in use here, by what was moved before or made since.
    pub skipped: u64,
    /// Expired, and not moved.
    pub expired: u64,
    /// Hold no link, and not moved.
    pub failed: u64,
    /// Entries under other keys, which are no links.
    pub ignored: u64,
}

/// What is known of the migration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MigrationState {
    /// The latest run.
    pub latest: Option<MigrationRun>,
    /// The latest run that came to its end. Once there is one, every link is
    /// here.
    pub completed: Option<MigrationRun>,
}

/// A page that is about to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MigrationStep {
    /// The run.
    pub run: u32,
    /// Pages that were done before it. When others did it meanwhile, the step
    /// changes nothing.
    pub page: u32,
    /// Where the page after it begins; `None` when it is the last one.
    pub next: Option<OldPlace>,
    /// Links to be inserted unless their slug is in use.
    pub links: Vec<MovedLink>,
    /// Entries that hold no link.
    pub failures: Vec<FailedEntry>,
    /// How many entries had expired.
    pub expired: u64,
    /// How many entries had other keys.
    pub ignored: u64,
    /// When this happens.
    pub now: UnixSeconds,
}

/// A link on its way here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MovedLink {
    /// The link.
    pub link: Link,
    /// Its identity in case another link has the one it came with: nothing kept
    /// those apart in the old store.
    pub spare_id: LinkId,
}

/// An entry that could not be moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedEntry {
    /// Its key.
    pub key: EntryKey,
    /// Why.
    pub reason: EntryFault,
}

impl FailedEntry {
    /// How many are remembered of a run, the first ones; all are counted.
    pub const MAX_KEPT: u32 = 1000;
}

/// What became of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advance {
    /// It is done.
    Done {
        /// Links that were inserted.
        inserted: u64,
        /// Links whose slug was in use.
        skipped: u64,
    },
    /// Somebody else has done the page, or begun another run.
    Overtaken,
}
