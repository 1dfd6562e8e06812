//! Salts that all nodes share. With different salts, a visitor of two nodes would count as two.
//!
//! ClickHouse has no unique keys, but it accepts one insertion for each token.
//! So every node that finds no salt offers one under a token made of the period
//! and the hour. The first offer wins, and all nodes read it back. Without the
//! hour, a salt that was deleted too early could not be replaced. A node uses
//! its own salt until it has reached ClickHouse.
//!
//! While any node runs, the first node that notices deletes an ended salt within a minute, or up to
//! a day later if its clock may be wrong.

use std::{
    error::Error as StdError,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use rusqlite::Connection;
use slugline_analytics::{
    SaltPeriod,
    journal::{clock::SaltClock, salts},
    reminder::Reminder,
    salt::SaltSpan,
    visitor::VisitorKey,
};
use slugline_domain::{
    UnixMillis,
    ports::{Clock, Random},
};

use crate::{
    client::Client,
    error::{ClickHouseError, ShipError},
    row_binary::{Cursor, DecodeError, number, put_bytes, put_text},
    sql,
};

/// The lead time with which nodes agree on the salt of a period, so that it exists at the first
/// visit.
const LEAD_MS: i64 = HOUR_MS;

const HOUR_MS: i64 = 3_600_000;

/// The time for ClickHouse to delete salts before it is asked again.
const DELETION_MS: i64 = 60_000;

/// A node's knowledge of the shared salts.
#[derive(Debug)]
pub(crate) struct SharedSalts {
    period: SaltPeriod,
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
    salt_clock: SaltClock,
    agreed: Vec<SaltSpan>,
    /// The time of the last deletion, which takes ClickHouse a moment.
    deleted_at_ms: Option<i64>,
    /// Warns while deletions fail.
    deletion: Reminder,
    /// Tells the writer that a salt has changed.
    changed: Arc<AtomicBool>,
}

impl SharedSalts {
    pub(crate) fn new(
        period: SaltPeriod,
        clock: Arc<dyn Clock>,
        random: Arc<dyn Random>,
        changed: Arc<AtomicBool>,
    ) -> Self {
        Self {
            period,
            clock,
            random,
            salt_clock: SaltClock::default(),
            agreed: Vec::new(),
            deleted_at_ms: None,
            deletion: Reminder::default(),
            changed,
        }
    }

    /// Makes this node use the shared salts for the current and the next period, and deletes
    /// those of the past.
    pub(crate) async fn agree(
        &mut self,
        client: &Client,
        // A connection can move between threads, but two threads cannot share it.
        spool: &mut Connection,
    ) -> Result<(), ShipError> {
        let now = self.clock.now();
        let soon = UnixMillis::new(now.get() + LEAD_MS);
        for span in [now, soon].map(|moment| self.period.span_at(moment)) {
            if self.agreed.contains(&span) {
                continue;
            }
            let ours = salts::stored(spool, self.period, span)?;
            let offer = ours.clone().unwrap_or_else(|| self.fresh());
            let salt = agree_on(client, self.period, span, &offer, now).await?;
            if ours.as_ref() != Some(&salt) {
                salts::store(spool, self.period, span, &salt)?;
                self.changed.store(true, Ordering::Release);
            }
            self.agreed.push(span);
        }
        self.agreed.retain(|span| span.end_ms > now.get());
        let ended = self.salt_clock.ended_before(spool, now)?;
        self.forget_ended(client, now, ended).await;
        Ok(())
    }

    /// Deletes ended salts. If that fails, the shipper still sends visits, and tries again with the
    /// next shipment.
    async fn forget_ended(&mut self, client: &Client, now: UnixMillis, ended: UnixMillis) {
        let just_deleted = |at: i64| now.get().abs_diff(at) < DELETION_MS.unsigned_abs();
        if self.deleted_at_ms.is_some_and(just_deleted) {
            return;
        }
        match delete_ended(client, self.period, ended).await {
            Ok(deleted) => {
                self.deletion.works();
                self.deleted_at_ms = deleted.then_some(now.get());
            }
            Err(error) => {
                if self.deletion.failed(Instant::now()).is_some() {
                    let error: &(dyn StdError + 'static) = &error;
                    tracing::warn!(error, "an ended salt cannot be deleted from ClickHouse yet");
                }
            }
        }
    }

    fn fresh(&self) -> Vec<u8> {
        let mut salt = vec![0; VisitorKey::SALT_BYTES];
        self.random.fill(&mut salt);
        salt
    }
}

/// Returns the salt of a span, and offers one if there is none.
async fn agree_on(
    client: &Client,
    period: SaltPeriod,
    span: SaltSpan,
    offer: &[u8],
    now: UnixMillis,
) -> Result<Vec<u8>, ClickHouseError> {
    let (period, start) = (period.as_str(), span.start_ms);
    // Once ClickHouse has forgotten a token there may be two salts; all nodes
    // take the older one.
    let winner = format!(
        "SELECT salt FROM slugline_salt WHERE period = {} AND start_ms = toInt64('{start}') \
         ORDER BY offered_at, salt LIMIT 1",
        sql::text(period)
    );
    if let Some(salt) = client.rows(&winner, client.timeout, salt).await?.pop() {
        return Ok(salt);
    }
    let mut row = Vec::new();
    put_text(&mut row, period);
    row.extend_from_slice(&start.to_le_bytes());
    row.extend_from_slice(&span.end_ms.to_le_bytes());
    put_bytes(&mut row, offer);
    let hour = now.get().div_euclid(HOUR_MS);
    let token = format!("salt {period} {start} {hour}");
    let into = "slugline_salt (period, start_ms, end_ms, salt)";
    client.insert(into, &token, row, client.timeout).await?;
    let salts = client.rows(&winner, client.timeout, salt).await?;
    salts.into_iter().next().ok_or(DecodeError::Short.into())
}

fn salt(row: &mut Cursor<'_>) -> Result<Vec<u8>, DecodeError> {
    let salt = row.bytes()?;
    let long_enough = salt.len() == VisitorKey::SALT_BYTES;
    long_enough
        .then(|| salt.to_vec())
        .ok_or(DecodeError::OutOfRange)
}

/// Deletes salts that ended before a moment or have another length of period than this one. A
/// mutation rewrites the files, so nothing remains. Returns whether there were any.
///
/// ClickHouse's clock has to agree, so that a node whose clock is wrong for days does not end the
/// salts of all nodes.
async fn delete_ended(
    client: &Client,
    period: SaltPeriod,
    before: UnixMillis,
) -> Result<bool, ClickHouseError> {
    let ended = |before: i64| {
        let period = sql::text(period.as_str());
        format!("end_ms <= toInt64('{before}') OR period != {period}")
    };
    // A mutation of replicated tables cannot contain `now()`.
    let now = format!(
        "SELECT toUInt64(toUnixTimestamp(now())) FROM slugline_salt WHERE {} LIMIT 1",
        ended(before.get())
    );
    let Some(now) = client.rows(&now, client.timeout, number).await?.pop() else {
        return Ok(false);
    };
    let now_ms = i64::try_from(now).unwrap_or(i64::MAX).saturating_mul(1_000);
    let ended = ended(before.get().min(now_ms));
    let delete = format!("ALTER TABLE slugline_salt DELETE WHERE {ended}");
    client.run(&delete, client.timeout).await?;
    Ok(true)
}
