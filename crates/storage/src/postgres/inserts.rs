//! New links that come at the same time share a statement, and so a commit.
//!
//! The statement inserts the links, their tags and their lines of the audit trail, and the triggers
//! announce them. PostgreSQL commits it by itself, so a link takes one round trip in place of four. It
//! passes over links whose slug or identifier is in use. While statements are under way, further links
//! wait for the next one.
//!
//! A link that a statement did not insert is told so, and its caller inserts it in a transaction of its
//! own, which has the answer. So no link suffers from another one of its statement.

use std::{
    collections::HashSet,
    sync::{Mutex, MutexGuard, OnceLock, PoisonError},
};

use sea_orm::{
    ConnectionTrait, DatabaseConnection, DbBackend, DbErr, IntoActiveModel, QueryTrait, RuntimeErr,
    Statement, Value,
};
use slugline_domain::{AuditNote, Link};
use tokio::{sync::oneshot, time::timeout};

use super::answer::{STEP, was_cut};
use crate::{
    entity::{audit, link},
    links::write::{insert, to_new_row},
    sql_text::values,
};

/// The most links of a statement.
const SHARED: usize = 64;

/// The most statements under way. A link that waits for the lock of another transaction keeps
/// its statement, and the other statements go on.
const LANES: usize = 3;

/// Links that wait for a statement.
#[derive(Debug, Default)]
pub(super) struct Inserts(Mutex<Queue>);

#[derive(Debug, Default)]
struct Queue {
    waiting: Vec<Waiting>,
    lanes: usize,
}

#[derive(Debug)]
struct Waiting {
    link: Link,
    note: AuditNote,
    author: oneshot::Sender<Told>,
}

/// What became of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told {
    Stored,
    /// The statement did not insert it.
    Left,
    /// The connection was cut: the server may have committed the statement.
    Unknown,
    /// The server did not answer, and may have committed the statement.
    Silent,
    /// There was no connection.
    NoConnection,
}

/// A right to run statements.
pub(super) struct Lane<'i> {
    inserts: &'i Inserts,
    is_free: bool,
}

impl Inserts {
    /// Adds a link to those that wait. The second value tells whether a lane is free to serve
    /// them, which the caller must then do.
    pub(super) fn add(&self, link: Link, note: AuditNote) -> (oneshot::Receiver<Told>, bool) {
        let (author, told) = oneshot::channel();
        let mut queue = self.lock();
        queue.waiting.push(Waiting { link, note, author });
        let is_free = queue.lanes < LANES;
        queue.lanes += usize::from(is_free);
        (told, is_free)
    }

    /// The lane that [`Inserts::add`] said is free.
    pub(super) fn lane(&self) -> Lane<'_> {
        Lane {
            inserts: self,
            is_free: false,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lane<'_> {
    /// Inserts links until none waits. `committed` is called after each statement that may have
    /// inserted some.
    pub(super) async fn serve(mut self, pool: &DatabaseConnection, committed: impl Fn()) {
        while let Some(batch) = self.next() {
            let done = run(pool, &batch).await;
            committed();
            for waiting in batch {
                let told = match &done {
                    Ok(stored) if stored.contains(waiting.link.id.as_str()) => Told::Stored,
                    Ok(_) => Told::Left,
                    Err(told) => *told,
                };
                // A caller who is gone learns of the link by its announcement.
                let _ = waiting.author.send(told);
            }
        }
    }

    /// The links of the next statement. The lane is free when there are none.
    fn next(&mut self) -> Option<Vec<Waiting>> {
        let mut queue = self.inserts.lock();
        queue.waiting.retain(|waiting| !waiting.author.is_closed());
        if queue.waiting.is_empty() {
            queue.lanes -= 1;
            self.is_free = true;
            return None;
        }
        let count = queue.waiting.len().min(SHARED);
        let mut batch: Vec<Waiting> = queue.waiting.drain(..count).collect();
        drop(queue);
        // Two statements that insert the same slugs cannot deadlock.
        batch.sort_by(|a, b| a.link.slug.cmp(&b.link.slug));
        Some(batch)
    }
}

impl Drop for Lane<'_> {
    fn drop(&mut self) {
        if !self.is_free {
            self.inserts.lock().lanes -= 1;
        }
    }
}

/// Inserts links that no other link stands in the way of, and returns their identifiers.
async fn run(pool: &DatabaseConnection, batch: &[Waiting]) -> Result<HashSet<String>, Told> {
    let answer = timeout(STEP, pool.query_all_raw(statement(batch))).await;
    let rows = answer
        .map_err(|_| Told::Silent)?
        .map_err(|error| told(&error))?;
    let id = |row: &sea_orm::QueryResult| row.try_get_by_index(0);
    let ids: Result<_, DbErr> = rows.iter().map(id).collect();
    ids.map_err(|_| Told::Unknown)
}

fn told(error: &DbErr) -> Told {
    if matches!(error, DbErr::ConnectionAcquire(_)) {
        return Told::NoConnection;
    }
    // The server says so after it undid the statement.
    let was_refused = matches!(
        error,
        DbErr::Exec(RuntimeErr::SqlxError(error)) | DbErr::Query(RuntimeErr::SqlxError(error))
            if error.as_database_error().is_some()
    );
    if was_refused && !was_cut(error) {
        Told::Left
    } else {
        Told::Unknown
    }
}

fn statement(batch: &[Waiting]) -> Statement {
    /// By number of links.
    static TEXTS: [OnceLock<String>; SHARED + 1] = [const { OnceLock::new() }; SHARED + 1];
    let rows = batch.iter().map(|waiting| to_new_row(&waiting.link));
    let mut bound: Vec<Value> = rows.clone().flat_map(values).collect();
    let text = TEXTS[batch.len()].get_or_init(|| text(rows, bound.len()));
    for Waiting { link, note, .. } in batch {
        let line = audit::of_link(note, &link.slug);
        bound.push(link.id.as_str().into());
        bound.extend(values(line).take(LINE));
    }
    Statement::from_sql_and_values(DbBackend::Postgres, text, bound)
}

/// The columns of a line that differ from link to link and are not the link's: `at`, `caller`,
/// `client`, `operation`.
const LINE: usize = 4;

fn text(rows: impl ExactSizeIterator<Item = link::ActiveModel>, bound: usize) -> String {
    let count = rows.len();
    let lines: Vec<String> = (0..count)
        .map(|line| bound + line * (LINE + 1))
        .map(|before| {
            let values: Vec<String> = (1..=LINE + 1)
                .map(|value| format!("${}", before + value))
                .collect();
            format!("({})", values.join(", "))
        })
        .collect();
    let insert = insert(rows.map(IntoActiveModel::into_active_model));
    let insert = insert.build(DbBackend::Postgres).sql;
    let lines = lines.join(", ");
    format!(
        "WITH new AS ({insert} RETURNING id, slug, tags), tagged AS ( \
             INSERT INTO link_tags (link_id, tag) \
             SELECT id, unnest(string_to_array(substr(tags, 2), 'T')) FROM new \
         ), lines AS ( \
             INSERT INTO audit_trail (at, caller, client, operation, slug) \
             SELECT at, caller, client, operation, slug FROM new \
             JOIN (VALUES {lines}) AS line (id, at, caller, client, operation) USING (id) \
         ) SELECT id FROM new"
    )
}
