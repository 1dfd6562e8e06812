//! The contract of the ports of an access log together: what a [`VisitSink`] takes, a [`VisitLog`]
//! counts and a [`VisitEraser`] erases. An engine calls [`run_suite`] with a function that makes an
//! empty one. A violated clause panics, and the backtrace names it.
//!
//! The suite knows the ports alone. That every question is answered to the last digit is what
//! `visit_log_contract` tests, with plain SQL.

#![expect(clippy::future_not_send, reason = "tests run it on one thread")]

use std::net::Ipv4Addr;

use slugline_domain::{
    Choice, Counters, CountersQuery, Dimension, HeatmapQuery, LinkId, MetricsQuery, RowLimit,
    StoredVisit, TimeUnit, Visit, VisitFilter, VisitHeaders, Way,
    ports::{VisitEraser, VisitLog, VisitSink},
};

use crate::{link, questions, seconds, with};

/// An engine under test. It stores a hundred visits a minute without sampling them.
#[expect(async_fn_in_trait, reason = "tests run it on one thread")]
pub trait VisitStore {
    /// Takes visits.
    fn sink(&self) -> &dyn VisitSink;

    /// Answers questions.
    fn log(&self) -> &dyn VisitLog;

    /// Erases visits.
    fn eraser(&self) -> &dyn VisitEraser;

    /// Moves the clock of an engine that tells by it what was recorded before an erasure. It stands
    /// at [`NOON`](crate::NOON) first.
    fn time_passes(&self, seconds: i64);

    /// Waits until answers show what was recorded and erased before.
    async fn settle(&self);
}

/// Runs every clause, each on its own engine.
///
/// # Panics
/// A clause is violated.
pub async fn run_suite<S: VisitStore>(empty: impl AsyncFn() -> S) {
    an_empty_log_answers_every_question(&empty().await).await;
    each_visit_counts_once(&empty().await).await;
    conditions_leave_out_what_does_not_meet_them(&empty().await).await;
    events_are_the_latest_visits_newest_first(&empty().await).await;
    metrics_are_ordered_and_say_what_the_limit_left_out(&empty().await).await;
    rows_that_are_read_in_parts_come_once(&empty().await).await;
    an_erased_link_leaves_every_answer_and_the_others_stay(&empty().await).await;
    an_exact_answer_about_a_flood_counts_every_visit(&empty().await).await;
}

async fn an_empty_log_answers_every_question(store: &impl VisitStore) {
    let report = counters(store, VisitFilter::default()).await;
    assert_eq!(report, Counters::default());
    assert_eq!(slugs_by_visits(store).await, []);
    assert_eq!(events(store, RowLimit::DEFAULT).await, [""; 0]);
    assert_eq!(access(store).await, []);
    assert_eq!(visits(store).await, [""; 0]);
}

async fn each_visit_counts_once(store: &impl VisitStore) {
    record_some(store).await;
    let all = counters(store, VisitFilter::default()).await;
    assert_eq!((all.visits, all.visitors, all.referers), (10, 5, 1));
    let query = questions::by_link(VisitFilter::default());
    let report = store.log().counters(&query).await.expect("counters");
    assert!(report.sampling.exact(), "{:?}", report.sampling);
    let rows = report.rows.iter().map(|row| {
        let id = row.link.as_ref().map_or("", LinkId::as_str);
        (id, row.counters.visits, row.counters.visitors)
    });
    assert_eq!(
        rows.collect::<Vec<_>>(),
        [("id-docs", 6, 3), ("id-sale", 4, 2)]
    );

    let query = questions::by_time(VisitFilter::default(), TimeUnit::Minute);
    let views = store.log().views(&query).await.expect("views");
    let starts: Vec<_> = views.rows.iter().map(|row| row.start).collect();
    assert!(starts.is_sorted(), "{starts:?}");
    assert_eq!(views.rows.iter().map(|row| row.visits).sum::<u64>(), 10);
    let heatmap = store.log().heatmap(&HeatmapQuery::default()).await;
    let rows = heatmap.expect("a heatmap").rows;
    assert_eq!(rows.iter().map(|row| row.visits).sum::<u64>(), 10);
}

async fn conditions_leave_out_what_does_not_meet_them(store: &impl VisitStore) {
    record_some(store).await;
    let of = async |filter| counters(store, filter).await.visits;
    let id = |text: &str| text.parse::<LinkId>().expect("an id");
    let sale = questions::of_links(Choice::any_of([id("id-sale")]));
    assert_eq!(of(sale).await, 4);
    let others = questions::of_links(Choice::none_of([id("id-sale")]));
    assert_eq!(of(others).await, 6);
    // Both bounds are inclusive.
    let two_seconds = questions::between(seconds(3).get(), seconds(4).get());
    assert_eq!(of(two_seconds).await, 2);
    let by_slug = questions::having(Dimension::Slug, "docs");
    assert_eq!(of(by_slug).await, 6);
}

async fn events_are_the_latest_visits_newest_first(store: &impl VisitStore) {
    record_some(store).await;
    let all = events(store, RowLimit::DEFAULT).await;
    let order = ["sale", "sale", "sale", "sale"].into_iter();
    let order: Vec<_> = order.chain(["docs"; 6]).collect();
    assert_eq!(all, order);
    let five = RowLimit::new(5, RowLimit::MAX).expect("in bounds");
    assert_eq!(events(store, five).await, order[..5]);
}

