//! A digest tells one file of visits from another.

use sha2::{Digest, Sha256};
use slugline_domain::StoredVisit;

use crate::columns::visit_columns;

/// The number of visits that become durable together. As many rows make a chunk.
pub const BATCH: u64 = 16_384;

/// A file that was read to its end and has no fault.
///
/// Its visits, in their order, identify it: it is the same file in another format, packed or not,
/// or written by a version with further columns that are all unknown.
#[derive(Clone, Debug)]
pub struct ImportPlan {
    /// The digest of the visits up to the end of each batch.
    pub batches: Vec<[u8; 32]>,
    rows: u64,
}

/// A plan that is being made.
#[derive(Debug, Default)]
pub struct ImportPlanner {
    running: Running,
    batches: Vec<[u8; 32]>,
}

/// The digest of the visits so far.
#[derive(Clone, Debug, Default)]
pub struct Running {
    digest: Sha256,
    pub rows: u64,
}

impl ImportPlan {
    /// The number of visits.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The digest of the whole file.
    pub fn digest(&self) -> [u8; 32] {
        let last = self.batches.last().copied();
        last.unwrap_or_else(|| Running::default().so_far())
    }
}

impl ImportPlanner {
    /// Adds the next visit of the file.
    pub fn add(&mut self, visit: &StoredVisit) {
        self.running.add(visit);
        if self.running.rows.is_multiple_of(BATCH) {
            self.batches.push(self.running.so_far());
        }
    }

    /// Completes the plan at the end of the file.
    pub fn finish(mut self) -> ImportPlan {
        if !self.running.rows.is_multiple_of(BATCH) {
            self.batches.push(self.running.so_far());
        }
        ImportPlan {
            batches: self.batches,
            rows: self.running.rows,
        }
    }
}

impl Running {
    pub fn add(&mut self, visit: &StoredVisit) {
        let StoredVisit {
            at,
            link,
            visitor,
            interval,
            coherent,
            texts,
        } = visit;
        self.digest.update(at.get().to_le_bytes());
        self.digest.update(visitor.to_le_bytes());
        self.digest.update(interval.get().to_le_bytes());
        self.digest.update([u8::from(*coherent)]);
        self.text(link);
        for (column, text) in visit_columns().iter().zip(texts.iter()) {
            if text != column.unknown() {
                self.text(column.name);
                self.text(text);
            }
        }
        // No column has an empty name.
        self.text("");
        self.rows += 1;
    }

    pub fn so_far(&self) -> [u8; 32] {
        self.digest.clone().finalize().into()
    }

    fn text(&mut self, text: &str) {
        let length = u64::try_from(text.len()).unwrap_or(u64::MAX);
        self.digest.update(length.to_le_bytes());
        self.digest.update(text);
    }
}

#[cfg(test)]
mod tests {
    use slugline_domain::{SamplingInterval, UnixMillis, VisitColumn, VisitTexts};

    use super::*;

    fn visit(number: i64) -> StoredVisit {
        let texts = visit_columns().iter().map(VisitColumn::unknown);
        StoredVisit {
            at: UnixMillis::new(number),
            link: "a".into(),
            visitor: 7,
            interval: SamplingInterval::EVERY,
            coherent: true,
            texts: texts.collect(),
        }
    }

    fn plan(visits: &[StoredVisit]) -> ImportPlan {
        let mut planner = ImportPlanner::default();
        for visit in visits {
            planner.add(visit);
        }
        planner.finish()
    }

    #[test]
    fn a_file_is_known_by_its_visits_and_their_order() {
        let visits: Vec<StoredVisit> = (0..3).map(visit).collect();
        let whole = plan(&visits);
        assert_eq!((whole.rows(), whole.batches.len()), (3, 1));
        let mut turned = visits.clone();
        turned.reverse();
        let others = [&visits[..2], &turned, &[]].map(plan);
        for other in others {
            assert_ne!(other.digest(), whole.digest());
        }
        // A version without some columns read the same.
        let older = visits.into_iter().map(|visit| StoredVisit {
            texts: VisitTexts::default(),
            ..visit
        });
        assert_eq!(plan(&older.collect::<Vec<_>>()).digest(), whole.digest());
    }

    #[test]
    fn a_large_file_is_known_batch_by_batch() {
        let all = i64::try_from(BATCH).unwrap() * 2;
        let planned = plan(&(0..all).map(visit).collect::<Vec<_>>());
        assert_eq!(planned.batches.len(), 2);
        let more = plan(&(0..=all).map(visit).collect::<Vec<_>>());
        assert_eq!(more.batches.len(), 3);
        assert_eq!(more.batches[..2], planned.batches[..]);
    }
}
