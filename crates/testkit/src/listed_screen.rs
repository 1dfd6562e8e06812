//! A screen with a list of dangerous destinations.

use std::sync::Mutex;

use async_trait::async_trait;
use slugline_domain::{Destination, ScreenVerdict, ports::DestinationScreen};

/// Warns of listed destinations, and finds all others harmless.
#[derive(Debug, Default)]
pub struct ListedScreen {
    flagged: Mutex<Vec<String>>,
    asked: Mutex<Vec<Destination>>,
    is_down: Mutex<bool>,
}

impl ListedScreen {
    /// Adds this destination to the list.
    ///
    /// # Panics
    /// A test panicked while it held the lock.
    pub fn flag(&self, destination: &str) {
        let mut flagged = self.flagged.lock().expect(UNPOISONED);
        flagged.push(destination.to_owned());
    }

    /// Answers [`ScreenVerdict::Unknown`] from now on.
    ///
    /// # Panics
    /// A test panicked while it held the lock.
    pub fn break_down(&self) {
        *self.is_down.lock().expect(UNPOISONED) = true;
    }

    /// The destinations judged so far.
    ///
    /// # Panics
    /// A test panicked while it held the lock.
    pub fn asked(&self) -> Vec<Destination> {
        self.asked.lock().expect(UNPOISONED).clone()
    }
}

const UNPOISONED: &str = "no test panics while holding the lock";

#[async_trait]
impl DestinationScreen for ListedScreen {
    async fn judge(&self, destinations: &[Destination]) -> Vec<ScreenVerdict> {
        self.asked
            .lock()
            .expect(UNPOISONED)
            .extend_from_slice(destinations);
        let is_down = *self.is_down.lock().expect(UNPOISONED);
        let flagged = self.flagged.lock().expect(UNPOISONED);
        let verdict = |destination: &Destination| {
            if is_down {
                ScreenVerdict::Unknown
            } else if flagged.iter().any(|listed| listed == destination.as_str()) {
                ScreenVerdict::Dangerous
            } else {
                ScreenVerdict::Harmless
            }
        };
        destinations.iter().map(verdict).collect()
    }
}
