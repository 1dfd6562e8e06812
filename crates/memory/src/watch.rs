//! The timetable of the watch of destinations, and what it found.

use std::collections::{HashMap, HashSet};

use async_trait::async_trait;
use slugline_domain::{
    DueLink, Enrolment, Failing, Link, LinkId, UnixMillis, WatchClaim, Watched, host_to_ask,
    ports::{StoreError, WatchStore},
};

use crate::{MemoryLinkStore, timetable::Entry};

#[async_trait]
impl WatchStore for MemoryLinkStore {
    async fn enrol(
        &self,
        after: i64,
        moments: &[UnixMillis],
        latest: UnixMillis,
    ) -> Result<Enrolment, StoreError> {
        let mut state = self.open("put links on the timetable")?;
        let links: Vec<Link> = state.links().cloned().collect();
        let ids: HashSet<&str> = links.iter().map(|link| link.id.as_str()).collect();
        state.watch.retain(|id, _| ids.contains(id.as_str()));
        if let (0, Some(soon)) = (after, moments.first()) {
            let late = state.watch.values_mut();
            for entry in late.filter(|entry| entry.next_at > latest) {
                entry.next_at = *soon;
            }
        }
        let new = links
            .iter()
            .filter(|link| !state.watch.contains_key(link.id.as_str()))
            .cloned()
            .collect::<Vec<Link>>();
        for (link, &next_at) in new.iter().zip(moments) {
            let entry = Entry {
                host: host_to_ask(link.content.destination.as_str()),
                next_at,
                claimed_until: UnixMillis::new(0),
                found: None,
            };
            state.watch.insert(link.id.to_string(), entry);
        }
        Ok(Enrolment {
            position: after,
            more: new.len() > moments.len(),
        })
    }

    async fn claim(
        &self,
        now: UnixMillis,
        until: UnixMillis,
        limit: usize,
    ) -> Result<Vec<DueLink>, StoreError> {
        let mut state = self.open("claim destinations")?;
        let links: Vec<Link> = state.links().cloned().collect();
        let claimed = state.watch.values().filter(|one| one.claimed_until > now);
        let mut busy: HashSet<String> = claimed.map(|one| one.host.clone()).collect();
        let mut due: Vec<&Link> = links
            .iter()
            .filter(|link| {
                let entry = state.watch.get(link.id.as_str());
                entry.is_some_and(|one| one.next_at <= now && one.claimed_until <= now)
            })
            .collect();
        due.sort_by_key(|link| state.watch[link.id.as_str()].next_at);
        let mut found = Vec::new();
        for link in due {
            let host = host_to_ask(link.content.destination.as_str());
            if found.len() == limit || !busy.insert(host.clone()) {
                continue;
            }
            let Some(entry) = state.watch.get_mut(link.id.as_str()) else {
                continue;
            };
            entry.claimed_until = until;
            entry.host = host;
            found.push(DueLink {
                link: link.clone(),
                finding: entry.finding(link).cloned().unwrap_or_default(),
                claim: WatchClaim {
                    link: link.id.clone(),
                    until,
                },
            });
        }
        Ok(found)
    }

    async fn record(&self, claim: &WatchClaim, found: &Watched) -> Result<bool, StoreError> {
        let mut state = self.open("record what a destination answered")?;
        if !state.has_id(&claim.link) {
            return Ok(false);
        }
        let entry = state.watch.get_mut(claim.link.as_str());
        let Some(entry) = entry.filter(|entry| entry.claimed_until == claim.until) else {
            return Ok(false);
        };
        entry.claimed_until = found.rests_until;
        entry.next_at = found.next_at;
        entry.found = Some((found.destination.clone(), found.finding.clone()));
        Ok(true)
    }

    async fn broken(&self, links: &[&Link]) -> Result<HashMap<LinkId, Failing>, StoreError> {
        let state = self.open("read which destinations are broken")?;
        let broken = links.iter().filter_map(|link| {
            let failing = state.broken(link)?;
            Some((link.id.clone(), failing.clone()))
        });
        Ok(broken.collect())
    }
}
