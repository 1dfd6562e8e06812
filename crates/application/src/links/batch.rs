//! Changes or deletes many links in one call.

use std::collections::{BTreeSet, HashSet};

use slugline_domain::{
    Link, LinkFilter, LinkId, LinkKey, LinkOrder, PageSize, Position, Revision, Tags, UnixSeconds,
    ports::StoreError,
};
use tokio::task::JoinSet;

use super::{LinkService, LinkWriter, ListLinks, writer::Attempts};
use crate::error::Error;

/// A request to change or delete many links.
#[derive(Clone, Debug)]
pub struct BatchChange {
    /// The action for each link.
    pub action: BatchAction,
    /// The links to change.
    pub scope: BatchScope,
    /// `true` only reports what would happen.
    pub dry_run: bool,
}

/// The action for each link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BatchAction {
    /// Deletes the link.
    Delete,
    /// Adds these tags to the link.
    AddTags(Tags),
    /// Removes these tags from the link.
    RemoveTags(Tags),
    /// Sets the expiry to the start of this second.
    SetExpiry(UnixSeconds),
    /// Removes the author's expiry.
    ClearExpiry,
}

/// The links of a batch.
#[derive(Clone, Debug)]
pub enum BatchScope {
    /// These links, in this order.
    Keys(Vec<LinkKey>),
    /// The next links that meet a filter, by slug.
    Filter {
        /// The filter.
        filter: LinkFilter,
        /// Only links after this position.
        after: Option<Position>,
    },
}

/// The results of a batch.
#[derive(Debug)]
pub struct BatchReport {
    /// One result for each link, in the order of the scope.
    pub results: Vec<BatchResult>,
    /// The position from which to continue with a filter; `None` when there are no more
    /// links.
    pub next: Option<Position>,
}

/// The result for one link.
#[derive(Debug)]
pub struct BatchResult {
    /// The link's slug.
    pub key: LinkKey,
    /// The outcome for the link. After an error of the store, the link may have been
    /// changed.
    pub outcome: Result<BatchOutcome, Error>,
}

/// The outcome for a link that was not refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchOutcome {
    /// The link was changed or deleted.
    Done,
    /// The link needed no change.
    Unchanged,
    /// No link has the slug.
    NotFound,
}

/// The link to change.
enum BatchLink {
    /// The link that visitors find under this slug.
    Named(LinkKey),
    /// A link that was already read.
    Read(Box<Link>),
}

/// Links that are changed at the same time. With SQLite, they share a commit.
const AT_ONCE: usize = 8;

impl LinkService {
    /// The most links that one call changes before the caller must call again.
    pub const BATCH: u16 = 500;
}

impl LinkWriter {
    /// Changes or deletes links one by one. Each link is changed wholly or not at all,
    /// exactly as by the same change to that link alone. When the store fails, the
    /// remaining links are left alone. A repeated call does no harm.
    ///
    /// # Errors
    /// Preview mode, the expiry is not in the future, the caller may not read links and asks for
    /// a dry run or names links by a filter, or the store failed to list the links of a filter. Errors about one link are in that link's result.
    pub async fn change_many(&self, change: BatchChange) -> Result<BatchReport, Error> {
        self.permit(match change.action {
            BatchAction::Delete => LinkService::DELETE,
            BatchAction::AddTags(_)
            | BatchAction::RemoveTags(_)
            | BatchAction::SetExpiry(_)
            | BatchAction::ClearExpiry => LinkService::EDIT,
        })?;
        if change.dry_run || matches!(change.scope, BatchScope::Filter { .. }) {
            // The answer tells which links there are, and something about each.
            self.may_read()?;
        }
        if let BatchAction::SetExpiry(expires_at) = change.action {
            self.check_expiry(Some(expires_at))?;
        }
        let (targets, next) = self.targets(change.scope).await?;
        if !change.dry_run {
            self.spend(targets.len())?;
        }
        let results = self
            .change_each(targets, &change.action, change.dry_run)
            .await;
        Ok(BatchReport { results, next })
    }

