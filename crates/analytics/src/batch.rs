//! The visits that the writer stores together.

use slugline_domain::LinkId;

use crate::{losses::Loss, row::Kept, sampled::Pending};

/// Visits that become rows in one transaction, with the decisions to sample visits.
#[derive(Debug, Default)]
pub struct Batch {
    pub(crate) kept: Vec<Kept>,
    /// The memory of the visits, in bytes.
    pub(crate) bytes: usize,
    pub(crate) sampled: Pending,
}

impl From<Vec<Kept>> for Batch {
    /// Visits none of which was sampled.
    fn from(kept: Vec<Kept>) -> Self {
        Self {
            kept,
            ..Self::default()
        }
    }
}

impl Batch {
    /// Returns whether there is nothing to store.
    pub(crate) fn is_empty(&self) -> bool {
        self.kept.is_empty() && self.sampled.is_empty()
    }

    /// Drops the visits of a link.
    pub(crate) fn erase(&mut self, link: &LinkId) {
        self.kept
            .retain(|kept| kept.visit.link.id() != link.as_str());
        self.sampled.erase(link);
    }

    /// The visits that are lost with the batch, each as often as its row stands for. A visit that
    /// was sampled away counts where no row stands for it.
    pub(crate) fn losses(&self) -> impl Iterator<Item = Loss> {
        let of_rows = self.kept.iter().map(|kept| {
            let (at, interval) = (kept.visit.at, kept.sampled.interval);
            Loss::between(at, at, interval.get().into())
        });
        let spans = self.sampled.spans();
        let left_out = spans.map(|span| Loss {
            from: span.from,
            until: span.until,
            visits: 1,
        });
        of_rows.chain(left_out.filter(|_| self.kept.is_empty()))
    }

    /// The batch is durable.
    pub(crate) fn settle(&mut self) {
        self.sampled.settle();
        self.kept.clear();
        self.bytes = 0;
    }

    /// Forgets the visits.
    pub(crate) fn clear(&mut self) {
        self.kept.clear();
        self.sampled.clear();
        self.bytes = 0;
    }
}