async fn metrics_are_ordered_and_say_what_the_limit_left_out(store: &impl VisitStore) {
    record_some(store).await;
    let expected = [("docs".to_owned(), 6), ("sale".to_owned(), 4)];
    assert_eq!(slugs_by_visits(store).await, expected);
    let limit = RowLimit::new(1, RowLimit::MAX).expect("in bounds");
    let query = with(by_slug(), |it| it.limit = limit);
    let first = store.log().metrics(&query).await.expect("metrics");
    assert_eq!((first.rows.len(), first.rows_before_limit), (1, 2));
    assert_eq!(first.others, 4);
}

async fn rows_that_are_read_in_parts_come_once(store: &impl VisitStore) {
    record_some(store).await;
    let expected = [("docs".to_owned(), 6), ("sale".to_owned(), 4)];
    assert_eq!(access(store).await, expected);
    let links = visits(store).await;
    let of = |id: &str| links.iter().filter(|link| *link == id).count();
    assert_eq!((of("id-docs"), of("id-sale"), links.len()), (6, 4, 10));
}

async fn an_erased_link_leaves_every_answer_and_the_others_stay(store: &impl VisitStore) {
    record_some(store).await;
    for id in ["id-docs", "nobody"] {
        let erased = store.eraser().erase(&id.parse().expect("an id")).await;
        erased.expect("an erasure");
    }
    store.settle().await;
    let only_sale = [("sale".to_owned(), 4)];
    assert_eq!(counters(store, VisitFilter::default()).await.visits, 4);
    assert_eq!(slugs_by_visits(store).await, only_sale);
    assert_eq!(events(store, RowLimit::DEFAULT).await, ["sale"; 4]);
    assert_eq!(access(store).await, only_sale);
    assert_eq!(visits(store).await, ["id-sale"; 4]);
    store.time_passes(50);
    store.sink().record(visit("docs", 60, 1));
    store.settle().await;
    let again = [("sale".to_owned(), 4), ("docs".to_owned(), 1)];
    assert_eq!(slugs_by_visits(store).await, again);
}

async fn an_exact_answer_about_a_flood_counts_every_visit(store: &impl VisitStore) {
    const FLOOD: u32 = 5_000;
    for number in 0..FLOOD {
        store.sink().record(visit("docs", 0, number));
    }
    store.settle().await;
    let query = CountersQuery::default();
    let report = store.log().counters(&query).await.expect("counters");
    let counted = report.rows.first().map_or(0, |row| row.counters.visits);
    if report.sampling.exact() {
        assert_eq!(counted, u64::from(FLOOD));
    } else {
        assert!(counted > 0, "{:?}", report.sampling);
    }
}

/// Records six visits of one link by three visitors, then four of another by two.
async fn record_some(store: &impl VisitStore) {
    for number in 0..6 {
        store
            .sink()
            .record(visit("docs", number.into(), number % 3));
    }
    for number in 6..10 {
        store
            .sink()
            .record(visit("sale", number.into(), 100 + number % 2));
    }
    store.time_passes(10);
    store.settle().await;
}

fn visit(slug: &str, after_noon: i64, client: u32) -> Visit {
    Visit {
        at: seconds(after_noon).start(),
        link: link(slug).followed(),
        client: Ipv4Addr::from_bits(client).into(),
        headers: VisitHeaders::new("Example/1.0", "https://news.example/page", "de"),
        place: None,
        way: Way::Main,
    }
}

fn by_slug() -> MetricsQuery {
    questions::by_value(VisitFilter::default(), Dimension::Slug)
}

async fn counters(store: &impl VisitStore, filter: VisitFilter) -> Counters {
    let query = questions::total(filter);
    let report = store.log().counters(&query).await.expect("counters");
    assert_eq!(report.rows.len(), 1);
    report.rows[0].counters
}

async fn slugs_by_visits(store: &impl VisitStore) -> Vec<(String, u64)> {
    let report = store.log().metrics(&by_slug()).await.expect("metrics");
    let rows = report.rows.into_iter();
    rows.map(|row| (row.name, row.count)).collect()
}

async fn events(store: &impl VisitStore, limit: RowLimit) -> Vec<String> {
    let all = questions::latest(VisitFilter::default());
    let query = with(all, |it| it.limit = limit);
    let events = store.log().events(&query).await.expect("events");
    let slugs = events.iter().map(|event| event.value(Dimension::Slug));
    slugs.map(String::from).collect()
}

async fn access(store: &impl VisitStore) -> Vec<(String, u64)> {
    let all = VisitFilter::default();
    let mut rows = store.log().access(&all).await.expect("access");
    let mut read = Vec::new();
    loop {
        let next = rows.next().await.expect("rows");
        if next.is_empty() {
            return read;
        }
        read.extend(next.into_iter().map(|row| (row.slug, row.visits)));
    }
}

/// The links of the visits, sorted.
async fn visits(store: &impl VisitStore) -> Vec<String> {
    let visits = all_visits(store.log()).await.into_iter();
    let mut links: Vec<String> = visits.map(|visit| visit.link).collect();
    links.sort();
    links
}

/// Reads all visits of a log, part by part.
///
/// # Panics
/// The log fails.
pub async fn all_visits(log: &dyn VisitLog) -> Vec<StoredVisit> {
    let mut rows = log.visits(&VisitFilter::default()).await.expect("visits");
    let mut read = Vec::new();
    loop {
        let next = rows.next().await.expect("rows");
        if next.is_empty() {
            return read;
        }
        read.extend(next);
    }
}
