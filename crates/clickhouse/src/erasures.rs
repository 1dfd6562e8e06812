//! Erases the visits of links from ClickHouse.
//!
//! An order stays in the spool until ClickHouse has no such visit. The node that has the order
//! writes it into a table of ClickHouse, and every node deletes what that table names, each minute:
//! a node that could not reach ClickHouse may send visits from before the order later. `ALTER TABLE
//! … DELETE` rewrites ClickHouse's files, so nothing of the visits remains there.

use std::{
    collections::{BTreeMap, HashSet},
    error::Error as StdError,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use rusqlite::{Connection, params};
use slugline_analytics::reminder::Reminder;
use slugline_domain::{LinkId, UnixMillis};
use tokio::sync::oneshot;

use crate::{
    client::Client,
    error::ClickHouseError,
    gaps,
    row_binary::{Cursor, IMPORTED_MS, put_text, text},
    sql,
};

/// The time between two looks for visits that other nodes sent late.
const LOOK_EVERY: Duration = Duration::from_mins(1);

/// The time for ClickHouse to delete visits before it is asked again.
const DELETION: Duration = Duration::from_mins(10);

/// A link, and the moment up to which its visits are to be erased.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Order {
    pub(crate) link: String,
    pub(crate) until_ms: i64,
}

impl Order {
    /// An imported visit is new at its import: one that comes after the order stays.
    fn condition(&self) -> String {
        let (link, until) = (sql::text(&self.link), self.until_ms);
        let until = format!("toInt64('{until}')");
        format!("(link_id = {link} AND ts_ms <= {until} AND {IMPORTED_MS} <= {until})")
    }
}

/// Adds an order to a spool. A later order for a link replaces the earlier one.
pub(crate) fn order(
    spool: &Connection,
    link: &LinkId,
    until: UnixMillis,
) -> Result<(), rusqlite::Error> {
    let order = Order {
        link: link.as_str().to_owned(),
        until_ms: until.get(),
    };
    copy(spool, &order)
}

/// Adds an order of another spool.
pub(crate) fn copy(spool: &Connection, order: &Order) -> Result<(), rusqlite::Error> {
    spool
        .prepare_cached(
            "INSERT INTO erasure (link_id, until_ms) VALUES (?1, ?2) \
             ON CONFLICT (link_id) DO UPDATE SET until_ms = max(until_ms, excluded.until_ms)",
        )?
        .execute(params![order.link, order.until_ms])?;
    Ok(())
}

/// The orders in a spool.
pub(crate) fn orders(spool: &Connection) -> Result<Vec<Order>, rusqlite::Error> {
    spool
        .prepare_cached("SELECT link_id, until_ms FROM erasure")?
        .query_map([], |row| {
            Ok(Order {
                link: row.get(0)?,
                until_ms: row.get(1)?,
            })
        })?
        .collect()
}

fn remove(spool: &Connection, order: &Order) -> Result<(), rusqlite::Error> {
    spool
        .prepare_cached("DELETE FROM erasure WHERE link_id = ?1 AND until_ms <= ?2")?
        .execute(params![order.link, order.until_ms])?;
    Ok(())
}

/// Callers who wait until their order is carried out.
#[derive(Clone, Debug, Default)]
pub(crate) struct Callers(Arc<Mutex<Vec<Caller>>>);

/// An order, and the sender that tells its caller.
type Caller = (Order, oneshot::Sender<()>);

impl Callers {
    pub(crate) fn add(&self, link: &LinkId, until: UnixMillis, done: oneshot::Sender<()>) {
        let order = Order {
            link: link.as_str().to_owned(),
            until_ms: until.get(),
        };
        let mut callers = self.locked();
        callers.retain(|(_, done)| !done.is_closed());
        callers.push((order, done));
    }

    fn tell(&self, finished: &Order) {
        let concerns =
            |order: &Order| order.link == finished.link && order.until_ms <= finished.until_ms;
        for (_, done) in self.locked().extract_if(.., |(order, _)| concerns(order)) {
            // The caller may have hung up.
            let _ = done.send(());
        }
    }

    fn locked(&self) -> MutexGuard<'_, Vec<Caller>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The state of the orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// There are no orders.
    Idle,
    /// ClickHouse is carrying orders out.
    UnderWay,
    /// ClickHouse has just carried all of them out.
    Finished,
}

