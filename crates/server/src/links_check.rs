//! A check of the links database after each start, beside everything else.
//!
//! SQLite notices a damaged page when it reads that page, which may be a year later, and every
//! backup that is made until then is refused.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use slugline_domain::ports::LinksWatch;
use slugline_storage::{DatabaseUrl, PageCheck, SqlLinkStore, check_pages};

use crate::{
    process::{WorkThread, step_back},
    settings::Settings,
};

/// The service answers its first requests undisturbed.
const AFTER: Duration = Duration::from_secs(1);

/// Enough for some gigabytes. The write-ahead log grows as long as the check reads.
const LIMIT: Duration = Duration::from_mins(1);

/// The findings of the check so far, and of the last change.
#[derive(Debug)]
pub(crate) struct LinksHealth {
    damaged: AtomicBool,
    store: Arc<SqlLinkStore>,
}

impl LinksHealth {
    pub(crate) fn new(store: Arc<SqlLinkStore>) -> Self {
        let damaged = AtomicBool::default();
        Self { damaged, store }
    }
}

impl LinksWatch for LinksHealth {
    fn is_damaged(&self) -> bool {
        self.damaged.load(Ordering::Relaxed)
    }

    fn refuses_changes(&self) -> bool {
        self.store.last_change_failed()
    }
}

/// Starts the check. PostgreSQL checks its pages itself.
pub(crate) fn start(
    settings: &Settings,
    health: Arc<LinksHealth>,
) -> anyhow::Result<Option<WorkThread>> {
    let DatabaseUrl::File(file) = settings.links.clone() else {
        return Ok(None);
    };
    let check = move |stop: Arc<AtomicBool>| {
        step_back();
        thread::park_timeout(AFTER);
        let until = Instant::now() + LIMIT;
        let goes_on = move || !stop.load(Ordering::Relaxed) && Instant::now() < until;
        if goes_on() {
            tell(check_pages(&file, goes_on), &health);
        }
    };
    WorkThread::start("links-check", check).map(Some)
}

fn tell(found: Result<PageCheck, String>, health: &LinksHealth) {
    match found {
        Ok(PageCheck::Sound) => tracing::debug!("the pages of the links database are sound"),
        Ok(PageCheck::Stopped) => tracing::debug!("the check of the links database was stopped"),
        Ok(PageCheck::Damaged(reports)) => {
            health.damaged.store(true, Ordering::Relaxed);
            tracing::warn!(
                "the links database is damaged ({}); stop the service and restore a backup, or \
                 save what can be read with `slugline export`; `slugline doctor` names all damage",
                reports.join("; ")
            );
        }
        Err(reason) => tracing::warn!(reason, "the links database cannot be checked"),
    }
}
