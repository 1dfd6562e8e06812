//! A service under faults, and all its promises.

use std::{
    path::Path,
    process::Command,
    sync::atomic::{AtomicU64, Ordering},
};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{
    amount::Random,
    operation::{Operation, Reply},
    promise::Promise,
    shim::Faults,
    table::Table,
    versions::link,
};
use crate::support::{
    own_database::OwnDatabase,
    server::{Server, command, under_sh},
    sqlite,
};

/// The table's name for the time after the last fault.
const LIFTED: &str = "none any more";

/// A write beyond a limit raises a signal, which ends a program that does not ignore it; a full
/// disk only returns the error.
pub(crate) const IGNORING_LIMITS: &str = "trap '' XFSZ";

pub(crate) struct Trial {
    /// Present except between two lives.
    server: Option<Server>,
    pub(crate) faults: Faults,
    settings: Vec<(String, String)>,
    /// The shell commands before the shell becomes the service.
    preparation: String,
    pub(crate) table: Table,
    /// Each with its fault and operation.
    kept: Vec<(Promise, String, String)>,
    /// Checks of promises before this index skip the search.
    searched: usize,
    slugs: AtomicU64,
}

impl Trial {
    pub(crate) fn start() -> Self {
        Self::start_in(tempfile::tempdir().unwrap(), &[])
    }

    /// On a PostgreSQL database of its own.
    pub(crate) fn on_postgres(name: &str, random: &Random) -> (OwnDatabase, Self) {
        let database = OwnDatabase::create(&format!("{name}_{}", random.seed()));
        let url = ("SLUGLINE_DATABASE_URL", database.url().as_str());
        let trial = Self::start_in(tempfile::tempdir().unwrap(), &[url]);
        (database, trial)
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
        // The log output would have a line for each of many refusals.
        command.env("SLUGLINE_LOG", "off,sqlx=off");
        self.faults.attach(&mut command);
        let command = under_sh(&self.preparation, &command);
        self.server = Some(Server::start_by(command, folder));
    }

    /// Continues with a new service without links and settings; the table stays. In long runs
    /// each check would otherwise read more and more links.
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

    /// Has every new text fill the queue of texts to be indexed, so that each change of a link
    /// also writes to the index of searches.
    pub(crate) fn index_each_text(&mut self) {
        const FILL: &str = "CREATE TABLE filler (number INTEGER);;
            INSERT INTO filler WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n
            WHERE i < 299) SELECT -i FROM n;;
            CREATE TRIGGER fill AFTER INSERT ON link_search_queue WHEN new.number > 0 BEGIN
            INSERT OR IGNORE INTO link_search_queue SELECT number FROM filler; END";

        let (_, folder) = self.server.take().unwrap().stop("TERM");
        sqlite::execute(&folder.path().join("links.db"), FILL);
        self.start_again(folder);
    }

    fn command(&self, folder: impl AsRef<Path>) -> Command {
        let mut command = command(folder.as_ref());
        command.envs(self.settings.iter().map(|(name, value)| (name, value)));
        command
    }

    /// An unused slug.
    pub(crate) fn fresh_slug(&self) -> String {
        format!("s{}", self.slugs.fetch_add(1, Ordering::Relaxed))
    }

    /// Slugs of links of this version, created without faults; unused slugs if `version` is
    /// `None`.
    pub(crate) fn stock(&self, links: usize, version: Option<u32>) -> Vec<String> {
        let slugs: Vec<String> = (0..links).map(|_| self.fresh_slug()).collect();
        if let Some(version) = version {
            for some in slugs.chunks(100) {
                let links: Vec<Value> = some.iter().map(|slug| link(slug, version)).collect();
                let document = json!({"version": "1.0", "links": links});
                let imported = self.server().post("/api/link/import", &document).is(200);
                assert_eq!(imported.json()["success"], some.len(), "{}", imported.text);
            }
        }
        slugs
    }

    /// Checks a promise now and keeps it for later.
    pub(crate) fn keep(&mut self, fault: &str, operation: &str, promise: Promise) {
        if let Some(wrong) = promise.wrong_now(self.server()) {
            self.table.broken(fault, operation, &promise, wrong);
        }
        self.keep_for_later(fault, operation, promise);
    }

    /// Counts a reply, which must be a proper answer, and keeps the promise.
    pub(crate) fn answered(
        &mut self,
        fault: &str,
        operation: &str,
        reply: &Reply,
        promise: Promise,
    ) {
        if let Reply::Improper(_) | Reply::Unanswered(_) = reply {
            self.table.wrong(promise.told("no proper answer"));
        }
        self.table.row(fault, operation).count(reply);
        self.keep(fault, operation, promise);
    }

    pub(crate) fn keep_for_later(&mut self, fault: &str, operation: &str, promise: Promise) {
        self.kept
            .push((promise, fault.to_owned(), operation.to_owned()));
    }

    /// Creates a new link without any fault, which must succeed after at most `refusals`
    /// refusals.
    pub(crate) fn works_again(&mut self, story: &str, refusals: usize) {
        for attempt in 0..=refusals {
            let slug = vec![self.fresh_slug()];
            let reply = Operation::Create.send(self.server(), &slug, 1);
            let acknowledged = reply == Reply::Acknowledged;
            let promise = Promise::after(slug, None, Some(1), &reply, story);
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

    /// Sets a variable for the next starts.
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.settings.push((name.to_owned(), value.to_owned()));
    }

    /// Stops or kills the service, starts it again and checks all promises.
    pub(crate) fn restart(&mut self, signal: &str) {
        self.restart_unseen(signal);
        self.audit();
    }

    /// Restarts without the check, for example while links are locked.
    pub(crate) fn restart_unseen(&mut self, signal: &str) {
        let server = self.server.take().unwrap();
        let folder = match signal {
            "KILL" => server.kill(),
            signal => server.stop(signal).1,
        };
        self.start_again(folder);
    }

    /// Checks all promises, and runs `doctor` on the database.
    pub(crate) fn audit(&mut self) {
        let server = self.server.as_ref().unwrap();
        let links = server.links();
        let stored = |slug: &str| Ok(links.get(slug).cloned());
        for (index, (promise, fault, operation)) in self.kept.iter_mut().enumerate() {
            let (version, wrong) = if index < self.searched {
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
                // The version after a restart must not change any more.
                None => promise.settle(version),
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

/// The damage that `slugline doctor` reports.
fn damage(mut doctor: Command) -> Option<String> {
    let output = doctor.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let sound = output.status.success() && said.contains("links: ok: pages are sound");
    (!sound).then(|| format!("doctor: {said}"))
}
