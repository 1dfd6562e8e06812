//! A prober that sends no request.

use std::{collections::HashMap, sync::Mutex, time::Duration};

use async_trait::async_trait;
use slugline_domain::{ProbeFailure, ProbeOutcome, ProbeRequest, ports::LinkProber};

/// Returns scripted answers, and 200 for all other destinations.
#[derive(Debug, Default)]
pub struct ScriptedProber {
    answers: Mutex<HashMap<String, Result<u16, ProbeFailure>>>,
    asked: Mutex<Vec<ProbeRequest>>,
}

impl ScriptedProber {
    /// Sets the answer of a destination.
    ///
    /// # Panics
    /// A test panicked while it held the lock.
    pub fn answer(&self, destination: &str, result: Result<u16, ProbeFailure>) {
        let mut answers = self.answers.lock().expect(UNPOISONED);
        answers.insert(destination.to_owned(), result);
    }

    /// The requests so far, in no particular order.
    ///
    /// # Panics
    /// A test panicked while it held the lock.
    pub fn asked(&self) -> Vec<ProbeRequest> {
        self.asked.lock().expect(UNPOISONED).clone()
    }
}

const UNPOISONED: &str = "no test panics while holding the lock";

#[async_trait]
impl LinkProber for ScriptedProber {
    async fn probe(&self, request: ProbeRequest) -> ProbeOutcome {
        let answers = self.answers.lock().expect(UNPOISONED);
        let told = answers.get(request.destination.as_str()).cloned();
        self.asked.lock().expect(UNPOISONED).push(request);
        ProbeOutcome {
            result: told.unwrap_or(Ok(200)),
            duration: Duration::from_millis(5),
        }
    }
}
