//! New links that come at the same time share a statement, and so a commit.
//!
//! The statement inserts the links, their tags and their lines of the audit trail, and the triggers
//! announce them. PostgreSQL commits it by itself, so a link takes one round trip in place of four. It
//! passes over links whose key or identifier is in use, and those of a domain that no operator has named.
//!
//! A link that a statement did not insert is told so, and its caller inserts it in a transaction of its
//! own, which has the answer. So no link suffers from another one of its statement.

use std::{
    collections::{BTreeSet, HashSet},
    sync::OnceLock,
};

use sea_orm::{
    ConnectionTrait, DatabaseConnection, DbBackend, DbErr, IntoActiveModel, QueryTrait, RuntimeErr,
    Statement, Value,
};
use slugline_domain::{AuditNote, Host, Link};

use super::{
    shared::{Lane, MOST, Shared},
    statements::{STEP, answered, was_cut},
};
use crate::{
    entity::{audit, link},
    links::insert::{insert, to_new_row},
    sql_text::values,
};

/// The most statements under way. A link that waits for the lock of another transaction keeps
/// its statement, and the other statements go on.
const LANES: usize = 3;

/// Links that wait for a statement.
pub(super) type Inserts = Shared<NewLink, Told>;

/// A link and the line about it.
#[derive(Debug)]
pub(super) struct NewLink {
    pub(super) link: Link,
    pub(super) note: AuditNote,
}

/// The outcome for a link.
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

pub(super) fn inserts() -> Inserts {
    Inserts::new(LANES)
}

/// Inserts links until none waits. `committed` is called after each statement that may have
/// inserted some.
pub(super) async fn serve(
    mut lane: Lane<NewLink, Told>,
    pool: DatabaseConnection,
    committed: impl Fn(),
) {
    while let Some(mut batch) = lane.next() {
        // Two statements that insert the same keys cannot deadlock.
        batch.sort_by(|a, b| a.request.link.key.cmp(&b.request.link.key));
        let new: Vec<&NewLink> = batch.iter().map(|waiting| &waiting.request).collect();
        let done = run(&pool, &new).await;
        committed();
        for waiting in batch {
            // A caller who is gone learns of the link by its announcement.
            let told = match &done {
                Ok(stored) if stored.contains(waiting.request.link.id.as_str()) => Told::Stored,
                Ok(_) => Told::Left,
                Err(told) => *told,
            };
            waiting.answer(told);
        }
    }
}

/// Inserts links that no other link stands in the way of, and returns their identifiers.
async fn run(pool: &DatabaseConnection, batch: &[&NewLink]) -> Result<HashSet<String>, Told> {
    let answer = answered(STEP, pool.query_all_raw(statement(batch))).await;
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

fn statement(batch: &[&NewLink]) -> Statement {
    /// By number of links.
    type Texts = [OnceLock<String>; MOST + 1];
    static OF_DEFAULT_DOMAIN: Texts = [const { OnceLock::new() }; MOST + 1];
    static OF_NAMED_DOMAINS: Texts = [const { OnceLock::new() }; MOST + 1];
    let named: BTreeSet<&str> = batch
        .iter()
        .filter_map(|new| new.link.key.domain.host().map(Host::as_str))
        .collect();
    let rows = batch.iter().map(|new| to_new_row(&new.link));
    let mut bound: Vec<Value> = rows.clone().flat_map(values).collect();
    let texts = if named.is_empty() {
        &OF_DEFAULT_DOMAIN
    } else {
        &OF_NAMED_DOMAINS
    };
    let text = texts[batch.len()].get_or_init(|| text(rows, bound.len(), !named.is_empty()));
    for NewLink { link, note } in batch {
        let line = audit::of_link(note, &link.key);
        bound.push(link.id.as_str().into());
        bound.extend(values(line).take(LINE));
    }
    if !named.is_empty() {
        let named: Vec<&str> = named.into_iter().collect();
        bound.push(named.join(" ").into());
    }
    Statement::from_sql_and_values(DbBackend::Postgres, text, bound)
}

/// The columns of a line that differ from link to link and are not the link's: `at`, `caller`,
/// `client`, `operation`.
const LINE: usize = 4;

fn text(
    rows: impl ExactSizeIterator<Item = link::ActiveModel>,
    bound: usize,
    has_named: bool,
) -> String {
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
    let mut insert = insert.build(DbBackend::Postgres).sql;
    let mut held = String::new();
    if has_named {
        let last = bound + count * (LINE + 1) + 1;
        held = format!(
            "held AS MATERIALIZED ( \
                 SELECT host FROM domains WHERE host = ANY (string_to_array(${last}, ' ')) \
                 ORDER BY host FOR KEY SHARE \
             ), "
        );
        insert = of_held_domains(&insert);
    }
    let lines = lines.join(", ");
    format!(
        "WITH {held}new AS ({insert} RETURNING id, slugline_key(domain, slug) AS key, tags), \
         tagged AS ( \
             INSERT INTO link_tags (link_id, tag) \
             SELECT id, unnest(string_to_array(substr(tags, 2), 'T')) FROM new \
         ), lines AS ( \
             INSERT INTO audit_trail (at, caller, client, operation, slug) \
             SELECT at, caller, client, operation, key FROM new \
             JOIN (VALUES {lines}) AS line (id, at, caller, client, operation) USING (id) \
         ) SELECT id FROM new"
    )
}

/// The same insert, of those rows alone whose domain is the default one or locked. The lock lasts
/// until the end of the statement's transaction, and the transaction that takes the domain away waits for it.
fn of_held_domains(insert: &str) -> String {
    const ROWS: &str = " VALUES ";
    const CONFLICT: &str = " ON CONFLICT";
    let (into, rest) = insert.split_once(ROWS).expect("it inserts rows");
    let (rows, conflict) = rest.rsplit_once(CONFLICT).expect("it passes over rows");
    let (_, columns) = into.split_once('(').expect("it names its columns");
    format!(
        "{into} SELECT * FROM (VALUES {rows}) AS row ({columns} \
         WHERE domain = '' OR domain IN (SELECT host FROM held){CONFLICT}{conflict}"
    )
}
