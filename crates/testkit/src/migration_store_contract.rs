//! The contract of every [`MigrationStore`] and the link store that it moves
//! links into. A back end calls [`run_suite`] with a function that makes an
//! empty pair.

use std::sync::Arc;

use slugline_domain::{
    Advance, EntryFault, EntryKey, FailedEntry, Link, LinkId, MigrationRun, MigrationStep,
    MovedLink, OldCursor,
    ports::{AuditTrail, LinkStore, MigrationStore},
};

use crate::{ALL, NOON, NOTE, join_all::join_all, key, link, newest_lines, noted, seconds, with};

/// Runs every clause, each on its own stores.
///
/// # Panics
/// A clause is violated.
pub async fn run_suite<L, M>(empty_stores: impl AsyncFn() -> (Arc<L>, Arc<M>))
where
    L: LinkStore + AuditTrail,
    M: MigrationStore,
{
    let (_, migration) = empty_stores().await;
    runs_are_counted_and_begun_once(&*migration).await;
    a_page_moves_links_and_counts_them(&empty_stores().await).await;
    a_page_is_done_once_and_in_its_turn(&empty_stores().await).await;
    a_link_that_is_here_stays_as_it_is(&empty_stores().await).await;
    a_link_whose_id_is_in_use_gets_its_spare_one(&empty_stores().await).await;
    each_moved_link_leaves_a_line(&empty_stores().await).await;
    let (_, migration) = empty_stores().await;
    failures_are_kept_up_to_a_bound_and_all_counted(&*migration).await;
    of_many_who_do_a_page_at_once_one_does(&empty_stores().await).await;
}

fn moved(slug_text: &str) -> MovedLink {
    MovedLink {
        link: link(slug_text).tags(&["old"]).build(),
        spare_id: LinkId::parse(&format!("spare-{slug_text}")).expect("a short slug"),
    }
}

/// A page that is not the last one.
fn step(run: u32, page: u32, slugs: &[&str]) -> MigrationStep {
    MigrationStep {
        run,
        page,
        next: Some(OldCursor::new(format!("after {page}"))),
        links: slugs.iter().map(|slug| moved(slug)).collect(),
        failures: Vec::new(),
        expired: 0,
        ignored: 0,
        note: NOTE.clone(),
    }
}

async fn latest_run(migration: &impl MigrationStore) -> MigrationRun {
    let state = migration.state().await.expect("state");
    state.latest.expect("a run")
}

fn done(inserted: u64, skipped: u64) -> Advance {
    Advance::Done { inserted, skipped }
}

async fn runs_are_counted_and_begun_once(migration: &impl MigrationStore) {
    let state = migration.state().await.expect("state");
    assert_eq!(state, slugline_domain::MigrationState::default());
    assert!(migration.begin(None, NOON).await.expect("begin"));
    let again = migration.begin(None, NOON).await;
    assert!(!again.expect("begin"), "it has begun");
    assert!(migration.begin(Some(1), NOON).await.expect("begin"));
    let latest = latest_run(migration).await;
    assert_eq!((latest.number, latest.pages, latest.next), (2, 0, None));
}

async fn a_page_moves_links_and_counts_them(
    (links, migration): &(Arc<impl LinkStore>, Arc<impl MigrationStore>),
) {
    migration.begin(None, NOON).await.expect("begin");
    let mut first = step(1, 0, &["a", "b"]);
    (first.expired, first.ignored) = (3, 5);
    first.failures = vec![failure("link:x")];
    let advanced = migration.advance(&first).await;
    assert_eq!(advanced.expect("advance"), done(2, 0));
    let found = links.find(&key("a")).await.expect("find");
    assert_eq!(found, Some(moved("a").link));
    let state = migration.state().await.expect("state");
    assert_eq!(state.completed, None);
    let run = state.latest.expect("a run");
    assert_eq!((run.pages, run.ended_at), (1, None));
    assert_eq!(run.next, Some(OldCursor::new("after 0")));

    let last = MigrationStep {
        next: None,
        note: noted(seconds(9)),
        ..step(1, 1, &["c", "a"])
    };
    assert_eq!(migration.advance(&last).await.expect("advance"), done(1, 1));
    let state = migration.state().await.expect("state");
    assert_eq!(state.completed, state.latest);
    let run = state.latest.expect("a run");
    assert_eq!((run.ended_at, run.next), (Some(seconds(9)), None));
    let tally = run.tally;
    assert_eq!((tally.scanned, tally.inserted, tally.skipped), (8, 3, 1));
    assert_eq!((tally.expired, tally.failed, tally.ignored), (3, 1, 5));
}

