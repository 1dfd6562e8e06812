//! Finding the links that stand in the way of others.

use std::collections::BTreeSet;

use sea_orm::{ColumnTrait, Condition, QueryFilter};
use slugline_domain::{Link, LinkId, LinkKey};

use super::keys::has_any;
use crate::{
    entity::link,
    failure::Failure,
    session::{Read, Session},
};

/// Finds the links that have any of these keys or identities.
#[derive(Debug)]
pub(super) struct FindHolders {
    pub(super) keys: BTreeSet<LinkKey>,
    pub(super) ids: BTreeSet<LinkId>,
}

/// The most keys, and the most identities, in one statement.
const SOME: usize = 5_000;

impl Read for FindHolders {
    type Answer = Vec<Link>;

    async fn read<S: Session>(&self, session: &S) -> Result<Vec<Link>, Failure> {
        let keys: Vec<&LinkKey> = self.keys.iter().collect();
        let ids: Vec<&str> = self.ids.iter().map(LinkId::as_str).collect();
        let by_key = keys.chunks(SOME).map(|some| has_any(some.iter().copied()));
        let by_id = ids
            .chunks(SOME)
            .map(|some| Condition::all().add(link::Column::Id.is_in(some.iter().copied())));
        let mut found: Vec<Link> = Vec::new();
        let mut seen = BTreeSet::new();
        // Statements of their own: with an OR, planners may read the whole table.
        for condition in by_key.chain(by_id) {
            let rows = session
                .all::<link::Model>(&link::select().filter(condition))
                .await?;
            for row in rows {
                if seen.insert(row.number) {
                    found.push(link::to_link(row)?);
                }
            }
        }
        Ok(found)
    }
}
