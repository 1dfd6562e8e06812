//! Moving links from an older instance's key-value store into this one.
//!
//! A run reads the old store page by page. Its progress is stored beside the
//! links and changes in the same transaction. So no page is lost or counted
//! twice, even if the process dies in between or several processes take part.

use crate::{AuditNote, EntryFault, EntryKey, Link, LinkId, OldCursor, UnixSeconds};

/// The progress of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MigrationRun {
    /// The number of the run: 1 for the first, then upwards.
    pub number: u32,
    /// The number of pages that are done.
    pub pages: u32,
    /// The start of the next page; `None` for the first.
    pub next: Option<OldCursor>,
    /// The counts of the pages that are done.
    pub tally: Tally,
    /// The time at which the last page was done.
    pub ended_at: Option<UnixSeconds>,
}

/// Counts of entries, by what happened to them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Entries under keys of links: the sum of the next four.
    pub scanned: u64,
    /// Links that were moved.
    pub inserted: u64,
    /// Links whose slug was already in use, by a link moved before or made
    /// since.
    pub skipped: u64,
    /// Links that were expired, and so not moved.
    pub expired: u64,
    /// Entries that hold no valid link, and so were not moved.
    pub failed: u64,
    /// Entries under other keys, which are not links.
    pub ignored: u64,
}

/// The stored progress of the migration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MigrationState {
    /// The latest run.
    pub latest: Option<MigrationRun>,
    /// The latest run that reached the end. Once there is one, every link is
    /// here.
    pub completed: Option<MigrationRun>,
}

/// A page of a run, ready to be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MigrationStep {
    /// The number of the run.
    pub run: u32,
    /// The number of pages done before this one. If another process has done
    /// this page meanwhile, the step changes nothing.
    pub page: u32,
    /// The start of the page after this one; `None` if this is the last.
    pub next: Option<OldCursor>,
    /// Links to insert unless their slug is in use.
    pub links: Vec<MovedLink>,
    /// Entries that hold no valid link.
    pub failures: Vec<FailedEntry>,
    /// The number of entries that had expired.
    pub expired: u64,
    /// The number of entries under other keys.
    pub ignored: u64,
    /// The note for the audit trail, with the present moment.
    pub note: AuditNote,
}

/// A link to be moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MovedLink {
    /// The link.
    pub link: Link,
    /// The identifier to use if another link already has the one in `link`: the
    /// old store did not keep identifiers unique.
    pub spare_id: LinkId,
}

/// An entry that could not be moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedEntry {
    /// Its key.
    pub key: EntryKey,
    /// The reason.
    pub reason: EntryFault,
}

impl FailedEntry {
    /// The number of failures that are stored per run: the first ones. All are
    /// counted.
    pub const MAX_KEPT: u32 = 1000;
}

/// The result of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advance {
    /// The page is done.
    Done {
        /// The number of links inserted.
        inserted: u64,
        /// The number of links whose slug was in use.
        skipped: u64,
    },
    /// Another process has done the page, or started another run.
    Overtaken,
}
