//! The contract of every [`WatchStore`], beside the store of its links.

use slugline_domain::{
    BadAnswer, DueLink, Failing, Finding, Link, LinkFilter, StatusFilter, UnixMillis, Validator,
    WatchClaim, Watched,
    ports::{LinkStore, Version, WatchStore},
};

use crate::{NOTE, destination, join_all::join_all, key, link, seconds};

/// Runs every clause, each on its own store.
///
/// # Panics
/// A clause is violated.
pub async fn run_suite<S: WatchStore + LinkStore>(empty_store: impl AsyncFn() -> S) {
    links_come_onto_the_timetable_once(&empty_store().await).await;
    requests_that_would_come_too_late_come_at_once(&empty_store().await).await;
    one_link_of_a_host_is_claimed_at_a_time(&empty_store().await).await;
    of_callers_at_once_one_has_the_claim(&empty_store().await).await;
    a_claim_that_ended_is_worth_nothing(&empty_store().await).await;
    findings_belong_to_a_destination(&empty_store().await).await;
}

fn at(second: i64) -> UnixMillis {
    seconds(second).start()
}

async fn holding<S: WatchStore + LinkStore>(store: &S, links: &[(&str, &str)]) -> Vec<Link> {
    let mut made = Vec::new();
    for (name, to) in links {
        let link = link(name).to(to).build();
        store.insert(&link, &NOTE).await.expect("insert");
        made.push(link);
    }
    made
}

/// Puts every link on the timetable, due at the second 0.
async fn enrol(store: &impl WatchStore) {
    let mut position = 0;
    loop {
        let enrolled = store.enrol(position, &[at(0); 2], at(100_000)).await;
        let enrolled = enrolled.expect("enrol");
        position = enrolled.position;
        if !enrolled.more {
            return;
        }
    }
}

async fn claimed(store: &impl WatchStore, second: i64) -> Vec<(String, WatchClaim)> {
    let due = store.claim(at(second), at(second + 60), 10).await;
    let due = due.expect("claim").into_iter();
    let mut due: Vec<_> = due
        .map(|due| (due.link.key.to_string(), due.claim))
        .collect();
    due.sort_by(|(one, _), (other, _)| one.cmp(other));
    due
}

fn answered(link: &Link, next: i64, times: Option<u32>) -> Watched {
    Watched {
        destination: link.content.destination.clone(),
        finding: match times {
            None => Finding::Well(Validator::parse("\"1\"")),
            Some(times) => Finding::Failing(Failing {
                since: seconds(1),
                checked_at: seconds(2),
                times,
                answer: BadAnswer::Status(404),
            }),
        },
        next_at: at(next),
        rests_until: at(next.min(20)),
    }
}

async fn links_come_onto_the_timetable_once(store: &(impl WatchStore + LinkStore)) {
    let nothing = store.enrol(0, &[at(0)], at(100_000)).await;
    assert!(!nothing.expect("enrol").more);
    let links = [
        ("a", "https://a.example/"),
        ("b", "https://b.example/"),
        ("c", "https://c.example/"),
    ];
    holding(store, &links).await;
    assert_eq!(claimed(store, 0).await, []);
    enrol(store).await;
    let due = claimed(store, 0).await;
    let names: Vec<_> = due.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["a", "b", "c"]);
    enrol(store).await;
    assert_eq!(claimed(store, 1).await, [], "they are claimed");
    assert_eq!(claimed(store, 60).await.len(), 3, "claims end");
}

async fn requests_that_would_come_too_late_come_at_once(store: &(impl WatchStore + LinkStore)) {
    let links = [("a", "https://a.example/"), ("b", "https://b.example/")];
    holding(store, &links).await;
    let moments = [at(900), at(1_000)];
    store.enrol(0, &moments, at(2_000)).await.expect("enrol");
    assert_eq!(claimed(store, 0).await, []);
    store.enrol(1, &[at(0)], at(899)).await.expect("enrol");
    assert_eq!(claimed(store, 0).await, [], "only at the first position");
    store.enrol(0, &[at(0)], at(900)).await.expect("enrol");
    assert_eq!(claimed(store, 0).await.len(), 1);
    assert_eq!(claimed(store, 900).await.len(), 2);
}

async fn one_link_of_a_host_is_claimed_at_a_time(store: &(impl WatchStore + LinkStore)) {
    let links = [
        ("a", "https://one.example/a"),
        ("b", "https://ONE.example:8443/b"),
        ("c", "https://two.example/"),
    ];
    let links = holding(store, &links).await;
    enrol(store).await;
    let first = claimed(store, 0).await;
    assert_eq!(first.len(), 2, "one of each host: {first:?}");
    let (name, claim) = first.iter().find(|(name, _)| name != "c").expect("one");
    assert_eq!(claimed(store, 10).await, [], "the host is asked");
    let asked = links
        .iter()
        .find(|link| link.key == key(name))
        .expect("a link");
    let found = answered(asked, 1_000, None);
    assert!(store.record(claim, &found).await.expect("record"));
    assert_eq!(claimed(store, 19).await, [], "the host rests");
    let second = claimed(store, 30).await;
    assert_eq!(second.len(), 1, "the other one: {second:?}");
    assert_ne!(second[0].0, *name);
}