/// A node's knowledge of the erasures.
#[derive(Debug, Default)]
pub(crate) struct Erasures {
    callers: Callers,
    looked_at: Option<Instant>,
    /// Orders that ClickHouse has in its table.
    written: HashSet<Order>,
    /// Orders that ClickHouse is carrying out, and since when.
    under_way: BTreeMap<Order, Instant>,
    /// Warns while ClickHouse refuses.
    refusals: Reminder,
}

impl Erasures {
    pub(crate) fn new(callers: Callers) -> Self {
        Self {
            callers,
            ..Self::default()
        }
    }

    /// Carries out these orders of the spool, after ClickHouse has received all of their visits,
    /// and deletes visits that nodes sent late. If ClickHouse refuses, the shipper still sends
    /// visits, and tries again with the next shipment.
    pub(crate) async fn work(
        &mut self,
        client: &Client,
        spool: &mut Connection,
        orders: &[Order],
    ) -> Result<State, rusqlite::Error> {
        let recent = |at: Instant| at.elapsed() < LOOK_EVERY;
        if orders.is_empty() && self.looked_at.is_some_and(recent) {
            return Ok(State::Idle);
        }
        let left = match self.ask(client, orders).await {
            Ok(left) => left,
            Err(error) => {
                if self.refusals.failed(Instant::now()).is_some() {
                    let error: &(dyn StdError + 'static) = &error;
                    tracing::warn!(error, "visits cannot be erased from ClickHouse yet");
                }
                return Ok(State::Idle);
            }
        };
        self.refusals.works();
        self.looked_at = Some(Instant::now());
        if orders.is_empty() {
            return Ok(State::Idle);
        }
        let mut state = State::Finished;
        for order in orders {
            if left.contains(&order.link) {
                state = State::UnderWay;
            } else {
                remove(spool, order)?;
                self.written.remove(order);
                self.callers.tell(order);
            }
        }
        Ok(state)
    }

    /// Makes ClickHouse carry out these orders and those in its table. Returns the links that still
    /// have such visits.
    async fn ask(
        &mut self,
        client: &Client,
        orders: &[Order],
    ) -> Result<Vec<String>, ClickHouseError> {
        for order in orders {
            if !self.written.contains(order) {
                write(client, order).await?;
                gaps::erase(client, &order.link).await?;
                self.written.insert(order.clone());
            }
        }
        let orders = all(client).await?;
        let left = match conditions(&orders) {
            Some(any) => {
                let found = format!("SELECT DISTINCT link_id FROM access_log WHERE {any}");
                client.rows(&found, client.timeout, text).await?
            }
            None => Vec::new(),
        };
        let there = |order: &Order| left.contains(&order.link);
        self.under_way
            .retain(|order, since| there(order) && since.elapsed() < DELETION);
        let begin: Vec<Order> = orders
            .into_iter()
            .filter(|order| there(order) && !self.under_way.contains_key(order))
            .collect();
        if let Some(any) = conditions(&begin) {
            let delete = format!("ALTER TABLE access_log DELETE WHERE {any}");
            client.run(&delete, client.timeout).await?;
            let now = Instant::now();
            self.under_way
                .extend(begin.into_iter().map(|order| (order, now)));
        }
        Ok(left)
    }
}

/// The condition that a visit is among those of any order; `None` without orders.
fn conditions(orders: &[Order]) -> Option<String> {
    let conditions: Vec<String> = orders.iter().map(Order::condition).collect();
    (!conditions.is_empty()).then(|| conditions.join(" OR "))
}

async fn write(client: &Client, order: &Order) -> Result<(), ClickHouseError> {
    let mut row = Vec::new();
    put_text(&mut row, &order.link);
    row.extend_from_slice(&order.until_ms.to_le_bytes());
    let token = format!("erase {} {}", order.link, order.until_ms);
    let into = "slugline_erasure (link_id, until_ms)";
    client.insert(into, &token, row, client.timeout).await
}

/// The latest order of every link in ClickHouse's table.
async fn all(client: &Client) -> Result<Vec<Order>, ClickHouseError> {
    let sql = "SELECT link_id, max(until_ms) FROM slugline_erasure GROUP BY link_id";
    let read = |row: &mut Cursor<'_>| {
        Ok(Order {
            link: row.text()?,
            until_ms: row.i64()?,
        })
    };
    client.rows(sql, client.timeout, read).await
}
