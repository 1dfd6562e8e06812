//! Dashboards that load their page again and again.

use std::{
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Result, bail};

use crate::bench::{
    instance::Instance,
    samples::Samples,
    visitor::{CONNECTIONS, Visitor},
};

/// What dashboards at the same time saw.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Milliseconds of each page whose requests were all answered well.
    pub(super) pages: Vec<f64>,
    /// Milliseconds of each request that was answered well.
    pub(super) requests: Vec<f64>,
    /// The median page of each round.
    pub(super) medians: Vec<f64>,
    /// Answers 503: the time limit of a question passed.
    pub(super) late: usize,
    /// Other answers than 200 and 503, and requests without an answer.
    pub(super) failed: usize,
}

impl Seen {
    /// Adds a round.
    pub(super) fn add(&mut self, round: Self) {
        if let Ok(pages) = Samples::new(round.pages.clone()) {
            self.medians.push(pages.percentile(50));
        }
        self.extend(round);
    }

    fn extend(&mut self, other: Self) {
        self.pages.extend(other.pages);
        self.requests.extend(other.requests);
        self.late += other.late;
        self.failed += other.failed;
    }

    /// Notes the answers of a page: the status of each, if it came, and its milliseconds.
    fn note(&mut self, page: f64, answers: &[(Option<u16>, f64)]) {
        for &(status, ms) in answers {
            match status {
                Some(200) => self.requests.push(ms),
                Some(503) => self.late += 1,
                _ => self.failed += 1,
            }
        }
        if answers.iter().all(|(status, _)| *status == Some(200)) {
            self.pages.push(page);
        }
    }
}

/// Lets dashboards load pages in a closed loop for some time. Each finishes its last page.
pub(super) fn watch(
    instance: &Instance,
    paths: &[String],
    dashboards: usize,
    time: Duration,
) -> Result<Seen> {
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let over = &over;
        let viewers: Vec<_> = (0..dashboards)
            .map(|_| {
                scope.spawn(move || {
                    // Longer than the service lets a question take, so that it answers first.
                    let visitor = Visitor::patient(Duration::from_mins(2));
                    let mut seen = Seen::default();
                    while !over.load(Ordering::Relaxed) {
                        let began = Instant::now();
                        let answers = load(&visitor, instance, paths);
                        seen.note(began.elapsed().as_secs_f64() * 1e3, &answers);
                    }
                    seen
                })
            })
            .collect();
        thread::sleep(time);
        over.store(true, Ordering::Relaxed);
        let mut all = Seen::default();
        for viewer in viewers {
            let Ok(seen) = viewer.join() else {
                bail!("a dashboard panicked");
            };
            all.extend(seen);
        }
        Ok(all)
    })
}

/// Loads a page as a browser does: all requests at once, over its connections.
fn load(visitor: &Visitor, instance: &Instance, paths: &[String]) -> Vec<(Option<u16>, f64)> {
    let next = AtomicUsize::new(0);
    let connection = || {
        let mut answers = Vec::new();
        while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
            let began = Instant::now();
            let answer = visitor.visit(instance, path);
            let ms = began.elapsed().as_secs_f64() * 1e3;
            answers.push((answer.ok().map(|answer| answer.status), ms));
        }
        answers
    };
    thread::scope(|scope| {
        let connections: Vec<_> = (0..CONNECTIONS).map(|_| scope.spawn(connection)).collect();
        let answers = connections.into_iter().map(thread::ScopedJoinHandle::join);
        answers
            .flat_map(|answers| answers.expect("asking does not panic"))
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_counts_if_all_its_requests_were_answered_well() {
        let mut seen = Seen::default();
        seen.note(9.0, &[(Some(200), 4.0), (Some(200), 8.0)]);
        seen.note(30_000.0, &[(Some(200), 5.0), (Some(503), 30_000.0)]);
        seen.note(7.0, &[(None, 1.0), (Some(401), 1.0)]);
        assert_eq!(seen.pages, [9.0]);
        assert_eq!(seen.requests, [4.0, 8.0, 5.0]);
        assert_eq!((seen.late, seen.failed), (1, 2));
    }

    #[test]
    fn round_leaves_its_median() {
        let mut all = Seen::default();
        let round = |pages: &[f64]| Seen {
            pages: pages.to_vec(),
            ..Seen::default()
        };
        all.add(round(&[3.0, 1.0, 2.0]));
        all.add(round(&[]));
        all.add(round(&[5.0]));
        assert_eq!(all.medians, [2.0, 5.0]);
        assert_eq!(all.pages.len(), 4);
    }
}