async fn of_callers_at_once_one_has_the_claim(store: &(impl WatchStore + LinkStore)) {
    let links = [
        ("a", "https://one.example/a"),
        ("b", "https://one.example/b"),
    ];
    holding(store, &links).await;
    enrol(store).await;
    let claims = join_all((0..8).map(|_| claimed(store, 0)).collect()).await;
    assert_eq!(claims.iter().map(Vec::len).sum::<usize>(), 1);
}

async fn a_claim_that_ended_is_worth_nothing(store: &(impl WatchStore + LinkStore)) {
    let links = holding(store, &[("a", "https://a.example/")]).await;
    enrol(store).await;
    let late = claimed(store, 0).await.remove(0).1;
    let current = claimed(store, 60).await.remove(0).1;
    let found = answered(&links[0], 1_000, Some(2));
    assert!(!store.record(&late, &found).await.expect("record"));
    assert!(store.record(&current, &found).await.expect("record"));
    assert!(!store.record(&current, &found).await.expect("record"));
    store.delete(&key("a"), &NOTE).await.expect("delete");
    assert_eq!(claimed(store, 2_000).await, [], "it is gone");
    holding(store, &[("a", "https://a.example/")]).await;
    enrol(store).await;
    assert_eq!(claimed(store, 2_000).await.len(), 1, "a new link is new");
}

async fn findings_belong_to_a_destination(store: &(impl WatchStore + LinkStore)) {
    let links = [("a", "https://a.example/"), ("b", "https://b.example/")];
    let links = holding(store, &links).await;
    enrol(store).await;
    let broken = async || {
        let links: Vec<Link> = {
            let all = LinkFilter::default().with_status(StatusFilter::All);
            store.search(&all, seconds(0), 10).await.expect("search")
        };
        let told = store.broken(&links.iter().collect::<Vec<_>>()).await;
        let told = told.expect("broken");
        let filter = LinkFilter::default().with_status(StatusFilter::Broken);
        let found = store.search(&filter, seconds(0), 10).await.expect("search");
        let count = store.count(&filter, seconds(0)).await.expect("count");
        assert_eq!(found.len(), told.len());
        assert_eq!(u64::try_from(found.len()), Ok(count));
        let found = found
            .iter()
            .map(|link| (link.key.to_string(), told[&link.id].clone()));
        found.collect::<Vec<_>>()
    };
    for (times, expected) in [(1, 0), (2, 1)] {
        for (name, claim) in claimed(store, times * 100).await {
            let failing = (name == "a").then(|| u32::try_from(times).expect("small"));
            let link = links
                .iter()
                .find(|link| link.key == key(&name))
                .expect("a link");
            let found = answered(link, times * 100 + 100, failing);
            assert!(store.record(&claim, &found).await.expect("record"));
        }
        assert_eq!(broken().await.len(), expected, "after {times}");
    }
    let [(name, failing)] = &broken().await[..] else {
        panic!("one is broken");
    };
    assert_eq!((name.as_str(), failing.times), ("a", 2));
    assert_eq!(failing.answer, BadAnswer::Status(404));
    let due = store.claim(at(300), at(301), 10).await.expect("claim");
    let [a, b] = &found_of(&due)[..] else {
        panic!("two are due");
    };
    assert_eq!(a.failing(), Some(failing));
    assert_eq!(b.validator(), Validator::parse("\"1\"").as_ref());

    let mut elsewhere = links[0].clone();
    elsewhere.content.destination = destination("https://new.example/");
    elsewhere.revision = elsewhere.revision.next();
    let known = Version::of(&links[0]);
    store
        .update(&elsewhere, &known, &NOTE)
        .await
        .expect("update");
    assert_eq!(broken().await, [], "the link leads elsewhere");
    let due = store.claim(at(400), at(401), 10).await.expect("claim");
    let moved = found_of(&due)[0];
    assert_eq!(moved, &Finding::default(), "nothing is known of that");
}

/// The findings about the links that are due, by key.
fn found_of(due: &[DueLink]) -> Vec<&Finding> {
    let mut due: Vec<&DueLink> = due.iter().collect();
    due.sort_by_key(|due| due.link.key.to_string());
    due.into_iter().map(|due| &due.finding).collect()
}

#[cfg(test)]
mod tests {
    use crate::MemoryLinkStore;

    #[tokio::test]
    async fn the_store_in_memory_keeps_the_contract() {
        super::run_suite(async || MemoryLinkStore::default()).await;
    }
}
