//! Links that visitors follow at the same time share a statement.
//!
//! Keys that memory does not hold reach the server, and so does each guess of a flood of unknown ones.
//! They take a bounded number of connections of a node, so the rest of the pool serves everything
//! else.

use std::{collections::HashMap, sync::Arc};

use sea_orm::{DatabaseConnection, DbBackend, QueryFilter, QueryTrait, Statement, sea_query::Expr};
use slugline_domain::LinkKey;

use super::{
    reads::read,
    shared::{Lane, Shared, Waiting},
};
use crate::{
    entity::link::{self, Model},
    failure::Failure,
    session::Session,
    sql_text::SqlText,
};

/// The most statements under way.
const LANES: usize = 2;

/// Keys that wait for a statement. The answer is the link's row.
pub(super) type Follows = Shared<LinkKey, Result<Option<Model>, Arc<Failure>>>;

pub(super) fn follows() -> Follows {
    Follows::new(LANES)
}

/// Reads rows until no key waits. A read for which no asker waits any more is dropped, so that a server
/// or a connection that is silent keeps no lane from those who come when it answers again.
pub(super) async fn serve(
    mut lane: Lane<LinkKey, Result<Option<Model>, Arc<Failure>>>,
    pool: DatabaseConnection,
) {
    while let Some(mut batch) = lane.next() {
        // Host and slug of each with a slash between, and a blank between two of them: no host and
        // no slug holds either.
        let keys = batch.iter().map(|waiting| &waiting.request);
        let keys = keys.map(|LinkKey { domain, slug }| format!("{domain}/{slug}"));
        let keys = keys.collect::<Vec<String>>().join(" ");
        let rows = async move |session: &Session<'_>| session.rows::<Model>(follow(&keys)).await;
        let answer = tokio::select! {
            answer = read(&pool, &rows) => answer,
            () = Waiting::all_hung_up(&mut batch) => continue,
        };
        match answer {
            Ok(rows) => {
                let by_key: HashMap<(&str, &str), &Model> = rows
                    .iter()
                    .map(|row| ((row.domain.as_str(), row.slug.as_str()), row))
                    .collect();
                for waiting in batch {
                    let LinkKey { domain, slug } = &waiting.request;
                    let row = by_key.get(&(domain.as_str(), slug.as_str()));
                    let row = row.copied().cloned();
                    waiting.answer(Ok(row));
                }
            }
            Err(failure) => {
                let failure = Arc::new(failure);
                for waiting in batch {
                    waiting.answer(Err(Arc::clone(&failure)));
                }
            }
        }
    }
}

/// Reads what redirects need of the links with many keys, in a single statement.
fn follow(keys: &str) -> Statement {
    static FOLLOW: SqlText = SqlText::new();
    FOLLOW.with(DbBackend::Postgres, [keys.into()], || {
        let any = "(domain, slug) IN (\
                       SELECT split_part(key, '/', 1), split_part(key, '/', 2) \
                       FROM unnest(string_to_array($1, ' ')) AS key\
                   )";
        link::select_followed()
            .filter(Expr::cust_with_values(any, [keys]))
            .into_query()
    })
}
