//! What an operator may choose, and what the recorder needs from outside.

use std::{num::NonZeroU32, sync::Arc, time::Duration};

use slugline_domain::ports::{Clock, PlaceFinder, Random, VisitObserver};

use crate::{SaltPeriod, SamplingTargets};

/// How visits are taken and stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecorderOptions {
    /// Visits that may wait for the writer; when so many wait, further ones
    /// are dropped and counted. There is room for eight million at most.
    pub queue: usize,
    /// Bytes that waiting visits may take; when they take so many, further
    /// visits are dropped and counted. An ordinary visit takes some 350 bytes,
    /// the largest 3.5 KiB; links are not counted, because their visits share
    /// them.
    pub queue_bytes: usize,
    /// A batch is stored as soon as it has this many visits, or its visits take
    /// a quarter of [`RecorderOptions::queue_bytes`].
    pub batch_rows: usize,
    /// A batch is stored at the latest when its first visit has waited this
    /// long. The default leaves a tenth of a second for the commit, so that a
    /// visit is durable within a second.
    pub batch_age: Duration,
    /// Rows of the tail that are sealed into one chunk.
    pub rows_per_chunk: usize,
    /// From how many rows per minute visits are sampled.
    pub sampling: SamplingTargets,
    /// Whether visits of bots are left out: neither stored nor told of.
    pub skip_bots: bool,
    /// How long a visitor is recognised.
    pub salt_period: SaltPeriod,
    /// Days that rows are kept; `None` keeps them for good. A row goes within
    /// a day after that, or two if the clock has jumped or the log cannot tell
    /// whether it is right.
    pub retention_days: Option<NonZeroU32>,
    /// How long a shutdown keeps trying to store what is left when the disk
    /// refuses. What is then still left is dropped and counted.
    pub shutdown_patience: Duration,
}

impl Default for RecorderOptions {
    fn default() -> Self {
        Self {
            queue: 65_536,
            queue_bytes: 64 << 20,
            batch_rows: 16_384,
            batch_age: Duration::from_millis(900),
            rows_per_chunk: 65_536,
            sampling: SamplingTargets::default(),
            skip_bots: false,
            salt_period: SaltPeriod::default(),
            retention_days: None,
            shutdown_patience: Duration::from_secs(5),
        }
    }
}

/// What a recorder needs from outside.
#[derive(Clone, Debug)]
pub struct RecorderPorts {
    /// Tells when rows and salts end. Visits bring their own moment.
    pub clock: Arc<dyn Clock>,
    /// Where salts come from.
    pub random: Arc<dyn Random>,
    /// Tells where visitors are whom nobody else has placed.
    pub places: Option<Arc<dyn PlaceFinder>>,
    /// Who hears of each stored visit.
    pub observers: Vec<Arc<dyn VisitObserver>>,
}

impl RecorderPorts {
    /// The least that it needs: addresses are nowhere, nobody hears of visits.
    pub fn new(clock: Arc<dyn Clock>, random: Arc<dyn Random>) -> Self {
        Self {
            clock,
            random,
            places: None,
            observers: Vec::new(),
        }
    }
}

/// How much of the machine questions may take, so that a dashboard cannot
/// starve redirects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueryLimits {
    /// Questions answered at the same time; further ones wait their turn.
    pub concurrent: usize,
    /// From asking to giving up, the wait included.
    pub deadline: Duration,
}

impl Default for QueryLimits {
    fn default() -> Self {
        Self {
            concurrent: 2,
            deadline: Duration::from_secs(30),
        }
    }
}
