//! A service to break, and all that it promised.

use std::{
    collections::BTreeMap,
    path::Path,
    process::Command,
    sync::atomic::{AtomicU64, Ordering},
};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{
    operation::{Operation, Reply},
    promise::Promise,
    shim::Faults,
    table::Table,
    versions::link,
};
use crate::server::{Server, command, under_sh};

/// What the table calls the time when no fault is left.
const LIFTED: &str = "none any more";

/// A write beyond a limit is a signal, which ends a program that does not ignore
/// it; a full disk is only the error.
pub(crate) const IGNORING_LIMITS: &str = "trap '' XFSZ";

pub(crate) struct Trial {
    /// There but for the moment between two lives.
    server: Option<Server>,
    pub(crate) faults: Faults,
    settings: Vec<(String, String)>,
    /// What a shell does before it becomes the service.
    preparation: String,
    pub(crate) table: Table,
    /// With the fault and the operation they came from.
    kept: Vec<(Promise, String, String)>,
    /// Those before are looked at without the search.
    searched: usize,
    slugs: AtomicU64,
}

impl Trial {
    pub(crate) fn start() -> Self {
        Self::start_in(tempfile::tempdir().unwrap(), &[])
    }

    pub(crate) fn start_in(folder: TempDir, settings: &[(&str, &str)]) -> Self {
        let settings = settings
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let mut trial = Self {
            server: None,
            faults: Faults::none(),
            settings: settings.collect(),
            preparation: IGNORING_LIMITS.to_owned(),
            table: Table::default(),
            kept: Vec::new(),
            searched: 0,
            slugs: AtomicU64::new(0),
        };
        trial.start_again(folder);
        trial
    }

    pub(crate) fn server(&self) -> &Server {
        self.server.as_ref().unwrap()
    }

    fn start_again(&mut self, folder: TempDir) {
        let mut command = self.command(&folder);
        // The refusals are many, and each is a line.
        command.env("SLUGLINE_LOG", "off,sqlx=off");
        self.faults.attach(&mut command);
        let command = under_sh(&self.preparation, &command);
        self.server = Some(Server::start_by(command, folder));
    }

    /// Goes on with a service that has no links and no settings yet; the table
    /// stays. Long runs would ask for more and more links at every look.
    pub(crate) fn begin_anew(&mut self) {
        self.begin_anew_in(tempfile::tempdir().unwrap(), IGNORING_LIMITS);
    }

    pub(crate) fn begin_anew_in(&mut self, folder: TempDir, preparation: &str) {
        self.server = None;
        self.settings.clear();
        preparation.clone_into(&mut self.preparation);
        self.kept.clear();
        self.searched = 0;
        self.start_again(folder);
    }

    fn command(&self, folder: impl AsRef<Path>) -> Command {
        let mut command = command(folder.as_ref());
        command.envs(self.settings.iter().map(|(name, value)| (name, value)));
        command
    }

    /// A slug that nobody has used.
    pub(crate) fn fresh_slug(&self) -> String {
        format!("s{}", self.slugs.fetch_add(1, Ordering::Relaxed))
    }

    /// Slugs of links of this version, made without any fault; fresh slugs when
    /// there are to be no links.
    pub(crate) fn stock(&self, links: usize, version: Option<u32>) -> Vec<String> {
        let slugs: Vec<String> = (0..links).map(|_| self.fresh_slug()).collect();
        if let Some(version) = version {
            for some in slugs.chunks(100) {
                let links: Vec<Value> = some.iter().map(|slug| link(slug, version)).collect();
                let document = json!({"version": "1.0", "links": links});
                let import = self.server().api("POST", "/api/link/import");
                let imported = import.json(&document).send();
                assert_eq!(imported.status, 200, "{}", imported.text);
                assert_eq!(imported.json()["success"], some.len(), "{}", imported.text);
            }
        }
        slugs
    }

