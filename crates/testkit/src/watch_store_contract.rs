//! The contract of every [`WatchStore`], beside the store of its links.

use slugline_domain::{
    BadAnswer, Failing, Link, LinkFilter, Reach, StatusFilter, UnixMillis, WatchLease, WatchRound,
    WatchTurn, WatchedLink,
    ports::{LinkStore, Version, WatchStore},
};

use crate::{DeleteByKey, NOTE, destination, join_all::join_all, key, link, seconds, with};

/// Runs every clause, each on its own store.
///
/// # Panics
/// A clause is violated.
pub async fn run_suite<S: WatchStore + LinkStore>(empty_store: impl AsyncFn() -> S) {
    one_watcher_leads_until_its_lease_ends(&empty_store().await).await;
    of_watchers_at_once_one_leads(&empty_store().await).await;
    links_are_due_piece_by_piece(&empty_store().await).await;
    first_failures_are_due_again(&empty_store().await).await;
    only_the_leader_records_and_only_of_the_present_link(&empty_store().await).await;
    failures_belong_to_a_destination(&empty_store().await).await;
}

fn at(second: i64) -> UnixMillis {
    seconds(second).start()
}

fn lease(watcher: i64, until: i64) -> WatchLease {
    let until = at(until);
    WatchLease { watcher, until }
}

async fn holding(store: &impl LinkStore, names: &[&str]) -> Vec<Link> {
    let mut made = Vec::new();
    for name in names {
        let link = link(name).to(&format!("https://{name}.example/")).build();
        let inserted = store.insert(&Reach::Everything, &link, &NOTE);
        inserted.await.expect("insert");
        made.push(link);
    }
    made
}

/// The watcher 1 takes the lease.
async fn led(store: &impl WatchStore) -> WatchTurn {
    let led = store.lead(lease(1, 60), at(0), None).await;
    led.expect("lead").expect("a turn")
}

fn failing(times: u32) -> Failing {
    Failing {
        since: seconds(1),
        checked_at: seconds(100 * i64::from(times)),
        times,
        answer: BadAnswer::Status(404),
    }
}

async fn recorded(store: &impl WatchStore, link: &Link, failing: Option<&Failing>) -> bool {
    store.record(1, link, failing).await.expect("record")
}

/// The keys of links that are due, and the position after them.
async fn due(store: &impl WatchStore, after: i64, until: i64, limit: u32) -> (Vec<String>, i64) {
    let due = store.due(after, until, seconds(0), limit).await;
    let due = due.expect("due");
    let keys = due.links.iter().map(|due| due.link.key.to_string());
    (keys.collect(), due.position)
}

async fn one_watcher_leads_until_its_lease_ends(store: &(impl WatchStore + LinkStore)) {
    assert_eq!(
        led(store).await,
        WatchTurn {
            round: None,
            last: 0
        }
    );
    holding(store, &["a", "b"]).await;
    let other = async |now, round| store.lead(lease(2, now + 60), at(now), round).await;
    assert_eq!(other(59, None).await.expect("lead"), None);
    let round = WatchRound {
        started_at: at(7),
        position: 1,
    };
    let turn = Some(WatchTurn {
        round: Some(round),
        last: due(store, 0, 9, 2).await.1,
    });
    let prolonged = store.lead(lease(1, 80), at(50), Some(round)).await;
    assert_eq!(prolonged.expect("lead"), turn);
    assert_eq!(other(79, None).await.expect("lead"), None);
    assert_eq!(other(80, None).await.expect("lead"), turn, "it goes on");
    let lost = WatchRound::start(at(90));
    let late = store.lead(lease(1, 300), at(200), Some(lost)).await;
    assert_eq!(late.expect("lead"), None, "its round is outdated");
    let again = store.lead(lease(1, 300), at(200), None).await;
    assert_eq!(again.expect("lead"), turn);
}

async fn of_watchers_at_once_one_leads(store: &impl WatchStore) {
    let leads = (1..=8).map(|watcher| store.lead(lease(watcher, 60), at(0), None));
    let led = join_all(leads.collect()).await;
    let led = led.into_iter().map(|led| led.expect("lead"));
    assert_eq!(led.flatten().count(), 1);
}

async fn links_are_due_piece_by_piece(store: &(impl WatchStore + LinkStore)) {
    assert_eq!(due(store, 0, 0, 2).await, (vec![], 0));
    holding(store, &["a", "b", "c"]).await;
    let last = led(store).await.last;
    let (first, position) = due(store, 0, last, 2).await;
    assert_eq!(first, ["a", "b"]);
    let rest = (vec!["c".to_owned()], last);
    assert_eq!(due(store, position, last, 2).await, rest);
    assert_eq!(due(store, position, position, 2).await, (vec![], position));
    assert_eq!(due(store, last, 0, 2).await, (vec![], last));
    assert_eq!(due(store, last, last + 9, 2).await, (vec![], last + 9));
}

