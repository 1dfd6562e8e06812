//! Gaps: times whose visits ClickHouse lacks in part, because nodes sampled them or could not store
//! them.
//!
//! A node records them in its spool, in the transaction that adds rows, and sends them before these
//! rows. So an answer that counts sampled rows also finds out that they were sampled.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior, params};
use slugline_analytics::{
    journal::{open::open_reader, remains::copy_sampled},
    losses::{self, Loss},
    sampled::{self, Span},
};
use slugline_domain::{SamplingInterval, VisitFilter, ports::Random};

use crate::{
    client::Client,
    error::{ClickHouseError, ShipError},
    row_binary::{Cursor, DecodeError, put_text},
    spool::new_token,
    sql::{gaps_of, text},
};

/// The gaps that concern a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gaps {
    /// The largest interval decided; 1 if nothing was sampled.
    pub(crate) interval_max: SamplingInterval,
    pub(crate) lost: u64,
}

impl Gaps {
    pub(crate) const NONE: Self = Self {
        interval_max: SamplingInterval::EVERY,
        lost: 0,
    };

    pub(crate) fn and(mut self, other: Self) -> Self {
        self.interval_max = self.interval_max.max(other.interval_max);
        self.lost = self.lost.saturating_add(other.lost);
        self
    }
}

/// The gaps that ClickHouse has, of all nodes. Ask after the rows were counted: nodes send a gap
/// before the rows that it is about.
pub(crate) async fn of_all_nodes(
    client: &Client,
    filter: &VisitFilter,
) -> Result<Gaps, ClickHouseError> {
    let Some(asked) = gaps_of(filter) else {
        return Ok(Gaps::NONE);
    };
    // All rows about sampling have the same identity, and a loss may be there twice.
    let sql = format!(
        "SELECT max(k), sum(l) FROM \
            (SELECT id, max(sampling_interval) AS k, max(lost) AS l FROM {asked} GROUP BY id)"
    );
    let read = |row: &mut Cursor<'_>| -> Result<Gaps, DecodeError> {
        let interval = SamplingInterval::new(row.u32()?);
        Ok(Gaps {
            interval_max: interval.unwrap_or(SamplingInterval::EVERY),
            lost: row.u64()?,
        })
    };
    let rows = client.rows(&sql, client.timeout, read).await?;
    // A statement of sums has one row.
    rows.first().copied().ok_or(DecodeError::Short.into())
}

/// The gaps that this node has not sent yet. Ask before [`of_all_nodes`], or one that is sent
/// meanwhile is missed.
pub(crate) fn of_spool(spool: &Path, filter: &VisitFilter) -> Result<Gaps, rusqlite::Error> {
    let spool = open_reader(spool)?;
    let interval_max = sampled::table::concerning(&spool, filter)?;
    let waiting = losses::table::concerning(&spool, filter)?;
    let under_way: Vec<Loss> = under_way(&spool)?
        .into_iter()
        .map(|(_, loss)| loss)
        .collect();
    let under_way = losses::among(&under_way, filter);
    Ok(Gaps {
        interval_max,
        lost: waiting.saturating_add(under_way),
    })
}

/// Deletes what names a link whose visits are erased.
pub(crate) async fn erase(client: &Client, link: &str) -> Result<(), ClickHouseError> {
    let delete = format!(
        "ALTER TABLE slugline_gap DELETE WHERE link_id = {}",
        text(link)
    );
    client.run(&delete, client.timeout).await
}

/// Sends the gaps of a spool.
pub(crate) async fn ship(
    client: &Client,
    spool: &mut Connection,
    random: &dyn Random,
) -> Result<(), ShipError> {
    name_losses(spool, random)?;
    let losses = under_way(spool)?;
    let spans = sampled::table::all(spool)?;
    if losses.is_empty() && spans.is_empty() {
        return Ok(());
    }
    let mut rows = Vec::new();
    for span in &spans {
        let (from, until, link, slug, interval) = span.values();
        put(&mut rows, (from, until), (link, slug), interval, (0, ""));
    }
    for (id, loss) in &losses {
        put(
            &mut rows,
            (loss.from, loss.until),
            ("", ""),
            0,
            (loss.visits, id),
        );
    }
    let into =
        "slugline_gap (from_minute, until_minute, link_id, slug, sampling_interval, lost, id)";
    client
        .insert(into, &new_token(random), rows, client.timeout)
        .await?;
    forget(spool, &spans, &losses)?;
    Ok(())
}

fn put(
    rows: &mut Vec<u8>,
    (from, until): (i64, i64),
    (link, slug): (&str, &str),
    interval: u32,
    (lost, id): (u64, &str),
) {
    rows.extend_from_slice(&from.to_le_bytes());
    rows.extend_from_slice(&until.to_le_bytes());
    put_text(rows, link);
    put_text(rows, slug);
    rows.extend_from_slice(&interval.to_le_bytes());
    rows.extend_from_slice(&lost.to_le_bytes());
    put_text(rows, id);
}

/// Gives each loss an identity before the first attempt to send it, so that every attempt sends the
/// same row.
fn name_losses(spool: &mut Connection, random: &dyn Random) -> Result<(), rusqlite::Error> {
    let tx = spool.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let losses = losses::table::all(&tx)?;
    if losses.is_empty() {
        return Ok(());
    }
    for loss in losses {
        insert_under_way(&tx, &new_token(random), &loss)?;
    }
    tx.execute("DELETE FROM loss", [])?;
    tx.commit()
}

fn insert_under_way(spool: &Connection, id: &str, loss: &Loss) -> Result<(), rusqlite::Error> {
    let visits = i64::try_from(loss.visits).unwrap_or(i64::MAX);
    spool.execute(
        "INSERT INTO loss_under_way (id, from_minute, until_minute, visits) VALUES (?1, ?2, ?3, ?4)",
        params![id, loss.from, loss.until, visits],
    )?;
    Ok(())
}

fn under_way(spool: &Connection) -> Result<Vec<(String, Loss)>, rusqlite::Error> {
    spool
        .prepare_cached("SELECT id, from_minute, until_minute, visits FROM loss_under_way")?
        .query_map([], |row| {
            let loss = Loss {
                from: row.get(1)?,
                until: row.get(2)?,
                visits: row.get::<_, i64>(3)?.unsigned_abs(),
            };
            Ok((row.get(0)?, loss))
        })?
        .collect()
}

/// Deletes what ClickHouse has. A span that has grown since stays, and is sent again.
fn forget(
    spool: &mut Connection,
    spans: &[Span],
    losses: &[(String, Loss)],
) -> Result<(), rusqlite::Error> {
    let tx = spool.transaction_with_behavior(TransactionBehavior::Immediate)?;
    sampled::table::remove(&tx, spans)?;
    for (id, _) in losses {
        tx.execute("DELETE FROM loss_under_way WHERE id = ?1", [id])?;
    }
    tx.commit()
}

/// Copies the gaps of a damaged spool to a new one. Returns a description of the loss.
pub(crate) fn copy(old: &Connection, new: &Connection) -> Result<Option<String>, rusqlite::Error> {
    let spans = copy_sampled(old, new)?;
    let losses = under_way(old);
    for (id, loss) in losses.iter().flatten() {
        insert_under_way(new, id, loss)?;
    }
    let complete = spans && losses.is_ok();
    Ok((!complete).then(|| "when visits that wait were sampled or lost".into()))
}