    /// Deletes those of the links with these identities that nobody changed since they were made. The result
    /// of every other one is [`Error::Outdated`].
    ///
    /// # Errors
    /// Preview mode, or the store failed before the first was deleted.
    pub async fn delete_unchanged(
        &self,
        ids: &BTreeSet<LinkId>,
    ) -> Result<Vec<BatchResult>, Error> {
        self.permit(LinkService::DELETE)?;
        self.spend(ids.len())?;
        let links = self.parts.store.holders(&BTreeSet::new(), ids).await?;
        let (made, changed): (Vec<_>, Vec<_>) = links
            .into_iter()
            .map(Box::new)
            .partition(|link| link.revision == Revision::FIRST);
        let targets = made.into_iter().map(BatchLink::Read).collect();
        let mut results = self.change_each(targets, &BatchAction::Delete, false).await;
        results.extend(changed.into_iter().map(|link| BatchResult {
            outcome: Err(Error::Outdated(link.key.clone())),
            key: link.key,
        }));
        Ok(results)
    }

    async fn targets(
        &self,
        scope: BatchScope,
    ) -> Result<(Vec<BatchLink>, Option<Position>), Error> {
        match scope {
            BatchScope::Keys(keys) => {
                let mut seen = HashSet::new();
                let once = keys
                    .into_iter()
                    .filter(|key| seen.insert(self.domains().canonical(key).into_owned()));
                Ok((once.map(BatchLink::Named).collect(), None))
            }
            BatchScope::Filter { filter, after } => {
                let request = ListLinks {
                    size: PageSize::new(LinkService::BATCH.into()).expect("fewer than on a page"),
                    order: LinkOrder::SlugAscending,
                    filter,
                    after,
                };
                let page = self.list(request).await?;
                let read = page.links.into_iter().map(Box::new);
                Ok((read.map(BatchLink::Read).collect(), page.next))
            }
        }
    }

    async fn change_each(
        &self,
        targets: Vec<BatchLink>,
        action: &BatchAction,
        dry_run: bool,
    ) -> Vec<BatchResult> {
        let mut results = Vec::with_capacity(targets.len());
        let mut targets = targets.into_iter();
        loop {
            let mut running = JoinSet::new();
            for (index, target) in targets.by_ref().take(AT_ONCE).enumerate() {
                let (this, action) = (self.clone(), action.clone());
                running.spawn(async move {
                    let key = target.key().clone();
                    let outcome = this.change_one(target, &action, dry_run).await;
                    (index, BatchResult { key, outcome })
                });
            }
            if running.is_empty() {
                return results;
            }
            let mut some = running.join_all().await;
            some.sort_by_key(|(index, _)| *index);
            let mut outcomes = some.iter().map(|(_, result)| &result.outcome);
            let store_is_away = outcomes.all(|outcome| matches!(outcome, Err(Error::Store(_))));
            results.extend(some.into_iter().map(|(_, result)| result));
            if store_is_away {
                // Waiting for each of the others would take one timeout each.
                results.extend(targets.map(BatchLink::not_tried));
                return results;
            }
        }
    }

    async fn change_one(
        &self,
        target: BatchLink,
        action: &BatchAction,
        dry_run: bool,
    ) -> Result<BatchOutcome, Error> {
        let key = match target {
            // A link that has changed meanwhile may not meet the filter any more.
            BatchLink::Read(link) => return self.apply(*link, action, dry_run).await,
            BatchLink::Named(key) => key,
        };
        let mut attempts = Attempts::default();
        loop {
            let outcome = match self.get(&key).await {
                Err(Error::LinkNotFound(_)) => return Ok(BatchOutcome::NotFound),
                link => self.apply(link?, action, dry_run).await,
            };
            if attempts.end_with(&outcome) {
                return outcome;
            }
        }
    }

    /// Changes a link if it is unchanged since it was read.
    async fn apply(
        &self,
        link: Link,
        action: &BatchAction,
        dry_run: bool,
    ) -> Result<BatchOutcome, Error> {
        match action.changed(&link)? {
            Some(changed) if changed == link => return Ok(BatchOutcome::Unchanged),
            Some(changed) => drop(self.change(changed, &link, dry_run).await?),
            None if dry_run => {}
            None => self.delete_version(&link).await?,
        }
        Ok(BatchOutcome::Done)
    }
}

impl BatchLink {
    fn key(&self) -> &LinkKey {
        match self {
            Self::Named(key) => key,
            Self::Read(link) => &link.key,
        }
    }

    fn not_tried(self) -> BatchResult {
        let error = StoreError::Failed {
            action: "change links before this one",
            source: "the rest of the batch was left alone".into(),
        };
        BatchResult {
            key: self.key().clone(),
            outcome: Err(Error::Store(error)),
        }
    }
}

