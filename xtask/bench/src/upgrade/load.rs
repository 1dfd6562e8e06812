//! Redirects, new links and edits at the same time, and whether they were kept.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
};

use anyhow::{Result, bail};
use serde_json::json;

use crate::bench::{
    instance::Instance,
    visitor::{Answer, Visitor},
};

const KNOWN: u32 = 50;

/// The destination of a link's version.
pub(super) fn destination(version: u32) -> String {
    format!("https://example.com/{version}")
}

fn known(number: u32) -> String {
    format!("known-{number}")
}

/// The versions that nodes acknowledged, by slug.
#[derive(Debug, Default)]
pub(super) struct Promises {
    kept: Mutex<BTreeMap<String, u32>>,
    slugs: AtomicU64,
}

impl Promises {
    /// Creates the links that visitors follow.
    pub(super) fn make_known(&self, node: &Instance) -> Result<()> {
        for number in 0..KNOWN {
            let link = json!({"slug": known(number), "url": destination(0)});
            node.send("POST", "/api/link/create", &link)?;
            self.keep(&known(number), 0);
        }
        Ok(())
    }

    /// The links that a node has not as they were acknowledged.
    pub(super) fn lost_on(&self, node: &Instance) -> Result<Vec<String>> {
        let visitor = Visitor::new();
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let mut lost = Vec::new();
        for (slug, version) in kept.iter() {
            let link = stored(&visitor, node, slug)?;
            if link != destination(*version) {
                lost.push(format!("{slug}, version {version}: {link:?}"));
            }
        }
        Ok(lost)
    }

    fn keep(&self, slug: &str, version: u32) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.insert(slug.to_owned(), version);
    }

    fn fresh_slug(&self) -> String {
        format!("made-{}", self.slugs.fetch_add(1, Ordering::Relaxed))
    }
}

/// The answers of nodes under load.
#[derive(Debug, Default)]
pub(super) struct Load {
    pub(super) redirects: u64,
    /// Answers to visitors of known links that were no redirects.
    pub(super) failed: Vec<String>,
    /// Acknowledged writes.
    pub(super) writes: u64,
    /// Answers to writes that were no acknowledgements.
    refused: Vec<String>,
}

impl Load {
    /// Follows links on each node, and creates and edits links on each, during some events.
    pub(super) fn on<T>(
        nodes: &[&Instance],
        promises: &Promises,
        events: impl FnOnce() -> Result<T>,
    ) -> Result<(T, Self)> {
        let stop = AtomicBool::new(false);
        thread::scope(|scope| {
            let stop = &stop;
            let mut clients = Vec::new();
            for node in nodes {
                clients.push(scope.spawn(move || follow(node, stop)));
                clients.push(scope.spawn(move || write(node, promises, stop)));
            }
            let outcome = events();
            stop.store(true, Ordering::Relaxed);
            let mut sum = Self::default();
            for client in clients {
                let Ok(load) = client.join() else {
                    bail!("a client panicked");
                };
                sum.redirects += load.redirects;
                sum.failed.extend(load.failed);
                sum.writes += load.writes;
                sum.refused.extend(load.refused);
            }
            Ok((outcome?, sum))
        })
    }

    pub(super) fn report(&self, what: &str) {
        let Self {
            redirects,
            failed,
            writes,
            refused,
        } = self;
        println!(
            "{what}: redirects {redirects}, failed {}; writes acknowledged {writes}, refused {}",
            failed.len(),
            refused.len()
        );
        for answer in failed.iter().chain(refused).take(5) {
            println!("  {answer}");
        }
    }
}

fn follow(node: &Instance, stop: &AtomicBool) -> Load {
    let visitor = Visitor::new();
    let mut load = Load::default();
    while !stop.load(Ordering::Relaxed) {
        for number in 0..KNOWN {
            match location(&visitor, node, &known(number)) {
                Ok(location) if location == destination(0) => load.redirects += 1,
                other => load.failed.push(format!("{}: {other:?}", known(number))),
            }
        }
    }
    load
}

fn write(node: &Instance, promises: &Promises, stop: &AtomicBool) -> Load {
    let visitor = Visitor::new();
    let mut load = Load::default();
    while !stop.load(Ordering::Relaxed) {
        let slug = promises.fresh_slug();
        let requests = [("POST", "create"), ("PUT", "edit"), ("PUT", "edit")];
        for ((method, path), version) in requests.into_iter().zip(0..) {
            let link = json!({"slug": slug, "url": destination(version)}).to_string();
            match visitor.send(node, method, &format!("/api/link/{path}"), link) {
                Ok(Answer { status: 201, .. }) => {
                    load.writes += 1;
                    promises.keep(&slug, version);
                }
                other => {
                    load.refused.push(format!("{method} {slug}: {other:?}"));
                    break;
                }
            }
        }
    }
    load
}

/// The address to which a link leads; empty if the answer is no redirect.
pub(super) fn location(visitor: &Visitor, node: &Instance, slug: &str) -> Result<String> {
    Ok(visitor.visit(node, &format!("/{slug}"))?.location)
}

/// The destination of a link in the database; the whole answer if there is none.
fn stored(visitor: &Visitor, node: &Instance, slug: &str) -> Result<String> {
    let text = visitor
        .visit(node, &format!("/api/link/query?slug={slug}"))?
        .text;
    let link: serde_json::Value = serde_json::from_str(&text)?;
    Ok(link["url"].as_str().map_or(text, str::to_owned))
}
