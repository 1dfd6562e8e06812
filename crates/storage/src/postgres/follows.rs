//! Slugs that visitors follow at the same time share a statement.
//!
//! Slugs that nobody remembers reach the server, and so does each guess of a flood of unknown ones.
//! They take a bounded number of connections of a node, so the rest of the pool serves everything
//! else.

use std::{collections::HashMap, sync::Arc};

use sea_orm::{DatabaseConnection, QueryFilter, sea_query::Expr};
use slugline_domain::Slug;

use super::{
    shared::{Lane, Shared},
    statements,
};
use crate::{
    entity::followed::{self, Followed},
    failure::Failure,
    session::{Read, Session},
    sql_text::SqlText,
};

/// The most statements under way.
const LANES: usize = 2;

/// Slugs that wait for a statement. The answer is the link's row.
pub(super) type Follows = Shared<Slug, Result<Option<Followed>, Arc<Failure>>>;

pub(super) fn follows() -> Follows {
    Follows::new(LANES)
}

/// Reads rows until no slug waits.
pub(super) async fn serve(
    mut lane: Lane<Slug, Result<Option<Followed>, Arc<Failure>>>,
    pool: DatabaseConnection,
) {
    while let Some(batch) = lane.next() {
        let slugs = batch.iter().map(|waiting| &waiting.request);
        match statements::read(&pool, &FollowLinks::of(slugs)).await {
            Ok(rows) => {
                let by_slug: HashMap<&str, &Followed> =
                    rows.iter().map(|row| (row.slug(), row)).collect();
                for waiting in batch {
                    let row = by_slug.get(waiting.request.as_str()).copied().cloned();
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

/// Reads what redirects need of the links with many slugs, in a single statement.
#[derive(Debug)]
struct FollowLinks {
    /// The slugs with a slash between two, which no slug holds.
    slugs: String,
}

impl FollowLinks {
    fn of<'s>(slugs: impl Iterator<Item = &'s Slug>) -> Self {
        let slugs: Vec<&str> = slugs.map(Slug::as_str).collect();
        Self {
            slugs: slugs.join("/"),
        }
    }
}

impl Read for FollowLinks {
    type Answer = Vec<Followed>;

    async fn read<S: Session>(&self, session: &S) -> Result<Vec<Followed>, Failure> {
        static FOLLOW: SqlText = SqlText::new();
        let slugs = self.slugs.as_str();
        let follow = FOLLOW.with(session.backend(), [slugs.into()], || {
            let any = "slug = ANY (string_to_array($1, '/'))";
            followed::select().filter(Expr::cust_with_values(any, [slugs]))
        });
        session.rows(follow).await
    }
}