async fn first_failures_are_due_again(store: &(impl WatchStore + LinkStore)) {
    let links = holding(store, &["a", "b", "c"]).await;
    let last = led(store).await.last;
    assert!(recorded(store, &links[0], Some(&failing(1))).await);
    assert!(recorded(store, &links[1], Some(&failing(2))).await);
    let due = async |until, failed_until| {
        let due = store.due(0, until, seconds(failed_until), 9).await;
        due.expect("due").links
    };
    let told = |link: &Link, failing: Option<Failing>| WatchedLink {
        link: link.clone(),
        is_kept: failing.is_some(),
        failing,
    };
    let [a, b, c] = [
        told(&links[0], Some(failing(1))),
        told(&links[1], Some(failing(2))),
        told(&links[2], None),
    ];
    assert_eq!(due(0, 99).await, []);
    assert_eq!(due(0, 100).await, std::slice::from_ref(&a));
    let later = due(last, 99).await;
    assert_eq!(later, [b.clone(), c.clone()], "not before its time");
    assert_eq!(due(last, 100).await, [a, b, c]);
}

async fn only_the_leader_records_and_only_of_the_present_link(
    store: &(impl WatchStore + LinkStore),
) {
    let links = holding(store, &["a"]).await;
    let fails = failing(2);
    assert!(!recorded(store, &links[0], Some(&fails)).await, "no lease");
    led(store).await;
    let other = store.record(2, &links[0], Some(&fails)).await;
    assert!(!other.expect("record"));
    assert!(recorded(store, &links[0], Some(&fails)).await);
    let mut elsewhere = links[0].clone();
    elsewhere.content.destination = destination("https://new.example/");
    assert!(!recorded(store, &elsewhere, None).await);
    assert_eq!(store.broken(&[&links[0]]).await.expect("broken").len(), 1);
    store.delete(&key("a"), &NOTE).await.expect("delete");
    assert!(
        !recorded(store, &links[0], Some(&fails)).await,
        "it is gone"
    );
    let new = holding(store, &["a"]).await;
    let broken = store.broken(&[&new[0]]).await;
    assert!(broken.expect("broken").is_empty(), "a new link is new");
}

async fn failures_belong_to_a_destination(store: &(impl WatchStore + LinkStore)) {
    let links = holding(store, &["a", "b"]).await;
    led(store).await;
    let searched = async |status| {
        let filter = with(LinkFilter::default(), |it| it.status = status);
        let found = store.search(&filter, seconds(0), 10).await;
        let count = store.count(&filter, seconds(0)).await.expect("count");
        let found = found.expect("search");
        assert_eq!(u64::try_from(found.len()), Ok(count));
        found
    };
    let broken = async || {
        let links = searched(StatusFilter::All).await;
        let told = store.broken(&links.iter().collect::<Vec<_>>()).await;
        let told = told.expect("broken");
        let found = searched(StatusFilter::Broken).await;
        assert_eq!(found.len(), told.len());
        let found = found.iter();
        let found = found.map(|link| (link.key.to_string(), told[&link.id].clone()));
        found.collect::<Vec<_>>()
    };
    assert!(recorded(store, &links[0], Some(&failing(1))).await);
    assert_eq!(broken().await, []);
    let unanswered = with(failing(2), |it| it.answer = BadAnswer::nothing("refused"));
    for fails in [&failing(2), &unanswered] {
        assert!(recorded(store, &links[0], Some(fails)).await);
        assert_eq!(broken().await, [("a".to_owned(), fails.clone())]);
    }
    assert!(recorded(store, &links[0], None).await);
    assert_eq!(broken().await, [], "it answers again");

    assert!(recorded(store, &links[0], Some(&unanswered)).await);
    let mut elsewhere = links[0].clone();
    elsewhere.content.destination = destination("https://new.example/");
    elsewhere.revision = elsewhere.revision.next();
    let known = Version::of(&links[0]);
    let updated = store.update(&elsewhere, &known, &NOTE).await;
    updated.expect("update");
    assert_eq!(broken().await, [], "the link leads elsewhere");
    let due = store.due(0, 9, seconds(0), 1).await.expect("due");
    let told = due.links.iter().map(|due| (&due.failing, due.is_kept));
    assert_eq!(told.collect::<Vec<_>>(), [(&None, true)]);
}
