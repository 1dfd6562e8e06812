//! The injected faults and their outcomes.

use std::{collections::BTreeMap, fmt::Display};

use super::{operation::Reply, promise::Promise};

/// Counts by fault and operation, and every error found.
#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: BTreeMap<(String, String), Row>,
    wrongs: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Row {
    /// Faults that struck.
    pub(crate) injected: u64,
    pub(crate) acknowledged: u64,
    pub(crate) refused: u64,
    /// Requests without an answer because the service was dead.
    pub(crate) unanswered: u64,
    /// Acknowledged, but not stored.
    pub(crate) lost: u64,
    /// Not acknowledged, and the stored version is neither the old nor the requested one, or
    /// views of it differ.
    pub(crate) muddled: u64,
}

impl Table {
    pub(crate) fn row(&mut self, fault: impl Display, operation: impl Display) -> &mut Row {
        let key = (fault.to_string(), operation.to_string());
        self.rows.entry(key).or_default()
    }

    /// Records an error that concerns no promise.
    pub(crate) fn wrong(&mut self, wrong: String) {
        self.wrongs.push(wrong);
    }

    /// Records a broken promise.
    pub(crate) fn broken(
        &mut self,
        fault: &str,
        operation: &str,
        promise: &Promise,
        wrong: String,
    ) {
        let row = self.row(fault, operation);
        if promise.acknowledged {
            row.lost += 1;
        } else {
            row.muddled += 1;
        }
        self.wrong(wrong);
    }

    /// The sum of all rows.
    fn sum(&self) -> Row {
        let mut sum = Row::default();
        for row in self.rows.values() {
            sum.injected += row.injected;
            sum.acknowledged += row.acknowledged;
            sum.refused += row.refused;
            sum.unanswered += row.unanswered;
            sum.lost += row.lost;
            sum.muddled += row.muddled;
        }
        sum
    }

    /// Prints the table, and fails if a promise was broken or if too few faults or refusals
    /// happened to prove anything.
    #[expect(clippy::print_stdout, reason = "the table is what people look for")]
    pub(crate) fn conclude(&self, seed: u64, injected: u64, refused: u64) {
        const SHOWN: usize = 20;

        for ((fault, operation), row) in &self.rows {
            println!("{fault:<30} | {operation:<18} | {row}");
        }
        let sum = self.sum();
        let wrongs = self.wrongs.len();
        let shown = &self.wrongs[..wrongs.min(SHOWN)];
        assert!(
            wrongs == 0 && sum.lost == 0 && sum.muddled == 0,
            "{wrongs} times wrong, SLUGLINE_TEST_SEED={seed}: {sum}\n{}",
            shown.join("\n")
        );
        assert!(sum.injected >= injected, "too few faults: {sum}");
        assert!(
            sum.refused + sum.unanswered >= refused,
            "too few refusals: {sum}"
        );
        assert!(sum.acknowledged > 0, "nothing was acknowledged: {sum}");
    }
}

impl Row {
    pub(crate) fn count(&mut self, reply: &Reply) {
        match reply {
            Reply::Acknowledged => self.acknowledged += 1,
            Reply::Refused => self.refused += 1,
            Reply::Unanswered(_) => self.unanswered += 1,
            // The table lists it separately.
            Reply::Improper(_) => {}
        }
    }
}

impl std::fmt::Display for Row {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            injected,
            acknowledged,
            refused,
            unanswered,
            lost,
            muddled,
        } = self;
        write!(
            formatter,
            "injected {injected:>5}, acknowledged {acknowledged:>5}, refused {refused:>5}, \
             unanswered {unanswered:>4}, lost {lost}, muddled {muddled}"
        )
    }
}
