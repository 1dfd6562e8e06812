//! The settings of the recorder, and the ports that it needs.

use std::{num::NonZeroU32, sync::Arc, time::Duration};

use slugline_domain::ports::{Clock, PlaceFinder, Random, VisitObserver};

use crate::{salt::SaltPeriod, sampling::SamplingTargets};

/// The settings of the recorder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecorderOptions {
    /// The most visits that may wait for the writer; further ones are dropped and counted. The
    /// limit is eight million.
    pub queue: usize,
    /// The most bytes that waiting visits may take; further visits are dropped and counted. An
    /// ordinary visit takes some 350 bytes, the largest 3.5 KiB. This does not count links,
    /// because their visits share them.
    pub queue_bytes: usize,
    /// A batch is stored as soon as it has this many visits, or its visits take
    /// a quarter of [`RecorderOptions::queue_bytes`].
    pub batch_rows: usize,
    /// A batch is stored at the latest when its first visit has waited this
    /// long. The default leaves a tenth of a second for the commit, so that a
    /// visit is durable within a second.
    pub batch_age: Duration,
    /// The number of rows of the tail that are sealed into one chunk. When their
    /// day is over, chunks become larger ones of up to four times as many rows.
    pub rows_per_chunk: usize,
    /// The rates, in rows per minute, above which visits are sampled.
    pub sampling: SamplingTargets,
    /// `true` leaves out visits of bots: they are neither stored nor reported
    /// to observers.
    pub skip_bots: bool,
    /// The period for which a visitor keeps one identity.
    pub salt_period: SaltPeriod,
    /// The days for which rows are kept; `None` keeps them for good. A row is
    /// deleted within a day after that, or two if the clock has jumped or the
    /// log cannot tell whether it is right.
    pub retention_days: Option<NonZeroU32>,
    /// The time for which a shutdown retries to store the rest while the disk
    /// refuses. Visits that are still left after it are dropped and counted.
    pub shutdown_timeout: Duration,
}

impl Default for RecorderOptions {
    fn default() -> Self {
        Self {
            queue: 65_536,
            queue_bytes: 64 << 20,
            batch_rows: 16_384,
            batch_age: Duration::from_millis(900),
            rows_per_chunk: 16_384,
            sampling: SamplingTargets::default(),
            skip_bots: false,
            salt_period: SaltPeriod::default(),
            retention_days: None,
            shutdown_timeout: Duration::from_secs(5),
        }
    }
}

/// The ports that a recorder needs.
#[derive(Clone, Debug)]
pub struct RecorderPorts {
    /// Decides when rows and salts end. Visits bring their own moment.
    pub clock: Arc<dyn Clock>,
    /// Makes salts.
    pub random: Arc<dyn Random>,
    /// Finds the places of visitors whose visits carry none.
    pub places: Option<Arc<dyn PlaceFinder>>,
    /// Observers of each stored visit.
    pub observers: Vec<Arc<dyn VisitObserver>>,
}

impl RecorderPorts {
    /// The required ports: without place finder and observers.
    pub fn new(clock: Arc<dyn Clock>, random: Arc<dyn Random>) -> Self {
        Self {
            clock,
            random,
            places: None,
            observers: Vec::new(),
        }
    }
}

/// Limits of questions, so that a dashboard cannot starve redirects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueryLimits {
    /// The most questions answered at the same time; further ones wait their
    /// turn.
    pub concurrent: usize,
    /// The time limit of a question, including its wait.
    pub deadline: Duration,
    /// The most bytes that all questions of that time may take for counting. Each has an equal
    /// share; numbers that do not fit it become estimates, and the answer says so. Rows of the
    /// answer and the few blocks of rows that are being read come on top.
    pub memory: usize,
}

impl Default for QueryLimits {
    fn default() -> Self {
        Self {
            concurrent: 2,
            deadline: Duration::from_secs(30),
            memory: 256 << 20,
        }
    }
}
