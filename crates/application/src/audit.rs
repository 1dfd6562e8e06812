//! The audit trail: reading it, and removing its old lines.

use std::{sync::Arc, time::Duration};

use slugline_domain::{
    AuditFilter, AuditLine, AuditPosition, AuditQuery, AuditedOperation, CallerName, DomainName,
    LinkKey, PageSize, Scope, UnixMillis,
    ports::{AuditTrail, Clock, StoreError},
};

use crate::{access::Access, error::Error, named_domains::NamedDomains};

/// The use cases of the audit trail.
#[derive(Clone, Debug)]
pub struct AuditService {
    parts: Arc<AuditParts>,
}

/// The dependencies of the use cases of the audit trail.
#[derive(Debug)]
pub struct AuditParts {
    /// Holds the lines.
    pub trail: Arc<dyn AuditTrail>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// The domains, and their rules for the spelling of slugs.
    pub domains: NamedDomains,
    /// The time for which lines are kept; `None` keeps them for ever.
    pub keep_for: Option<Duration>,
}

/// A request for a page of the audit trail. Members that are `None` exclude nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListAudit {
    /// Only lines from this moment on.
    pub from: Option<UnixMillis>,
    /// Only lines before this moment.
    pub until: Option<UnixMillis>,
    /// Only changes of the link that has or had this key.
    pub key: Option<LinkKey>,
    /// Only changes of this domain and of its links.
    pub domain: Option<DomainName>,
    /// Only changes by this caller.
    pub caller: Option<CallerName>,
    /// Only changes of this kind.
    pub operation: Option<AuditedOperation>,
    /// The number of lines on a page.
    pub size: PageSize,
    /// Only lines after this position.
    pub after: Option<AuditPosition>,
}

/// A page of the audit trail, the newest line first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditPage {
    /// The lines.
    pub lines: Vec<AuditLine>,
    /// The position of the next page; `None` after the last page.
    pub next: Option<AuditPosition>,
}

impl AuditService {
    /// The access rule of [`Self::list`].
    pub const LIST: Access = Access::always(Scope::Admin);

    /// The most lines that [`Self::remove_old`] removes in one transaction: some milliseconds
    /// of work, for which other changes wait.
    pub const PIECE: u32 = 500;

    /// Creates the use cases from their dependencies.
    pub fn new(parts: AuditParts) -> Self {
        Self {
            parts: Arc::new(parts),
        }
    }

    /// Returns a page of lines.
    ///
    /// # Errors
    /// The store failed.
    pub async fn list(&self, request: ListAudit) -> Result<AuditPage, Error> {
        // A domain that was taken away has lines, too.
        let domains = &self.parts.domains;
        let query = AuditQuery {
            filter: AuditFilter {
                from: request.from,
                until: request.until,
                keys: request
                    .key
                    .map_or_else(Vec::new, |key| domains.spellings(key).collect()),
                domain: request.domain.map(|name| domains.recorded(name)),
                caller: request.caller,
                operation: request.operation,
            },
            after: request.after,
            limit: request.size.limit(),
        };
        let mut lines = self.parts.trail.lines(&query).await?;
        let next = request.size.cut(&mut lines, AuditPosition::after);
        Ok(AuditPage { lines, next })
    }

    /// Removes some of the lines that are older than lines are kept. Returns whether more may be
    /// left. Several nodes may do this at once.
    ///
    /// # Errors
    /// The store failed.
    pub async fn remove_old(&self) -> Result<bool, StoreError> {
        let Some(keep_for) = self.parts.keep_for else {
            return Ok(false);
        };
        let kept = i64::try_from(keep_for.as_millis()).unwrap_or(i64::MAX);
        let moment = UnixMillis::new(self.parts.clock.now().get().saturating_sub(kept));
        let removed = self.parts.trail.remove_before(moment, Self::PIECE).await?;
        Ok(removed == u64::from(Self::PIECE))
    }
}

#[cfg(test)]
mod tests {
    use slugline_domain::ports::LinkStore;
    use slugline_testkit::{
        ALL, FixedClock, MemoryLinkStore, NOON, key, link, noted, seconds, with,
    };

    use super::*;

    /// A trail with a line for each of the first seconds after noon.
    async fn trail(lines: u32) -> Arc<MemoryLinkStore> {
        let trail = Arc::new(MemoryLinkStore::default());
        for number in 0..lines {
            let made = link(&format!("s{number}")).build();
            let at = noted(seconds(i64::from(number)));
            trail.insert(&ALL, &made, &at).await.unwrap();
        }
        trail
    }

    async fn service(keep_for: Option<Duration>, lines: u32) -> (AuditService, Arc<FixedClock>) {
        let clock = Arc::new(FixedClock::at(NOON));
        let service = AuditService::new(AuditParts {
            trail: trail(lines).await,
            clock: clock.clone(),
            domains: NamedDomains::default(),
            keep_for,
        });
        (service, clock)
    }

    fn of_size(lines: i64) -> ListAudit {
        ListAudit {
            size: PageSize::new(lines).unwrap(),
            ..ListAudit::default()
        }
    }

    #[tokio::test]
    async fn pages_follow_each_other_until_the_last_one() {
        let (service, _) = service(None, 4).await;
        let first = service.list(of_size(2)).await.unwrap();
        assert_eq!(first.lines.len(), 2);
        assert_eq!(first.next, Some(AuditPosition::after(&first.lines[1])));
        let last = with(of_size(2), |it| it.after = first.next);
        let last = service.list(last).await.unwrap();
        assert_eq!(last.lines.len(), 2);
        assert_eq!(last.next, None);
        assert_eq!(service.list(of_size(4)).await.unwrap().next, None);
    }

    #[tokio::test]
    async fn a_slug_is_found_in_any_case() {
        let (service, _) = service(None, 3).await;
        let of_slug = with(ListAudit::default(), |it| it.key = Some(key("S1")));
        let page = service.list(of_slug).await.unwrap();
        assert_eq!(page.lines.len(), 1);
        assert_eq!(page.lines[0].key, Some(key("s1")));
    }

    #[tokio::test]
    async fn only_lines_that_are_too_old_are_removed() {
        let (for_ever, _) = service(None, 3).await;
        assert!(!for_ever.remove_old().await.unwrap());
        assert_eq!(for_ever.list(of_size(9)).await.unwrap().lines.len(), 3);
        let lines = AuditService::PIECE + 20;
        let (kept, clock) = service(Some(Duration::from_secs(1_000)), lines).await;
        assert!(!kept.remove_old().await.unwrap(), "nothing is old");
        // Every line but the last ten is older than a thousand seconds now.
        clock.advance_seconds(1_000 + i64::from(lines) - 10);
        assert!(kept.remove_old().await.unwrap(), "more may be left");
        assert!(!kept.remove_old().await.unwrap());
        let left = kept.list(of_size(1_000)).await.unwrap().lines;
        assert_eq!(left.len(), 10);
        assert_eq!(left[9].key, Some(key(&format!("s{}", lines - 10))));
    }
}
