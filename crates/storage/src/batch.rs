//! Many new links in one transaction, with few statements.

use std::collections::HashMap;

use sea_orm::{
    ColumnTrait, DatabaseTransaction, DbErr, EntityTrait, IntoActiveModel, QueryFilter,
    QuerySelect, sea_query::OnConflict,
};
use slugline_domain::{Link, LinkStatus, UnixSeconds, ports::Insertion};

use crate::{
    convert::tag_rows,
    entity::{link, tag},
    links::to_new_row,
};

/// Values bound in one statement, at most: SQLite takes 32,766, PostgreSQL
/// 65,535.
const BINDINGS: usize = 10_000;
const LINK_COLUMNS: usize = 22;
const TAG_COLUMNS: usize = 2;

/// Inserts links as if one after the other. `None` when somebody else took a
/// slug or an id meanwhile: what was done so far must be rolled back.
pub(crate) async fn insert(
    transaction: &DatabaseTransaction,
    links: &[Link],
    now: UnixSeconds,
) -> Result<Option<Vec<Insertion>>, DbErr> {
    let mut plan = Plan::of(stored(transaction, links).await?, now);
    let outcomes = links
        .iter()
        .enumerate()
        .map(|(place, link)| plan.admit(place, link))
        .collect();
    for numbers in plan.replaced_rows.chunks(BINDINGS) {
        link::Entity::delete_many()
            .filter(link::Column::Number.is_in(numbers.iter().copied()))
            .exec(transaction)
            .await?;
    }
    let mut admitted: Vec<&Link> = plan.admitted().map(|place| &links[place]).collect();
    // Two nodes that insert the same slugs wait for each other in one order
    // only, so never both.
    admitted.sort_by(|a, b| a.slug.cmp(&b.slug));
    for some in admitted.chunks(BINDINGS / LINK_COLUMNS) {
        let inserted = link::Entity::insert_many(some.iter().map(|link| to_new_row(link)))
            .on_conflict(OnConflict::new().do_nothing().to_owned())
            .exec_without_returning(transaction)
            .await?;
        if usize::try_from(inserted) != Ok(some.len()) {
            return Ok(None);
        }
    }
    let tags: Vec<tag::Model> = admitted.iter().flat_map(|link| tag_rows(link)).collect();
    for some in tags.chunks(BINDINGS / TAG_COLUMNS) {
        let rows = some.iter().cloned().map(IntoActiveModel::into_active_model);
        tag::Entity::insert_many(rows)
            .exec_without_returning(transaction)
            .await?;
    }
    Ok(Some(outcomes))
}

/// The stored links that have a slug or an id of these.
async fn stored(
    transaction: &DatabaseTransaction,
    links: &[Link],
) -> Result<Vec<StoredLink>, DbErr> {
    let mut stored = Vec::new();
    for some in links.chunks(BINDINGS / 2) {
        let slugs = some.iter().map(|link| link.slug.as_str());
        let ids = some.iter().map(|link| link.id.as_str());
        // Two statements: with an OR, planners may read the whole table.
        for condition in [link::Column::Slug.is_in(slugs), link::Column::Id.is_in(ids)] {
            let rows = link::Entity::find()
                .select_only()
                .column(link::Column::Number)
                .column(link::Column::Id)
                .column(link::Column::Slug)
                .column(link::Column::ExpiresAt)
                .column(link::Column::EndsAt)
                .filter(condition)
                .into_tuple::<StoredLink>()
                .all(transaction)
                .await?;
            stored.extend(rows);
        }
    }
    Ok(stored)
}

/// Number, id, slug, author's expiry and the instance's end of a link.
type StoredLink = (i64, String, String, Option<i64>, Option<i64>);

/// What becomes of each link, decided in memory.
struct Plan {
    now: UnixSeconds,
    by_slug: HashMap<String, Owner>,
    slug_by_id: HashMap<String, String>,
    replaced_rows: Vec<i64>,
}

/// The link that owns a slug.
struct Owner {
    id: String,
    status: LinkStatus,
    place: Place,
}

enum Place {
    Row(i64),
    Batch(usize),
}

impl Plan {
    fn of(stored: Vec<StoredLink>, now: UnixSeconds) -> Self {
        let mut plan = Self {
            now,
            by_slug: HashMap::new(),
            slug_by_id: HashMap::new(),
            replaced_rows: Vec::new(),
        };
        for (number, id, slug, expires_at, ends_at) in stored {
            let expired = [expires_at, ends_at]
                .into_iter()
                .flatten()
                .any(|expiry| expiry <= now.get());
            let status = if expired {
                LinkStatus::Expired
            } else {
                LinkStatus::Active
            };
            let place = Place::Row(number);
            plan.own(slug, Owner { id, status, place });
        }
        plan
    }

    fn own(&mut self, slug: String, owner: Owner) {
        self.slug_by_id.insert(owner.id.clone(), slug.clone());
        self.by_slug.insert(slug, owner);
    }

    fn admit(&mut self, place: usize, link: &Link) -> Insertion {
        let (slug, id) = (link.slug.as_str(), link.id.as_str());
        let owner = self.by_slug.get(slug);
        if owner.is_some_and(|owner| owner.status == LinkStatus::Active) {
            return Insertion::SlugTaken;
        }
        if self.slug_by_id.get(id).is_some_and(|other| other != slug) {
            return Insertion::IdTaken;
        }
        if let Some(replaced) = self.by_slug.remove(slug) {
            self.slug_by_id.remove(&replaced.id);
            match replaced.place {
                Place::Row(number) => self.replaced_rows.push(number),
                // It gives way to a later one before it was written.
                Place::Batch(_) => {}
            }
        }
        let owner = Owner {
            id: id.to_owned(),
            status: link.status_at(self.now),
            place: Place::Batch(place),
        };
        self.own(slug.to_owned(), owner);
        Insertion::Stored
    }

    /// Places of the links that are to be written.
    fn admitted(&self) -> impl Iterator<Item = usize> {
        self.by_slug.values().filter_map(|owner| match owner.place {
            Place::Batch(place) => Some(place),
            Place::Row(_) => None,
        })
    }
}
