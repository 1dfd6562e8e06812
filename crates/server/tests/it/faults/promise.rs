//! A promise of stored versions, and its check.

use serde_json::Value;

use super::{
    operation::Reply,
    versions::{EXPIRED, destination, mark, tags, version_of},
};
use crate::support::server::Server;

/// The possible versions of links that only one client has changed.
#[derive(Clone, Debug)]
pub(crate) struct Promise {
    /// Links that change together, so they have one version.
    pub(crate) slugs: Vec<String>,
    /// The versions that may be stored; `None` means no link. One after an acknowledgement, two
    /// after a refusal.
    pub(crate) allowed: Vec<Option<u32>>,
    /// The changes of each link that were certainly made, each with a line in the audit trail.
    changes: usize,
    /// All versions that the client ever requested.
    pub(crate) asked: Vec<u32>,
    /// True if the service acknowledged the latest request.
    pub(crate) acknowledged: bool,
    /// The steps so far, to repeat them.
    pub(crate) story: String,
}

impl Promise {
    /// For links whose client has had no answer yet.
    pub(crate) fn of(slugs: Vec<String>, before: Option<u32>) -> Self {
        Self {
            slugs,
            allowed: vec![before],
            changes: usize::from(before.is_some()),
            asked: before.into_iter().collect(),
            acknowledged: true,
            story: String::new(),
        }
    }

    /// The same, after one request for this version.
    pub(crate) fn after(
        slugs: Vec<String>,
        before: Option<u32>,
        version: Option<u32>,
        reply: &Reply,
        story: &str,
    ) -> Self {
        let mut promise = Self::of(slugs, before);
        promise.asked_for(version, *reply == Reply::Acknowledged);
        promise.story = format!("{story}: {reply:?}");
        promise
    }

    /// Records a request for this version.
    pub(crate) fn asked_for(&mut self, version: Option<u32>, acknowledged: bool) {
        self.acknowledged = acknowledged;
        self.asked.extend(version);
        if acknowledged {
            self.allowed.clear();
            self.changes += 1;
        }
        self.allowed.push(version);
    }

    /// Records that this version is stored, and stays.
    pub(crate) fn settle(&mut self, version: Option<u32>) {
        self.changes = self.changes_with(version);
        self.allowed = vec![version];
    }

    /// The number of changes of each link if this version is stored. A refused change may have
    /// been made.
    fn changes_with(&self, version: Option<u32>) -> usize {
        self.changes + usize::from(version != self.allowed[0])
    }

    /// The fault in the stored links, read one by one.
    pub(crate) fn wrong_now(&self, server: &Server) -> Option<String> {
        self.wrong_with(server, |slug| {
            get(server, &format!("/api/link/query?slug={slug}"))
        })
        .1
    }

    /// Like [`Promise::wrong_now`], with another way to read a link. Also returns the stored
    /// version.
    pub(crate) fn wrong_with(
        &self,
        server: &Server,
        stored: impl Fn(&str) -> Result<Option<Value>, String>,
    ) -> (Option<u32>, Option<String>) {
        match self.version(stored) {
            Ok(version) => {
                // One statement indexes all of them.
                let found = self.slugs.iter().take(2).find_map(|slug| {
                    let wrong = self.disagreement(server, slug, version);
                    let wrong = wrong.or_else(|| self.wrong_lines(server, slug, version));
                    wrong.or_else(|| self.wrong_history(server, slug, version))
                });
                (version, found.map(|wrong| self.told(&wrong)))
            }
            Err(wrong) => (None, Some(self.told(&wrong))),
        }
    }

    /// The version of all links, which must be an allowed one.
    pub(crate) fn version(
        &self,
        stored: impl Fn(&str) -> Result<Option<Value>, String>,
    ) -> Result<Option<u32>, String> {
        let mut versions = Vec::new();
        for slug in &self.slugs {
            versions.push(match stored(slug)? {
                None => None,
                Some(link) => match version_of(&link, &self.asked) {
                    None => return Err(format!("a mixture of versions: {link}")),
                    version => version,
                },
            });
        }
        let version = versions[0];
        if versions.iter().any(|other| *other != version) {
            return Err(format!("done in part: {versions:?}"));
        }
        if !self.allowed.contains(&version) {
            return Err(format!("{version:?} is there"));
        }
        Ok(version)
    }

    /// Checks that the search, the tags and a visitor see the same version.
    fn disagreement(&self, server: &Server, slug: &str, version: Option<u32>) -> Option<String> {
        for asked in &self.asked {
            let there = version == Some(*asked);
            let path = format!("/api/link/search?status=all&q={}", mark(slug, *asked));
            let found = get(server, &path).ok().flatten();
            let links = found.iter().flat_map(|found| found.as_array().unwrap());
            let slugs: Vec<&Value> = links.map(|link| &link["slug"]).collect();
            let expected: &[&str] = if there { &[slug] } else { &[] };
            if found.is_none() || slugs != expected {
                return Some(format!("{version:?} is there, but {path} finds {found:?}"));
            }
            for tag in tags(slug, *asked) {
                let path = format!("/api/link/count?status=all&tag={tag}");
                let count = get(server, &path).ok().flatten().unwrap_or_default();
                if count["count"] != u64::from(there) {
                    return Some(format!("{version:?} is there, but not so by {path}"));
                }
            }
        }
        let visit = server.visit(&format!("/{slug}"));
        let location = visit.header("location").to_owned();
        let expected = version
            .filter(|version| *version != EXPIRED)
            .map_or_else(String::new, |version| destination(slug, version));
        (location != expected)
            .then(|| format!("{version:?} is there, but visitors go to {location:?}"))
    }

    /// Checks that the audit trail has one line for each change of the link, and no other.
    fn wrong_lines(&self, server: &Server, slug: &str, version: Option<u32>) -> Option<String> {
        let path = format!("/api/audit?slug={slug}&limit=100");
        wrong_number(server, &path, "lines", self.changes_with(version))
    }

    /// Checks that the link has a version for each change that made one.
    fn wrong_history(&self, server: &Server, slug: &str, version: Option<u32>) -> Option<String> {
        /// The present version, and those that are kept.
        const MOST: usize = 21;

        let is_new = version.is_some_and(|version| version != EXPIRED);
        // A link that took the slug of an expired one has a history of its own.
        let is_only = !self.asked.contains(&EXPIRED);
        if !is_new || !is_only {
            return None;
        }
        let path = format!("/api/link/history?slug={slug}");
        wrong_number(
            server,
            &path,
            "versions",
            self.changes_with(version).min(MOST),
        )
    }

    pub(crate) fn told(&self, wrong: &str) -> String {
        let Self {
            slugs,
            allowed,
            acknowledged,
            story,
            ..
        } = self;
        let answered = if *acknowledged {
            "ACKNOWLEDGED"
        } else {
            "refused"
        };
        format!("{slugs:?} ({answered}; may be {allowed:?}): {wrong} [{story}]")
    }
}

/// Asks the service for the path; `None` if it has nothing there.
fn get(server: &Server, path: &str) -> Result<Option<Value>, String> {
    let answer = server.get(path);
    match answer.status {
        200 => Ok(Some(answer.json())),
        404 => Ok(None),
        status => Err(format!("reading {path}: {status} {}", answer.text)),
    }
}

/// Compares a list's length with the number of changes.
fn wrong_number(server: &Server, path: &str, list: &str, changes: usize) -> Option<String> {
    match get(server, path) {
        Ok(Some(found)) if found[list].as_array().unwrap().len() == changes => None,
        other => Some(format!("{changes} changes left these {list}: {other:?}")),
    }
}