async fn a_page_is_done_once_and_in_its_turn(
    (links, migration): &(Arc<impl LinkStore>, Arc<impl MigrationStore>),
) {
    let advance = async |step: MigrationStep| migration.advance(&step).await.expect("advance");
    let overtaken = async |run, page, why: &str| {
        let outcome = advance(step(run, page, &["a"])).await;
        assert_eq!(outcome, Advance::Overtaken, "{why}");
    };
    overtaken(1, 0, "no run").await;
    migration.begin(None, NOON).await.expect("begin");
    overtaken(1, 1, "too early").await;
    assert_eq!(advance(step(1, 0, &["b"])).await, done(1, 0));
    overtaken(1, 0, "done before").await;
    migration.begin(Some(1), NOON).await.expect("begin");
    overtaken(1, 1, "another run").await;
    let last = with(step(2, 0, &["b"]), |it| it.next = None);
    assert_eq!(advance(last).await, done(0, 1));
    overtaken(2, 1, "ended").await;
    assert_eq!(links.find(&key("a")).await.expect("find"), None);
    let run = latest_run(&**migration).await;
    assert_eq!((run.pages, run.tally.scanned), (1, 1));
}

async fn a_link_that_is_here_stays_as_it_is(
    (links, migration): &(Arc<impl LinkStore>, Arc<impl MigrationStore>),
) {
    let mine: Link = link("a").to("https://mine.example/").expires(-1).build();
    let inserted = links.insert(&ALL, &mine, &noted(seconds(-9))).await;
    inserted.expect("insert");
    migration.begin(None, NOON).await.expect("begin");
    let outcome = migration.advance(&step(1, 0, &["a", "A"])).await;
    assert_eq!(outcome.expect("advance"), done(1, 1), "spelling matters");
    assert_eq!(links.find(&key("a")).await.expect("find"), Some(mine));
}

async fn a_link_whose_id_is_in_use_gets_its_spare_one(
    (links, migration): &(Arc<impl LinkStore>, Arc<impl MigrationStore>),
) {
    migration.begin(None, NOON).await.expect("begin");
    let mut twins = step(1, 0, &["a", "b"]);
    twins.links[1].link.id = twins.links[0].link.id.clone();
    let advanced = migration.advance(&twins).await;
    assert_eq!(advanced.expect("advance"), done(2, 0));
    let found = links.find(&key("b")).await.expect("find").expect("moved");
    assert_eq!(found.id.as_str(), "spare-b");
    assert_eq!(found.content.tags, moved("b").link.content.tags);
    // The store recognises both when they come again.
    twins.page = 1;
    let advanced = migration.advance(&twins).await;
    assert_eq!(advanced.expect("advance"), done(0, 2));
}

fn failure(key: &str) -> FailedEntry {
    FailedEntry {
        key: EntryKey::new(key),
        reason: EntryFault::new("url is missing"),
    }
}

async fn each_moved_link_leaves_a_line(
    (links, migration): &(Arc<impl LinkStore + AuditTrail>, Arc<impl MigrationStore>),
) {
    let mine = link("mine").build();
    links.insert(&ALL, &mine, &NOTE).await.expect("insert");
    migration.begin(None, NOON).await.expect("begin");
    for page in [
        step(1, 0, &["a", "mine"]),
        step(1, 0, &["b"]),
        step(1, 1, &["c"]),
    ] {
        migration.advance(&page).await.expect("advance");
    }
    let query = newest_lines(100);
    let trail = links.lines(&query).await.expect("lines");
    let slugs = trail.iter().rev().filter_map(|line| line.key.as_ref());
    let slugs: Vec<String> = slugs.map(ToString::to_string).collect();
    assert_eq!(slugs, ["mine", "a", "c"]);
}

async fn failures_are_kept_up_to_a_bound_and_all_counted(migration: &impl MigrationStore) {
    migration.begin(None, NOON).await.expect("begin");
    let mut position = 0..;
    for page in 0..3 {
        let mut step = step(1, page, &[]);
        let numbers = position.by_ref().take(400);
        step.failures = numbers
            .map(|number| failure(&format!("link:{number}")))
            .collect();
        migration.advance(&step).await.expect("advance");
    }
    let run = latest_run(migration).await;
    assert_eq!((run.tally.failed, run.tally.scanned), (1200, 1200));
    let kept = migration.failures(1).await.expect("failures");
    let expected = (0..1000).map(|number| failure(&format!("link:{number}")));
    assert_eq!(kept, expected.collect::<Vec<_>>());
    assert!(migration.failures(2).await.expect("failures").is_empty());
}

async fn of_many_who_do_a_page_at_once_one_does(
    (links, migration): &(Arc<impl LinkStore>, Arc<impl MigrationStore>),
) {
    migration.begin(None, NOON).await.expect("begin");
    for page in 0..5 {
        // Each runner moves links of its own, which identify the applied step.
        let slugs = |runner| ["p", "q"].map(|slug| format!("{slug}{page}r{runner}"));
        let step = |runner| step(1, page, &slugs(runner).each_ref().map(String::as_str));
        let steps: Vec<MigrationStep> = (0..6).map(step).collect();
        let outcomes = join_all(steps.iter().map(|step| migration.advance(step)).collect()).await;
        let outcomes = outcomes.into_iter().map(|one| one.expect("advance"));
        let done = outcomes.filter(|outcome| *outcome != Advance::Overtaken);
        assert_eq!(done.count(), 1, "page {page}");
        let mut moved = 0;
        for runner in 0..6 {
            let found = links.find(&key(&slugs(runner)[0])).await.expect("find");
            moved += usize::from(found.is_some());
        }
        assert_eq!(moved, 1, "page {page}");
    }
}
