//! The metrics of all parts, in the format of Prometheus.
//!
//! Each crate keeps its own counts and returns them as values; this module reads and formats
//! them for each scrape. No label has a value that a client chooses.
//!
//! | module | holds |
//! |---|---|
//! | `catalogue` | the list of metrics |
//! | `requests` | requests by route and status, counted by each worker for itself |
//! | `text` | the text format |
//! | `endpoint` | `/_metrics` |

mod catalogue;
mod endpoint;
mod requests;
mod text;

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Arc, atomic::Ordering},
};

pub(crate) use endpoint::{MetricsListener, PATH, resource};
pub(crate) use requests::{Measured, Requests, WorkerRequests};
use slugline_analytics::Recorder;
use slugline_application::{Authenticator, DestinationWatch, Passwords, Resolver};
use slugline_domain::{LogTrouble, UnixMillis, measure::Counter, ports::LinksWatch};
use slugline_redirect::{Outcome, Redirects};
use slugline_storage::{DatabaseUrl, SqlLinkStore};
use text::Text;

use crate::{
    VERSION,
    backup::schedule::BackupCounts,
    links_check::LinksHealth,
    settings::{AccessLog, Settings},
};

/// The parts whose metrics the service shows.
#[derive(Debug)]
pub(crate) struct Metrics {
    pub(crate) started_at: UnixMillis,
    pub(crate) requests: Requests,
    pub(crate) refused_connections: Arc<Counter>,
    pub(crate) redirects: Arc<Redirects>,
    pub(crate) resolver: Arc<Resolver>,
    pub(crate) passwords: Arc<Passwords>,
    pub(crate) authenticator: Arc<Authenticator>,
    pub(crate) store: Arc<SqlLinkStore>,
    pub(crate) recorder: Arc<Recorder>,
    pub(crate) backups: Arc<BackupCounts>,
    pub(crate) watch: Option<DestinationWatch>,
    pub(crate) links: Arc<LinksHealth>,
    pub(crate) files: Vec<DatabaseFile>,
}

/// A database in a file.
#[derive(Debug)]
pub(crate) struct DatabaseFile {
    name: &'static str,
    path: PathBuf,
}

/// The databases that an instance with these settings keeps in files.
pub(crate) fn files(settings: &Settings) -> Vec<DatabaseFile> {
    let file = |name, path| DatabaseFile { name, path };
    let links = match &settings.links {
        DatabaseUrl::File(path) => Some(file("links", path.clone())),
        DatabaseUrl::Postgres(_) => None,
    };
    let visits = match &settings.access_log {
        AccessLog::ClickHouse(_) => file("spool", settings.spool_file()),
        AccessLog::File(path) => file("visits", path.clone()),
    };
    links.into_iter().chain([visits]).collect()
}

impl DatabaseFile {
    /// Reads the size without opening the file: closing any handle of the file would release
    /// SQLite's locks.
    fn bytes(&self) -> u64 {
        let size = |path: &Path| fs::metadata(path).map_or(0, |data| data.len());
        let mut log = self.path.as_os_str().to_owned();
        log.push("-wal");
        size(&self.path) + size(Path::new(&log))
    }
}

impl Metrics {
    /// All metrics as text.
    pub(crate) fn render(&self) -> String {
        let mut text = Text::default();
        text.metric("slugline_build_info")
            .value(&[("version", VERSION)], 1);
        let started_at = self.started_at.second().get();
        text.number("process_start_time_seconds", started_at);
        self.render_requests(&mut text);
        self.render_links(&mut text);
        self.render_visits(&mut text);
        let sizes = self.files.iter().map(|file| (file.name, file.bytes()));
        text.by("slugline_file_size_bytes", "file", sizes);
        self.render_limits(&mut text);
        let ends = [("ok", &self.backups.made), ("failed", &self.backups.failed)];
        let ends = ends.map(|(end, count)| (end, count.load(Ordering::Relaxed)));
        text.by("slugline_backups_total", "end", ends);
        text.number(
            "slugline_backup_newest_timestamp_seconds",
            self.backups.newest.load(Ordering::Relaxed),
        );
        text.finish()
    }

    fn render_requests(&self, text: &mut Text) {
        let mut requests = text.metric("slugline_http_request_duration_seconds");
        for series in self.requests.series() {
            let labels = [("route", series.route), ("status", series.class)];
            requests.timings(&labels, &series.timings);
        }
        let outcomes = &self.redirects.outcomes;
        let redirects = Outcome::ALL
            .iter()
            .map(|&one| (one.name(), outcomes.get(one)));
        text.by("slugline_redirects_total", "outcome", redirects);
    }

    fn render_links(&self, text: &mut Text) {
        let resolver = self.resolver.numbers();
        text.number("slugline_link_cache_hits_total", resolver.hits);
        text.number("slugline_link_cache_misses_total", resolver.misses);
        text.number("slugline_link_cache_entries", resolver.entries);
        text.number("slugline_link_cache_bytes", resolver.bytes);
        let domains = self.resolver.domains().current();
        text.number("slugline_domains", domains.named().count());
        if let Some(watch) = &self.watch {
            let counts = watch.counts();
            let asked = [("answered", &counts.answered), ("failed", &counts.failed)];
            let asked = asked.map(|(outcome, count)| (outcome, count.get()));
            text.by("slugline_watch_requests_total", "outcome", asked);
        }
        let store = self.store.timings();
        text.number("slugline_links_damaged", u8::from(self.links.is_damaged()));
        let mut operations = text.metric("slugline_store_duration_seconds");
        for (operation, timings) in [
            ("find", &store.finds),
            ("read", &store.reads),
            ("change", &store.changes),
        ] {
            operations.timings(&[("operation", operation)], timings);
        }
    }

    fn render_visits(&self, text: &mut Text) {
        let recorder = self.recorder.numbers();
        text.number("slugline_visit_queue_visits", recorder.waiting);
        text.number("slugline_visit_queue_bytes", recorder.waiting_bytes);
        text.number("slugline_visits_recorded_total", recorder.stored);
        text.number("slugline_visits_sampled_total", recorder.left_out);
        text.number("slugline_visits_dropped_total", recorder.dropped);
        text.metric("slugline_log_append_duration_seconds")
            .timings(&[], &recorder.appends);
        let troubles = [
            ("not_storing", LogTrouble::NotStoring),
            ("full", LogTrouble::Full),
            ("not_shipping", LogTrouble::NotShipping),
            ("panicked", LogTrouble::Panicked),
            ("damaged", LogTrouble::Damaged),
        ];
        let is_there = |trouble| u8::from(recorder.troubles.contains(&trouble));
        let troubles = troubles.map(|(name, trouble)| (name, is_there(trouble)));
        text.by("slugline_log_trouble", "trouble", troubles);
    }

    fn render_limits(&self, text: &mut Text) {
        let passwords = self.passwords.numbers();
        text.number("slugline_password_hashes_in_flight", passwords.hashing);
        let proxied = self.redirects.proxying.as_ref();
        let limits = [
            ("wrong_tokens", self.authenticator.turned_away()),
            ("wrong_passwords", passwords.too_many),
            ("password_hashes", passwords.busy),
            ("connections_per_client", self.refused_connections.get()),
            (
                "proxied_requests",
                proxied.map_or(0, slugline_redirect::Proxying::turned_away),
            ),
        ];
        text.by("slugline_limit_hits_total", "limit", limits);
    }
}