impl BatchAction {
    /// The link after a change; `None` if it is deleted.
    fn changed(&self, link: &Link) -> Result<Option<Link>, Error> {
        let mut changed = link.clone();
        let content = &mut changed.content;
        match self {
            Self::Delete => return Ok(None),
            Self::AddTags(tags) => {
                content.tags = Tags::new(content.tags.iter().chain(tags).cloned())?;
            }
            Self::RemoveTags(tags) => {
                let kept = content.tags.iter().filter(|tag| !tags.contains(tag));
                content.tags = Tags::new(kept.cloned())?;
            }
            Self::SetExpiry(expires_at) => content.expires_at = Some(*expires_at),
            Self::ClearExpiry => content.expires_at = None,
        }
        Ok(Some(changed))
    }
}

#[cfg(test)]
mod tests {
    use slugline_domain::{Reach, StatusFilter, ports::LinkStore};
    use slugline_testkit::{NOON, assert_matches, key, link, seconds, tag, with};

    use super::*;
    use crate::links::fixture::{demonstration, fixture};

    /// A test of the link after an action.
    type IsRight = fn(Option<Link>) -> bool;

    fn tags(texts: &[&str]) -> Tags {
        Tags::new(texts.iter().map(|text| tag(text))).unwrap()
    }

    fn on(keys: &[&str], action: BatchAction) -> BatchChange {
        BatchChange {
            action,
            scope: BatchScope::Keys(keys.iter().map(|text| key(text)).collect()),
            dry_run: false,
        }
    }

    fn on_tagged(text: &str, action: BatchAction) -> BatchChange {
        BatchChange {
            scope: BatchScope::Filter {
                filter: LinkFilter {
                    tag: Some(tag(text)),
                    status: StatusFilter::All,
                    ..LinkFilter::default()
                },
                after: None,
            },
            ..on(&[], action)
        }
    }

    /// Slugs and outcomes; a refusal as its text.
    fn told(report: &BatchReport) -> Vec<(&str, String)> {
        let results = report.results.iter();
        let told = results.map(|BatchResult { key, outcome }| match outcome {
            Ok(outcome) => (key.slug.as_str(), format!("{outcome:?}")),
            Err(error) => (key.slug.as_str(), error.to_string()),
        });
        told.collect()
    }

    #[tokio::test]
    async fn each_link_gets_the_result_that_a_change_of_it_alone_would_have() {
        let ten: Vec<String> = (0..10).map(|number| format!("t{number}")).collect();
        let ten: Vec<&str> = ten.iter().map(String::as_str).collect();
        let old = link("old").tags(&["b"]).expires(-5).build();
        let fixture = fixture()
            .holding_all(&[
                old.clone(),
                link("full").tags(&ten).build(),
                link("has").tags(&["new", "a"]).build(),
            ])
            .await;
        fixture.resolver.find(&key("old")).await.unwrap();
        let add = BatchAction::AddTags(tags(&["new"]));
        let names = ["OLD", "full", "nobody", "has", "old"];
        let dry = with(on(&names, add.clone()), |it| it.dry_run = true);
        let expected = [
            ("OLD", "Done"),
            ("full", "a link would have too many tags"),
            ("nobody", "NotFound"),
            ("has", "Unchanged"),
        ]
        .map(|(key, outcome)| (key, outcome.to_owned()));
        let would = fixture.links.change_many(dry).await.unwrap();
        assert_eq!(told(&would), expected);
        assert_eq!(fixture.links.get(&key("old")).await.unwrap(), old);

        let report = fixture.links.change_many(on(&names, add)).await.unwrap();
        assert_eq!(told(&report), expected);
        let changed = fixture.links.get(&key("old")).await.unwrap();
        assert_eq!(changed.content.tags, tags(&["b", "new"]));
        assert_eq!(changed.revision, old.revision.next());
        assert_eq!(changed.updated_at, NOON);
        let seen = fixture.resolver.find(&key("old")).await.unwrap().unwrap();
        assert_eq!(seen.revision, changed.revision);
    }

