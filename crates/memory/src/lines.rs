//! The lines of an audit trail.

use std::cmp::Reverse;

use slugline_domain::{
    AuditFilter, AuditLine, AuditNote, AuditPosition, AuditQuery, Slug, UnixMillis,
};

/// The lines of a link store in memory.
#[derive(Debug, Default)]
pub(crate) struct MemoryLines {
    lines: Vec<AuditLine>,
    last_number: i64,
}

impl MemoryLines {
    pub(crate) fn add(&mut self, note: &AuditNote, slug: Option<&Slug>) {
        self.last_number += 1;
        self.lines.push(AuditLine {
            at: note.at,
            number: self.last_number,
            author: note.author.clone(),
            operation: note.operation.as_str().to_owned(),
            slug: slug.cloned(),
            token: None,
        });
    }

    pub(crate) fn chosen(&self, query: &AuditQuery) -> Vec<AuditLine> {
        let mut chosen = self.lines.clone();
        chosen.retain(|line| meets(&query.filter, line));
        if let Some(AuditPosition { at, number }) = query.after {
            chosen.retain(|line| (line.at, line.number) < (at, number));
        }
        chosen.sort_by_key(|line| Reverse((line.at, line.number)));
        chosen.truncate(usize::try_from(query.limit).unwrap_or(usize::MAX));
        chosen
    }

    pub(crate) fn remove_before(&mut self, moment: UnixMillis, limit: u32) -> u64 {
        self.lines.sort_by_key(|line| (line.at, line.number));
        let old = self.lines.iter().take_while(|line| line.at < moment);
        let removed = old
            .count()
            .min(usize::try_from(limit).unwrap_or(usize::MAX));
        self.lines.drain(..removed);
        u64::try_from(removed).unwrap_or(u64::MAX)
    }
}

fn meets(filter: &AuditFilter, line: &AuditLine) -> bool {
    filter.from.is_none_or(|from| line.at >= from)
        && filter.until.is_none_or(|until| line.at < until)
        && (filter.slugs.is_empty()
            || line
                .slug
                .as_ref()
                .is_some_and(|slug| filter.slugs.contains(slug)))
        && filter
            .caller
            .as_ref()
            .is_none_or(|caller| *caller == line.author.caller)
        && filter
            .operation
            .is_none_or(|operation| operation.as_str() == line.operation)
}
