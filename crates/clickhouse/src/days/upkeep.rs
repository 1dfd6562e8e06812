//! Counts days in the background.
//!
//! Every node does this. Nodes need no lock: two that count the same day do the same work twice, and
//! either count is right. A random rest before each round makes that rare.

use std::{
    collections::HashSet,
    error::Error as StdError,
    future,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use slugline_analytics::{reminder::Reminder, utc::day_of};
use slugline_domain::ports::{Clock, Random};

use super::{
    apart::compare,
    background,
    count::count,
    fingerprint::{Fingerprint, Projection, prepare},
    over::{self, Over, days_before},
    stale::remove_stale,
};
use crate::{client::Client, error::ClickHouseError};

/// The rest between two rounds, and the most that chance adds.
const REST: Duration = Duration::from_mins(1);
const MORE_REST_MS: u64 = 60_000;

/// The time after its end at which a day is counted: most nodes have sent its last visits.
const AFTER_MIDNIGHT_MS: i64 = 600_000;

/// The days between two messages of progress.
const DAYS_PER_MESSAGE: usize = 10;

/// `true` while questions may take days from totals: the projection has every visit.
pub(crate) type Ready = Arc<AtomicBool>;

/// The visits from which on totals are worth their room: of a day, and of a link on a day.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Least {
    pub(crate) of_day: u64,
    pub(crate) of_link: u64,
}

impl Default for Least {
    fn default() -> Self {
        Self {
            of_day: 10_000,
            of_link: 5_000,
        }
    }
}

/// A node's work on day totals.
#[derive(Debug)]
pub(crate) struct Upkeep {
    client: Client,
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
    ready: Ready,
    least: Least,
    /// The days to work on at the latest look. A day is counted once its visits stay the same
    /// from one look to the next.
    seen: HashSet<Fingerprint>,
    /// The table cannot have totals.
    impossible: bool,
    refusals: Reminder,
}

impl Upkeep {
    pub(crate) fn new(
        client: Client,
        clock: Arc<dyn Clock>,
        random: Arc<dyn Random>,
        ready: Ready,
        least: Least,
    ) -> Self {
        Self {
            client,
            clock,
            random,
            ready,
            least,
            seen: HashSet::new(),
            impossible: false,
            refusals: Reminder::default(),
        }
    }

    /// Works until it is dropped. The first round only looks, so that questions take totals soon after
    /// a start.
    pub(crate) async fn run(&mut self) {
        while !self.impossible {
            match self.round().await {
                Ok(()) => {
                    self.refusals.works();
                }
                Err(error) => {
                    if self.refusals.failed(Instant::now()).is_some() {
                        let error: &(dyn StdError + 'static) = &error;
                        tracing::warn!(
                            error,
                            "ClickHouse does not count days; questions scan visits instead"
                        );
                    }
                }
            }
            let more = background::number(self.random.as_ref()) % MORE_REST_MS;
            tokio::time::sleep(REST + Duration::from_millis(more)).await;
        }
        future::pending::<()>().await;
    }

    /// Removes totals that are out of date, and counts the days that are over.
    pub(crate) async fn round(&mut self) -> Result<(), ClickHouseError> {
        if !self.ready.load(Ordering::Acquire) && !self.prepare().await? {
            return Ok(());
        }
        remove_stale(&self.client).await?;
        self.count_days().await
    }

    /// Prepares the table. Returns whether questions may take totals.
    async fn prepare(&mut self) -> Result<bool, ClickHouseError> {
        match prepare(&self.client).await? {
            Projection::Complete => {
                self.ready.store(true, Ordering::Release);
                return Ok(true);
            }
            Projection::UnderWay(visits) => {
                tracing::info!(visits, "ClickHouse prepares older visits for day totals");
            }
            Projection::Impossible => {
                tracing::info!(
                    "ClickHouse keeps no day totals, because it is too old or its table of visits \
                     is no MergeTree; questions scan visits"
                );
                self.impossible = true;
            }
        }
        Ok(false)
    }

    async fn count_days(&mut self) -> Result<(), ClickHouseError> {
        let today = day_of(self.clock.now().get().saturating_sub(AFTER_MIDNIGHT_MS));
        let mut found = days_before(&self.client, today).await?;
        found.retain(|day| !day.compared || self.counts(day));
        let before = std::mem::take(&mut self.seen);
        self.seen = found.iter().map(|day| day.fingerprint).collect();
        found.retain(|day| before.contains(&day.fingerprint));
        let days = found.len();
        let tells = days > DAYS_PER_MESSAGE;
        for (done, day) in found.iter().enumerate() {
            if tells && done % DAYS_PER_MESSAGE == 0 {
                tracing::info!(done, days, "ClickHouse counts the visits of older days");
            }
            self.work_on(day).await?;
        }
        if tells {
            tracing::info!(days, "ClickHouse has counted the visits of older days");
        }
        Ok(())
    }

    /// Compares and counts a day, unless another node has done so meanwhile or its visits changed.
    async fn work_on(&self, day: &Over) -> Result<(), ClickHouseError> {
        let of = day.fingerprint;
        let now = over::day(&self.client, of.day).await?;
        let Some(now) = now.filter(|now| now.fingerprint == of) else {
            return Ok(());
        };
        let number = background::number(self.random.as_ref());
        if !now.compared {
            compare(&self.client, of, number).await?;
        }
        if self.counts(&now) {
            count(&self.client, of, number, self.least.of_link).await?;
        }
        Ok(())
    }

    /// Returns whether a day needs a count.
    fn counts(&self, day: &Over) -> bool {
        !day.counted && day.fingerprint.rows >= self.least.of_day
    }
}
