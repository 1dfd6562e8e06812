//! Former versions of links.

use std::{cmp::Reverse, collections::HashSet};

use slugline_domain::{
    AuditNote, Ending, FormerVersion, Keeping, Link, LinkId, Revision, TrashPosition, TrashQuery,
    UnixMillis,
};

/// The former versions of a link store in memory, the oldest first.
#[derive(Debug, Default)]
pub(crate) struct MemoryVersions {
    pub(crate) keeping: Keeping,
    versions: Vec<FormerVersion>,
    last_number: i64,
}

impl MemoryVersions {
    /// Keeps a link as it was before a change.
    pub(crate) fn keep(&mut self, link: Link, note: &AuditNote, is_deleted: bool) {
        if self.keeping.versions == 0 || is_deleted && !self.keeping.has_trash() {
            if is_deleted {
                self.forget(&link.id);
            }
            return;
        }
        self.last_number += 1;
        let id = link.id.clone();
        self.versions.push(FormerVersion {
            number: self.last_number,
            link,
            end: Ending::by(note),
            is_deleted,
        });
        if !is_deleted {
            let kept = self.of(&id).nth(self.keeping.versions.into());
            let last = kept.map(|version| version.number);
            let is_old = |version: &FormerVersion| Some(version.number) <= last;
            self.versions
                .retain(|version| version.link.id != id || !is_old(version));
        }
    }

    /// The versions of a link, the newest first.
    pub(crate) fn of(&self, id: &LinkId) -> impl Iterator<Item = &FormerVersion> {
        let versions = self.versions.iter().rev();
        versions.filter(move |version| version.link.id == *id)
    }

    /// The links in the trash that no link has the identity of.
    pub(crate) fn trash(
        &self,
        query: &TrashQuery,
        is_there: impl Fn(&LinkId) -> bool,
    ) -> Vec<FormerVersion> {
        let mut seen = HashSet::new();
        let newest = self.versions.iter().rev();
        let last = newest.filter(|version| seen.insert(&version.link.id));
        let met = last.filter(|version| {
            let link = &version.link;
            let position = |at: TrashPosition| (at.deleted_at, at.number);
            let own = position(TrashPosition::after(version));
            version.is_deleted
                && !is_there(&link.id)
                && query.reach.holds(link)
                && query
                    .domain
                    .as_ref()
                    .is_none_or(|one| *one == link.key.domain)
                && query.after.is_none_or(|after| own < position(after))
        });
        let mut met: Vec<_> = met.cloned().collect();
        met.sort_by_key(|version| Reverse((version.end.at, version.number)));
        met.truncate(usize::try_from(query.limit).unwrap_or(usize::MAX));
        met
    }

    /// The link in the trash that had this revision last.
    pub(crate) fn in_trash(&self, id: &LinkId, last: Revision) -> bool {
        let newest = self.of(id).next();
        newest.is_some_and(|one| one.is_deleted && one.link.revision == last)
    }

    /// Takes a link out of the trash.
    pub(crate) fn take_out(&mut self, id: &LinkId, note: &AuditNote) {
        let mut newest = self.versions.iter_mut().rev();
        if let Some(version) = newest.find(|version| version.link.id == *id) {
            version.is_deleted = false;
            version.end = Ending::by(note);
        }
    }

    /// Removes the versions of a link.
    pub(crate) fn forget(&mut self, id: &LinkId) {
        self.versions.retain(|version| version.link.id != *id);
    }

    pub(crate) fn remove_old(&mut self, now: UnixMillis, limit: u32) -> u64 {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let removed = if self.keeping.versions == 0 {
            self.versions
                .drain(..limit.min(self.versions.len()))
                .count()
        } else {
            let before = self.keeping.ends_before(now);
            let is_old = |one: &&FormerVersion| one.is_deleted && one.end.at < before;
            let old = self.versions.iter().filter(is_old).take(limit);
            let old: Vec<FormerVersion> = old.cloned().collect();
            let goes = |version: &FormerVersion| {
                old.iter()
                    .any(|last| version.link.id == last.link.id && version.number <= last.number)
            };
            self.versions.retain(|version| !goes(version));
            old.len()
        };
        u64::try_from(removed).unwrap_or(u64::MAX)
    }
}