    /// Looks at a promise at once and keeps it for later.
    pub(crate) fn keep(&mut self, fault: &str, operation: &str, promise: Promise) {
        if let Some(wrong) = promise.wrong_now(self.server()) {
            self.table.broken(fault, operation, &promise, wrong);
        }
        self.keep_for_later(fault, operation, promise);
    }

    pub(crate) fn keep_for_later(&mut self, fault: &str, operation: &str, promise: Promise) {
        self.kept
            .push((promise, fault.to_owned(), operation.to_owned()));
    }

    /// No fault is left, so a new link is made and is there, after so many
    /// refusals at most.
    pub(crate) fn works_again(&mut self, story: &str, refusals: usize) {
        for attempt in 0..=refusals {
            let slug = vec![self.fresh_slug()];
            let reply = Operation::Create.send(self.server(), &slug, 1);
            let acknowledged = reply == Reply::Acknowledged;
            let mut promise = Promise::of(slug, None);
            promise.asked_for(Some(1), acknowledged);
            story.clone_into(&mut promise.story);
            if !acknowledged && (attempt == refusals || reply != Reply::Refused) {
                let wrong = promise.told(&format!("it does not work again: {reply:?}"));
                self.table.wrong(wrong);
            }
            self.table.row(LIFTED, "Create").count(&reply);
            self.keep(LIFTED, "Create", promise);
            if acknowledged {
                return;
            }
        }
    }

    /// A setting of the lives to come.
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.settings.push((name.to_owned(), value.to_owned()));
    }

    /// Stops the service, by a signal that it may act on or by death, starts it
    /// again and looks at all that was promised.
    pub(crate) fn restart(&mut self, signal: &str) {
        self.restart_unseen(signal);
        self.audit();
    }

    /// The same without a look, as when links are locked.
    pub(crate) fn restart_unseen(&mut self, signal: &str) {
        let server = self.server.take().unwrap();
        let folder = match signal {
            "KILL" => server.kill(),
            signal => server.stop(signal).1,
        };
        self.start_again(folder);
    }

    /// Looks at all that was promised, and has `doctor` look at the database.
    pub(crate) fn audit(&mut self) {
        let server = self.server.as_ref().unwrap();
        let links = all_links(server);
        let stored = |slug: &str| Ok(links.get(slug).cloned());
        for (place, (promise, fault, operation)) in self.kept.iter_mut().enumerate() {
            let (version, wrong) = if place < self.searched {
                match promise.version(stored) {
                    Ok(version) => (version, None),
                    Err(wrong) => (None, Some(promise.told(&wrong))),
                }
            } else {
                promise.wrong_with(server, stored)
            };
            match wrong {
                Some(wrong) => {
                    let wrong = format!("later: {wrong}");
                    self.table.broken(fault, operation, promise, wrong);
                }
                // What a restart has shown does not change any more.
                None => promise.allowed = vec![version],
            }
        }
        self.searched = self.kept.len();
        let mut doctor = self.command(server.folder());
        doctor.arg("doctor");
        if let Some(damage) = damage(under_sh(&self.preparation, &doctor)) {
            self.table.wrong(damage);
        }
    }
}

/// Every link of a service, by slug.
fn all_links(server: &Server) -> BTreeMap<String, Value> {
    let mut links = BTreeMap::new();
    let mut cursor = String::new();
    loop {
        // Some of them are as long as they may be.
        let path = format!("/api/link/list?limit=100&status=all&sort=az&cursor={cursor}");
        let answer = server.api("GET", &path).send();
        assert_eq!(answer.status, 200, "{}", answer.text);
        let page = answer.json();
        for link in page["links"].as_array().unwrap() {
            links.insert(link["slug"].as_str().unwrap().to_owned(), link.clone());
        }
        match page["cursor"].as_str() {
            Some(next) => next.clone_into(&mut cursor),
            None => return links,
        }
    }
}

/// What `slugline doctor` finds wrong.
fn damage(mut doctor: Command) -> Option<String> {
    let output = doctor.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let sound = output.status.success() && said.contains("links: ok: pages are sound");
    (!sound).then(|| format!("doctor: {said}"))
}
