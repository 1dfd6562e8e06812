//! The settings of the recorder, and the ports that it needs.

use std::{num::NonZeroU32, sync::Arc, time::Duration};

use slugline_domain::ports::{Clock, PlaceFinder, Random, VisitObserver};

use crate::{salt::SaltPeriod, sampling::SamplingTargets};

/// The settings of the recorder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
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

impl RecorderOptions {
    /// Sets [`queue`](Self#structfield.queue).
    #[must_use]
    pub fn with_queue(mut self, queue: usize) -> Self {
        self.queue = queue;
        self
    }

    /// Sets [`queue_bytes`](Self#structfield.queue_bytes).
    #[must_use]
    pub fn with_queue_bytes(mut self, queue_bytes: usize) -> Self {
        self.queue_bytes = queue_bytes;
        self
    }

    /// Sets [`batch_rows`](Self#structfield.batch_rows).
    #[must_use]
    pub fn with_batch_rows(mut self, batch_rows: usize) -> Self {
        self.batch_rows = batch_rows;
        self
    }

    /// Sets [`batch_age`](Self#structfield.batch_age).
    #[must_use]
    pub fn with_batch_age(mut self, batch_age: Duration) -> Self {
        self.batch_age = batch_age;
        self
    }

    /// Sets [`rows_per_chunk`](Self#structfield.rows_per_chunk).
    #[must_use]
    pub fn with_rows_per_chunk(mut self, rows_per_chunk: usize) -> Self {
        self.rows_per_chunk = rows_per_chunk;
        self
    }

    /// Sets [`sampling`](Self#structfield.sampling).
    #[must_use]
    pub fn with_sampling(mut self, sampling: SamplingTargets) -> Self {
        self.sampling = sampling;
        self
    }

    /// Sets [`skip_bots`](Self#structfield.skip_bots).
    #[must_use]
    pub fn with_skip_bots(mut self, skip_bots: bool) -> Self {
        self.skip_bots = skip_bots;
        self
    }

    /// Sets [`salt_period`](Self#structfield.salt_period).
    #[must_use]
    pub fn with_salt_period(mut self, salt_period: SaltPeriod) -> Self {
        self.salt_period = salt_period;
        self
    }

    /// Sets [`retention_days`](Self#structfield.retention_days).
    #[must_use]
    pub fn with_retention_days(mut self, retention_days: impl Into<Option<NonZeroU32>>) -> Self {
        self.retention_days = retention_days.into();
        self
    }

    /// Sets [`shutdown_timeout`](Self#structfield.shutdown_timeout).
    #[must_use]
    pub fn with_shutdown_timeout(mut self, shutdown_timeout: Duration) -> Self {
        self.shutdown_timeout = shutdown_timeout;
        self
    }
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
#[non_exhaustive]
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

impl QueryLimits {
    /// Sets [`concurrent`](Self#structfield.concurrent).
    #[must_use]
    pub fn with_concurrent(mut self, concurrent: usize) -> Self {
        self.concurrent = concurrent;
        self
    }

    /// Sets [`deadline`](Self#structfield.deadline).
    #[must_use]
    pub fn with_deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// Sets [`memory`](Self#structfield.memory).
    #[must_use]
    pub fn with_memory(mut self, memory: usize) -> Self {
        self.memory = memory;
        self
    }
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
