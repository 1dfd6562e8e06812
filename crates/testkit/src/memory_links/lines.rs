//! The lines of an audit trail.

use slugline_domain::{AuditLine, AuditNote, AuditQuery, LinkKey, UnixMillis};

/// The lines of a link store in memory.
#[derive(Debug, Default)]
pub(super) struct MemoryLines {
    lines: Vec<AuditLine>,
    last_number: i64,
}

impl MemoryLines {
    pub(super) fn add(&mut self, note: &AuditNote, key: Option<&LinkKey>) {
        self.last_number += 1;
        self.lines.push(note.line(self.last_number, key));
    }

    pub(super) fn chosen(&self, query: &AuditQuery) -> Vec<AuditLine> {
        query.page(&self.lines)
    }

    pub(super) fn remove_before(&mut self, moment: UnixMillis, limit: u32) -> u64 {
        self.lines.sort_by_key(|line| (line.at, line.number));
        let old = self.lines.iter().take_while(|line| line.at < moment);
        let removed = old
            .count()
            .min(usize::try_from(limit).unwrap_or(usize::MAX));
        self.lines.drain(..removed);
        u64::try_from(removed).unwrap_or(u64::MAX)
    }
}
