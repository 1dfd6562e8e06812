//! Inserting many links in one transaction, with few statements.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use sea_orm::{
    ColumnTrait, Condition, DbBackend, EntityTrait, IntoActiveModel, Iterable, QueryFilter,
    QuerySelect,
};
use slugline_domain::{
    AuditNote, DomainName, Keeping, Link, LinkKey, LinkStatus, Reach, UnixSeconds, ports::Insertion,
};

use super::{
    conditions::{has_any, is_bound_to, is_there, within},
    insert::{insert, insert_link, insert_tags, to_new_row, used_request_keys},
};
use crate::{
    audit_lines::write_lines,
    entity::{link, tag},
    failure::Failure,
    former_versions::{End::Deletion, keep},
    hexadecimal::hexadecimal,
    row::{Columns, Row},
    session::{Applied, Session},
};

/// The most values bound in one statement: SQLite takes 32,766, PostgreSQL
/// 65,535.
const BINDINGS: usize = 10_000;

/// Inserts links as if one after the other. Inserts nothing and answers `None`
/// if another writer took what is unique meanwhile.
#[derive(Clone, Debug)]
pub(super) struct InsertLinks {
    reach: Reach,
    links: Arc<[Link]>,
    note: AuditNote,
    keeping: Keeping,
}

impl InsertLinks {
    pub(super) fn new(reach: &Reach, links: &[Link], note: &AuditNote, keeping: Keeping) -> Self {
        Self {
            reach: reach.clone(),
            links: links.into(),
            note: note.clone(),
            keeping,
        }
    }

    pub(super) async fn apply(
        &self,
        session: &Session<'_>,
    ) -> Result<Applied<Option<Vec<Insertion>>>, Failure> {
        let links = &self.links;
        let missing = missing_domains(session, links).await?;
        let now = self.note.at.second();
        let stored_links = stored(session, links).await?;
        let kept = kept(session, &self.reach, &stored_links).await?;
        let requests = links.iter().filter_map(|link| link.request.as_ref());
        let requests = requests.map(|request| &request.key);
        let requests = used_request_keys(session, requests).await?;
        let mut plan = Plan::of(stored_links, &kept, requests, now);
        let outcomes: Vec<Insertion> = links
            .iter()
            .enumerate()
            .map(|(index, link)| {
                if missing.contains(&link.key.domain) {
                    return Insertion::NoDomain;
                }
                plan.admit(index, link)
            })
            .collect();
        for numbers in plan.replaced_rows.chunks(BINDINGS) {
            let replaced = link::Column::Number.is_in(numbers.iter().copied());
            let which = Condition::all().add(replaced.clone());
            keep(session, self.keeping, Deletion, &self.note, which).await?;
            let delete = link::Entity::delete_many().filter(replaced);
            session.execute(&delete).await?;
        }
        let mut admitted: Vec<&Link> = plan.admitted().map(|index| &links[index]).collect();
        // All nodes insert keys in the same order, so two that insert the same
        // ones cannot deadlock.
        admitted.sort_by(|a, b| a.key.cmp(&b.key));
        if !insert_rows(session, &admitted).await? {
            return Ok(Applied::Rollback(None));
        }
        let stored = links.iter().zip(&outcomes);
        let stored = stored.filter(|(_, outcome)| **outcome == Insertion::Stored);
        let keys: Vec<&LinkKey> = stored.map(|(link, _)| &link.key).collect();
        write_lines(session, &self.note, &keys, BINDINGS).await?;
        Ok(Applied::Commit(Some(outcomes)))
    }
}

/// Inserts links and their tags. Returns `false` if a key or an identifier is in use.
async fn insert_rows(session: &Session<'_>, links: &[&Link]) -> Result<bool, Failure> {
    if session.backend() == DbBackend::Sqlite {
        // Here a statement goes to no server, and one for many rows takes longer to build. Table
        // by table, because fewer pages are in use at once.
        for link in links {
            if !insert_link(session, link).await? {
                return Ok(false);
            }
        }
        for link in links {
            insert_tags(session, link).await?;
        }
        return Ok(true);
    }
    for some in links.chunks(BINDINGS / link::Column::iter().count()) {
        let rows = some.iter().map(|link| to_new_row(link));
        let inserted = session.execute(&insert(rows)).await?;
        if usize::try_from(inserted) != Ok(some.len()) {
            return Ok(false);
        }
    }
    let tags: Vec<tag::Model> = links.iter().flat_map(|link| tag::of(link)).collect();
    for some in tags.chunks(BINDINGS / tag::COLUMNS) {
        let rows = some.iter().cloned().map(IntoActiveModel::into_active_model);
        session.execute(&tag::Entity::insert_many(rows)).await?;
    }
    Ok(true)
}

/// The domains of these links that no operator has named, or that were taken away.
async fn missing_domains(
    session: &Session<'_>,
    links: &[Link],
) -> Result<HashSet<DomainName>, Failure> {
    // In order, so that two nodes that lock the same ones cannot deadlock.
    let domains: BTreeSet<&DomainName> = links.iter().map(|link| &link.key.domain).collect();
    let mut missing = HashSet::new();
    for domain in domains {
        if !is_there(session, domain).await? {
            missing.insert(domain.clone());
        }
    }
    Ok(missing)
}

