//! One salt for all nodes, or a visitor whom two nodes see would be two.
//!
//! ClickHouse has no unique keys, but it takes an insertion once for each
//! token. So every node offers a salt under a token made of the period, the
//! first offer wins, and all read it back. What nodes use until they have
//! reached ClickHouse is their own.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use rusqlite::Connection;
use slugline_domain::{
    UnixMillis,
    ports::{Clock, Random},
};

use super::{
    client::Client,
    error::ClickHouseError,
    row_binary::{Cursor, DecodeError, number, put_bytes, put_text},
    schema::PATIENCE,
    shipper::ShipError,
    sql,
};
use crate::{
    engine::salts,
    salt::{SaltPeriod, SaltSpan},
    visitor::VisitorKey,
};

/// The salt of a period is agreed upon so long before it begins, so that it is
/// there when the first visit comes.
const LEAD_MS: i64 = 3_600_000;

/// What a node knows of the salts that all share.
#[derive(Debug)]
pub(super) struct SharedSalts {
    period: SaltPeriod,
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
    agreed: Vec<SaltSpan>,
    /// Says to the writer that a salt is another one now.
    changed: Arc<AtomicBool>,
}

impl SharedSalts {
    pub(super) fn new(
        period: SaltPeriod,
        clock: Arc<dyn Clock>,
        random: Arc<dyn Random>,
        changed: Arc<AtomicBool>,
    ) -> Self {
        Self {
            period,
            clock,
            random,
            agreed: Vec::new(),
            changed,
        }
    }

    /// Sees to it that the salts of now and soon are those of all nodes, and
    /// that those of the past are nobody's.
    pub(super) async fn agree(
        &mut self,
        client: &Client,
        // A connection may move between threads, but not be seen by two.
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
            let salt = settle(client, self.period, span, &offer).await?;
            if ours.as_ref() != Some(&salt) {
                salts::store(spool, self.period, span, &salt)?;
                self.changed.store(true, Ordering::Release);
            }
            self.agreed.push(span);
            forget_ended(client, now).await?;
        }
        self.agreed.retain(|span| span.end_ms > now.get());
        Ok(())
    }

    fn fresh(&self) -> Vec<u8> {
        let mut salt = vec![0; VisitorKey::SALT_BYTES];
        self.random.fill(&mut salt);
        salt
    }
}

/// Offers a salt and gives the one that won.
async fn settle(
    client: &Client,
    period: SaltPeriod,
    span: SaltSpan,
    offer: &[u8],
) -> Result<Vec<u8>, ClickHouseError> {
    let (period, start) = (period.as_str(), span.start_ms);
    let mut row = Vec::new();
    put_text(&mut row, period);
    row.extend_from_slice(&start.to_le_bytes());
    row.extend_from_slice(&span.end_ms.to_le_bytes());
    put_bytes(&mut row, offer);
    let token = format!("salt {period} {start}");
    let into = "slugline_salt (period, start_ms, end_ms, salt)";
    client.insert(into, &token, row, PATIENCE).await?;
    // Where tokens have been forgotten there may be two; all take the older.
    let winner = format!(
        "SELECT salt FROM slugline_salt WHERE period = {} AND start_ms = toInt64('{start}') \
         ORDER BY offered_at, salt LIMIT 1",
        sql::text(period)
    );
    let salts = client.rows(&winner, PATIENCE, salt).await?;
    salts.into_iter().next().ok_or(DecodeError::Short.into())
}

fn salt(row: &mut Cursor<'_>) -> Result<Vec<u8>, DecodeError> {
    let salt = row.bytes()?;
    let long_enough = salt.len() == VisitorKey::SALT_BYTES;
    long_enough
        .then(|| salt.to_vec())
        .ok_or(DecodeError::OutOfRange)
}

/// Deletes salts whose period is over, for good: a mutation rewrites the files.
async fn forget_ended(client: &Client, now: UnixMillis) -> Result<(), ClickHouseError> {
    let now = now.get();
    let ended = format!("SELECT count() FROM slugline_salt WHERE end_ms <= {now}");
    if client.rows(&ended, PATIENCE, number).await? != [0] {
        let delete = format!("ALTER TABLE slugline_salt DELETE WHERE end_ms <= {now}");
        client.run(&delete, PATIENCE).await?;
    }
    Ok(())
}
