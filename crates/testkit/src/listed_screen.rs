//! A screen that goes by a list.

use std::sync::Mutex;

use async_trait::async_trait;
use slugline_domain::{Destination, ports::DestinationScreen};

/// Flags the destinations it was told of.
#[derive(Debug, Default)]
pub struct ListedScreen {
    flagged: Mutex<Vec<String>>,
    asked: Mutex<Vec<Destination>>,
}

impl ListedScreen {
    /// Flags this destination from now on.
    ///
    /// # Panics
    /// A test panicked while it held the lock.
    pub fn flag(&self, destination: &str) {
        let mut flagged = self.flagged.lock().expect(UNPOISONED);
        flagged.push(destination.to_owned());
    }

    /// The destinations that were asked about so far.
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
    async fn flags(&self, destination: &Destination) -> bool {
        self.asked
            .lock()
            .expect(UNPOISONED)
            .push(destination.clone());
        let flagged = self.flagged.lock().expect(UNPOISONED);
        flagged.iter().any(|listed| listed == destination.as_str())
    }
}