/// The stored links that have one of these keys or identifiers.
async fn stored(session: &Session<'_>, links: &[Link]) -> Result<Vec<StoredLink>, Failure> {
    let mut stored = Vec::new();
    for some in links.chunks(BINDINGS / 2) {
        let keys = has_any(some.iter().map(|link| &link.key));
        let ids = some.iter().map(|link| link.id.as_str());
        // Two statements: with an OR, planners may read the whole table.
        for condition in [keys, Condition::all().add(link::Column::Id.is_in(ids))] {
            let select = link::Entity::find()
                .select_only()
                .column(link::Column::Number)
                .column(link::Column::Id)
                .column(link::Column::Domain)
                .column(link::Column::Slug)
                .column(link::Column::ExpiresAt)
                .column(link::Column::EndsAt)
                .column(link::Column::Disabled)
                .filter(condition);
            stored.extend(session.all::<StoredLink>(&select).await?);
        }
    }
    Ok(stored)
}

/// The numbers of those links that the caller does not reach.
async fn kept(
    session: &Session<'_>,
    reach: &Reach,
    stored: &[StoredLink],
) -> Result<HashSet<i64>, Failure> {
    let Some(binding) = reach.binding() else {
        return Ok(HashSet::new());
    };
    let mut kept: HashSet<i64> = stored.iter().map(|link| link.number).collect();
    for some in stored.chunks(BINDINGS) {
        let reached = link::Entity::find()
            .select_only()
            .column(link::Column::Number)
            .filter(link::Column::Number.is_in(some.iter().map(|link| link.number)))
            .filter(is_bound_to(binding))
            .filter(within(session.backend(), reach));
        for number in session.all::<i64>(&reached).await? {
            kept.remove(&number);
        }
    }
    Ok(kept)
}

/// The members of a stored link that decide whether a new link replaces it.
struct StoredLink {
    number: i64,
    id: String,
    key: Key,
    expires_at: Option<i64>,
    ends_at: Option<i64>,
    disabled: bool,
}

impl Row for StoredLink {
    fn read(columns: &mut impl Columns) -> Result<Self, Failure> {
        Ok(Self {
            number: columns.next()?,
            id: columns.next()?,
            key: Row::read(columns)?,
            expires_at: columns.next()?,
            ends_at: columns.next()?,
            disabled: columns.next()?,
        })
    }
}

/// The name of a domain, and a slug.
type Key = (String, String);

/// The outcome of each link, decided in memory.
struct Plan {
    now: UnixSeconds,
    by_key: HashMap<Key, Owner>,
    key_by_id: HashMap<String, Key>,
    /// The digests of the keys of requests that made a link.
    requests: HashSet<String>,
    replaced_rows: Vec<i64>,
}

/// The link that has a key.
struct Owner {
    id: String,
    /// True if no new link replaces it.
    stays: bool,
    source: Source,
}

enum Source {
    Row(i64),
    Batch(usize),
}

impl Plan {
    /// `kept` are the rows that stay although their link is expired.
    fn of(
        stored: Vec<StoredLink>,
        kept: &HashSet<i64>,
        requests: HashSet<String>,
        now: UnixSeconds,
    ) -> Self {
        let mut plan = Self {
            now,
            by_key: HashMap::new(),
            key_by_id: HashMap::new(),
            requests,
            replaced_rows: Vec::new(),
        };
        for link in stored {
            let expired = [link.expires_at, link.ends_at]
                .into_iter()
                .flatten()
                .any(|expiry| expiry <= now.get());
            let owner = Owner {
                id: link.id,
                stays: link.disabled || !expired || kept.contains(&link.number),
                source: Source::Row(link.number),
            };
            plan.own(link.key, owner);
        }
        plan
    }

    fn own(&mut self, key: Key, owner: Owner) {
        self.key_by_id.insert(owner.id.clone(), key.clone());
        self.by_key.insert(key, owner);
    }

    fn admit(&mut self, index: usize, link: &Link) -> Insertion {
        if let Some(request) = &link.request
            && self.requests.contains(&hexadecimal(&request.key))
        {
            return Insertion::Repeated;
        }
        let id = link.id.as_str();
        let key = (link.key.domain.to_string(), link.key.slug.to_string());
        let owner = self.by_key.get(&key);
        if owner.is_some_and(|owner| owner.stays) {
            return Insertion::SlugTaken;
        }
        if self.key_by_id.get(id).is_some_and(|other| *other != key) {
            return Insertion::IdTaken;
        }
        if let Some(replaced) = self.by_key.remove(&key) {
            self.key_by_id.remove(&replaced.id);
            match replaced.source {
                Source::Row(number) => self.replaced_rows.push(number),
                // A later link of the batch replaces it before it was written.
                Source::Batch(_) => {}
            }
        }
        let owner = Owner {
            id: id.to_owned(),
            stays: link.status_at(self.now) != LinkStatus::Expired,
            source: Source::Batch(index),
        };
        self.own(key, owner);
        Insertion::Stored
    }

    /// The indexes of the links to write.
    fn admitted(&self) -> impl Iterator<Item = usize> {
        self.by_key.values().filter_map(|owner| match owner.source {
            Source::Batch(index) => Some(index),
            Source::Row(_) => None,
        })
    }
}
