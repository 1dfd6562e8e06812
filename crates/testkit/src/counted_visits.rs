//! An access log in memory that stores only slugs and moments.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use slugline_domain::{
    AccessRows, CountersQuery, CountersReport, Dimension, Erasure, Event, EventsQuery,
    HeatmapQuery, HeatmapReport, LinkId, LocationsQuery, LocationsReport, LogTrouble, MetricRow,
    MetricsQuery, MetricsReport, Report, SamplingInterval, SamplingNote, UnixSeconds, ViewsQuery,
    ViewsReport, VisitFilter, VisitRows,
    ports::{VisitEraser, VisitLog, VisitLogError},
};

/// Counts visits by slug; every other question fails.
#[derive(Debug, Default)]
pub struct CountedVisits {
    visits: Mutex<Vec<(UnixSeconds, String, u32)>>,
    questions: Mutex<Vec<MetricsQuery>>,
    broken: Mutex<bool>,
    erased: Mutex<Vec<LinkId>>,
}

impl CountedVisits {
    /// Records rows at this moment, each of which stands for `interval` visits.
    pub fn record(&self, at: UnixSeconds, slug: &str, rows: usize, interval: u32) {
        let visit = (at, slug.to_owned(), interval);
        lock(&self.visits).extend(std::iter::repeat_n(visit, rows));
    }

    /// Makes every later question fail.
    pub fn break_down(&self) {
        *lock(&self.broken) = true;
    }

    /// The links whose visits were to be erased. What is counted stays.
    pub fn erased(&self) -> Vec<LinkId> {
        lock(&self.erased).clone()
    }

    /// The questions asked since the last call.
    pub fn take_questions(&self) -> Vec<MetricsQuery> {
        std::mem::take(&mut *lock(&self.questions))
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

fn failed<T>() -> Result<T, VisitLogError> {
    Err(VisitLogError::Failed {
        action: "answer",
        source: "the disk is on fire".into(),
    })
}

#[async_trait]
impl VisitEraser for CountedVisits {
    async fn erase(&self, link: &LinkId) -> Result<Erasure, VisitLogError> {
        if *lock(&self.broken) {
            return failed();
        }
        lock(&self.erased).push(link.clone());
        Ok(Erasure::Done)
    }
}

#[async_trait]
impl VisitLog for CountedVisits {
    async fn counters(&self, _: &CountersQuery) -> Result<CountersReport, VisitLogError> {
        failed()
    }

    async fn views(&self, _: &ViewsQuery) -> Result<ViewsReport, VisitLogError> {
        failed()
    }

    async fn heatmap(&self, _: &HeatmapQuery) -> Result<HeatmapReport, VisitLogError> {
        failed()
    }

    async fn metrics(&self, query: &MetricsQuery) -> Result<MetricsReport, VisitLogError> {
        let broken = *lock(&self.broken);
        if broken || query.dimension != Dimension::Slug {
            return failed();
        }
        lock(&self.questions).push(query.clone());
        let visits = lock(&self.visits);
        let VisitFilter {
            from,
            until,
            values,
            ..
        } = &query.filter;
        let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
        let mut interval_max = SamplingInterval::EVERY;
        for (at, slug, interval) in visits.iter() {
            let is_meant = from.is_none_or(|from| *at >= from)
                && until.is_none_or(|until| *at <= until)
                && values.iter().all(|(_, slugs)| slugs.admits(slug));
            if is_meant {
                *counts.entry(slug).or_default() += u64::from(*interval);
                let interval = SamplingInterval::new(*interval);
                interval_max = interval_max.max(interval.unwrap_or(SamplingInterval::EVERY));
            }
        }
        let mut rows: Vec<MetricRow> = counts
            .into_iter()
            .map(|(name, count)| MetricRow {
                name: name.to_owned(),
                count,
                visitors: None,
            })
            .collect();
        rows.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.name.cmp(&b.name)));
        let all = u64::try_from(rows.len()).unwrap_or(u64::MAX);
        let others = rows.split_off(rows.len().min(query.limit.as_usize()));
        Ok(Report {
            rows,
            rows_before_limit: all,
            others: others.iter().map(|row| row.count).sum(),
            sampling: SamplingNote {
                interval_max,
                dropped: 0,
                damaged: 0,
                sketched: false,
            },
        })
    }

    async fn locations(&self, _: &LocationsQuery) -> Result<LocationsReport, VisitLogError> {
        failed()
    }

    async fn events(&self, _: &EventsQuery) -> Result<Vec<Event>, VisitLogError> {
        failed()
    }

    async fn access(&self, _: &VisitFilter) -> Result<Box<dyn AccessRows>, VisitLogError> {
        failed()
    }

    async fn visits(&self, _: &VisitFilter) -> Result<Box<dyn VisitRows>, VisitLogError> {
        failed()
    }

    fn troubles(&self) -> Vec<LogTrouble> {
        Vec::new()
    }
}
