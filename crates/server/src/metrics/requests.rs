//! Requests by route and status, with their latencies.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use actix_web::HttpRequest;
use slugline_domain::measure::{Histogram, Timings};

use crate::service_path::may_be_service_path;

/// The route name for every path outside the service's own.
const REDIRECT: &str = "redirect";

/// The route name for paths of the service that are not routes of the API: files of the
/// dashboard, and probes of strangers. They share one name, so that clients cannot create
/// series.
const OTHER: &str = "other";

/// The names of the status classes, from 100 on.
const CLASSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];

/// The requests of all workers. Only the start of a worker and a scrape take the lock.
#[derive(Debug)]
pub(crate) struct Requests {
    routes: Arc<Routes>,
    workers: Mutex<Vec<Arc<WorkerRequests>>>,
}

/// The names of routes, and the index of each.
#[derive(Debug)]
struct Routes {
    names: Vec<String>,
    indexes: BTreeMap<String, usize>,
}

/// The requests of one worker. No other thread writes here, so the counters have no contention.
#[derive(Debug)]
pub(crate) struct WorkerRequests {
    routes: Arc<Routes>,
    /// One histogram for each class of each route.
    series: Vec<Histogram>,
}

/// A request that is being answered.
#[derive(Debug)]
pub(crate) struct Measured {
    worker: Arc<WorkerRequests>,
    route: usize,
    begun: Instant,
}

/// The requests of one route and class.
#[derive(Debug)]
pub(super) struct Series<'a> {
    pub(super) route: &'a str,
    pub(super) class: &'static str,
    pub(super) timings: Timings,
}

const REDIRECT_INDEX: usize = 0;
const OTHER_INDEX: usize = 1;

impl Requests {
    /// Counts requests of these routes, named by their patterns in the table of routes.
    pub(crate) fn of(routes: impl Iterator<Item = String>) -> Self {
        let fixed = [REDIRECT, OTHER].map(str::to_owned);
        let names: Vec<String> = fixed.into_iter().chain(routes).collect();
        let indexes = names.iter().cloned().zip(0..).collect();
        Self {
            routes: Arc::new(Routes { names, indexes }),
            workers: Mutex::default(),
        }
    }

    /// Adds the counters of one more worker.
    pub(crate) fn of_a_worker(&self) -> Arc<WorkerRequests> {
        let series = (0..self.routes.names.len() * CLASSES.len()).map(|_| Histogram::default());
        let worker = Arc::new(WorkerRequests {
            routes: Arc::clone(&self.routes),
            series: series.collect(),
        });
        self.workers().push(Arc::clone(&worker));
        worker
    }

    /// Every route and class that has had a request.
    pub(super) fn series(&self) -> Vec<Series<'_>> {
        let workers = self.workers();
        let mut found = Vec::new();
        for (index, route) in self.routes.names.iter().enumerate() {
            for (number, class) in CLASSES.iter().copied().enumerate() {
                let mut timings = Timings::default();
                for worker in workers.iter() {
                    timings.add(&worker.series[index * CLASSES.len() + number].get());
                }
                if timings.count() > 0 {
                    found.push(Series {
                        route,
                        class,
                        timings,
                    });
                }
            }
        }
        found
    }

    fn workers(&self) -> MutexGuard<'_, Vec<Arc<WorkerRequests>>> {
        self.workers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Measured {
    pub(crate) fn begin(worker: &Arc<WorkerRequests>, path: &str) -> Self {
        let route = if may_be_service_path(path) {
            OTHER_INDEX
        } else {
            REDIRECT_INDEX
        };
        Self {
            worker: Arc::clone(worker),
            route,
            begun: Instant::now(),
        }
    }

    /// Records the route that took the request. For a redirect the route is known already: a
    /// lookup in the table costs as much as the redirect.
    pub(crate) fn routed(&mut self, request: &HttpRequest) {
        if self.route == REDIRECT_INDEX {
            return;
        }
        let indexes = &self.worker.routes.indexes;
        let pattern = request.match_pattern();
        let index = pattern.and_then(|pattern| indexes.get(&pattern).copied());
        self.route = index.unwrap_or(OTHER_INDEX);
    }

    /// Records the start of the answer.
    pub(crate) fn answered(&self, status: u16) {
        let class = usize::from(status / 100).clamp(1, CLASSES.len()) - 1;
        self.worker.series[self.route * CLASSES.len() + class].observe(self.begun.elapsed());
    }
}