    #[tokio::test]
    async fn every_action_does_what_it_says_and_nothing_twice() {
        let cases: [(BatchAction, IsRight); 4] = [
            (BatchAction::RemoveTags(tags(&["a", "z"])), |link| {
                link.unwrap().content.tags == tags(&["b"])
            }),
            (BatchAction::SetExpiry(seconds(9)), |link| {
                link.unwrap().content.expires_at == Some(seconds(9))
            }),
            (BatchAction::ClearExpiry, |link| {
                link.unwrap().content.expires_at.is_none()
            }),
            (BatchAction::Delete, |link| link.is_none()),
        ];
        for (action, is_right) in cases {
            let before = link("docs").tags(&["a", "b"]).expires(5).build();
            let fixture = fixture().holding_all(&[before]).await;
            fixture.resolver.find(&key("docs")).await.unwrap();
            for again in [false, true] {
                let report = fixture.links.change_many(on(&["docs"], action.clone()));
                let expected = match (again, &action) {
                    (false, _) => "Done",
                    (true, BatchAction::Delete) => "NotFound",
                    (true, _) => "Unchanged",
                };
                assert_eq!(told(&report.await.unwrap())[0].1, expected, "{action:?}");
                let stored = fixture.store.find(&key("docs")).await.unwrap();
                assert!(is_right(stored.clone()), "{stored:?}");
                let seen = fixture.resolver.find(&key("docs")).await.unwrap();
                assert_eq!(seen.is_some(), stored.is_some(), "{action:?}");
            }
        }
    }

    #[tokio::test]
    async fn a_filter_goes_through_all_links_though_the_action_takes_them_out_of_it() {
        let many = usize::from(LinkService::BATCH) + 3;
        let links: Vec<Link> = (0..many)
            .map(|number| link(&format!("s{number:04}")).tags(&["t"]).build())
            .collect();
        let fixture = fixture().holding_all(&links).await;
        let other = link("other").tags(&["u"]).build();
        let fixture = fixture.holding(&other).await;
        let mut change = on_tagged("t", BatchAction::RemoveTags(tags(&["t"])));
        let first = fixture.links.change_many(change.clone()).await.unwrap();
        assert_eq!(first.results.len(), usize::from(LinkService::BATCH));
        let next = first.next.unwrap();
        if let BatchScope::Filter { after, .. } = &mut change.scope {
            *after = Some(next);
        }
        let last = fixture.links.change_many(change).await.unwrap();
        assert_eq!(told(&last)[2], ("s0502", "Done".to_owned()));
        assert_eq!((last.results.len(), last.next), (3, None));
        let left = fixture.store.tags(&Reach::Everything, None).await.unwrap();
        assert_eq!(left.len(), 1);
        let untouched = fixture.store.find(&other.key).await.unwrap();
        assert_eq!(untouched, Some(other));
    }

    #[tokio::test]
    async fn a_filter_takes_the_very_spelling_that_it_found() {
        let fixture = fixture()
            .holding_all(&[
                link("Docs").id("upper").tags(&["t"]).build(),
                link("docs").id("lower").build(),
            ])
            .await;
        let delete = on_tagged("t", BatchAction::Delete);
        let report = fixture.links.change_many(delete).await.unwrap();
        assert_eq!(told(&report), [("Docs", "Done".to_owned())]);
        assert!(fixture.store.find(&key("docs")).await.unwrap().is_some());
        assert_eq!(fixture.store.find(&key("Docs")).await.unwrap(), None);
    }

    #[tokio::test]
    async fn a_store_that_is_away_fails_links_but_not_what_it_forbids() {
        let fixture = fixture().holding_all(&[link("docs").build()]).await;
        fixture.file.break_down();
        let names: Vec<String> = (0..50).map(|number| format!("s{number}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let report = fixture.links.change_many(on(&names, BatchAction::Delete));
        let report = report.await.unwrap();
        assert_eq!(report.results.len(), 50);
        for result in &report.results {
            assert_matches!(result.outcome, Err(Error::Store(_)), "{result:?}");
        }
        let tagged = on_tagged("t", BatchAction::Delete);
        let unlisted = fixture.links.change_many(tagged);
        assert_matches!(unlisted.await, Err(Error::Store(_)));
        let past = on(&["docs"], BatchAction::SetExpiry(NOON));
        let past = fixture.links.change_many(past);
        assert_matches!(past.await, Err(Error::ExpiryNotInFuture { .. }));
    }

    #[tokio::test]
    async fn a_demonstration_lets_nobody_change_many_links() {
        let fixture = demonstration().holding(&link("docs").build()).await;
        for (action, dry_run) in [
            (BatchAction::Delete, false),
            (BatchAction::ClearExpiry, false),
            (BatchAction::Delete, true),
        ] {
            let change = with(on(&["docs"], action), |it| it.dry_run = dry_run);
            let refused = fixture.links.change_many(change).await;
            assert_matches!(refused, Err(Error::PreviewMode(_)));
        }
    }
}
