//! A visit sink in memory.

use std::sync::Mutex;

use slugline_domain::{Visit, ports::VisitSink};

/// Keeps every visit for the test to look at.
#[derive(Debug, Default)]
pub struct CollectedVisits(Mutex<Vec<Visit>>);

impl CollectedVisits {
    /// The visits so far, oldest first.
    ///
    /// # Panics
    /// A test panicked while it held the lock.
    pub fn taken(&self) -> Vec<Visit> {
        self.0
            .lock()
            .expect("no test panics while holding the lock")
            .clone()
    }
}

impl VisitSink for CollectedVisits {
    fn record(&self, visit: Visit) {
        self.0
            .lock()
            .expect("no test panics while holding the lock")
            .push(visit);
    }
}
