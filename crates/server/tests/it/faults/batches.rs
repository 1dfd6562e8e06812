//! Batches that fail or die in the middle: each link is changed completely or not at all, and
//! repeating the request finishes the work.

use rstest::rstest;
use serde_json::{Value, json};

use super::{
    amount::{Random, factor},
    deaths::kill,
    operation::{Reply, refusal},
    shim::{Fault, Kind},
    trial::Trial,
    versions::{link, tags},
};
use crate::support::server::{Answer, Server};

fn add_tag(slugs: &[String], word: &str) -> Value {
    json!({"action": "addTags", "tags": [word], "slugs": slugs})
}

fn send(server: &Server, body: &Value) -> Result<Answer, String> {
    let call = server.api("POST", "/api/link/batch").json(body);
    call.try_send().map_err(|error| error.to_string())
}

fn get(server: &Server, path: &str) -> Value {
    let answer = server.get(path).is(200);
    answer.json()
}

/// The slugs of the links that have the tag. Every link must be exactly the first version, with
/// or without the tag, in every view.
fn with_tag(server: &Server, slugs: &[String], word: &str) -> Vec<String> {
    let mut changed = Vec::new();
    for some in slugs.chunks(50) {
        let path = "/api/link/list?status=all&sort=az&limit=50&slugs=".to_owned() + &some.join(",");
        let page = get(server, &path);
        let links = page["links"].as_array().unwrap();
        assert_eq!(links.len(), some.len(), "{path}");
        for stored in links {
            let slug = stored["slug"].as_str().unwrap();
            let mut sent = link(slug, 1);
            if stored["tags"].as_array().unwrap().contains(&json!(word)) {
                let [a, b] = tags(slug, 1);
                let mut all = [a, b, word.to_owned()];
                all.sort_unstable();
                sent["tags"] = json!(all);
                changed.push(slug.to_owned());
            }
            for (name, value) in sent.as_object().unwrap() {
                assert_eq!(&stored[name], value, "a mixture: {stored}");
            }
        }
    }
    let count = get(server, &format!("/api/link/count?status=all&tag={word}"));
    assert_eq!(count["count"], changed.len(), "by the tag {word}");
    let found = get(
        server,
        &format!("/api/link/search?status=all&limit=1000&q={word}"),
    );
    let found = found.as_array().unwrap().iter();
    let mut found: Vec<&str> = found.map(|link| link["slug"].as_str().unwrap()).collect();
    found.sort_unstable();
    changed.sort_unstable();
    assert_eq!(found, changed, "by a search for {word}");
    changed
}

/// Sends the request again, which does the remaining work and repeats nothing.
fn finish(server: &Server, slugs: &[String], word: &str, changed: usize) {
    let report = send(server, &add_tag(slugs, word)).unwrap().json();
    let totals = json!({
        "done": slugs.len() - changed, "unchanged": changed,
        "notFound": 0, "refused": 0, "failed": 0,
    });
    assert_eq!(report["totals"], totals, "{report}");
    assert_eq!(with_tag(server, slugs, word).len(), slugs.len());
}

/// The numbers of links by their outcome.
#[derive(Debug, Default)]
struct Told {
    done: usize,
    /// A commit whose acknowledgement was lost gives this one.
    unchanged: usize,
    failed: usize,
}

/// Counts a batch, checks that each result tells what became of its link, and finishes the work.
fn settle(
    trial: &mut Trial,
    (fault, operation): (&str, &str),
    answer: &Answer,
    (slugs, word): (&[String], &str),
    injected: u64,
) -> Told {
    assert_eq!(answer.status, 200, "{}", answer.text);
    let report = answer.json();
    let changed = with_tag(trial.server(), slugs, word);
    let mut told = Told::default();
    for (result, slug) in report["results"].as_array().unwrap().iter().zip(slugs) {
        assert_eq!(result["slug"], json!(slug));
        let outcome = match result["outcome"].as_str().unwrap() {
            "done" => &mut told.done,
            "unchanged" => &mut told.unchanged,
            "failed" => {
                let code = result["code"].as_str().unwrap();
                assert!(["unavailable", "internal_error"].contains(&code), "{code}");
                told.failed += 1;
                continue;
            }
            _ => panic!("{fault}: {result}"),
        };
        *outcome += 1;
        assert!(changed.contains(slug), "{fault}: {result} is not there");
    }
    let row = trial.table.row(fault, operation);
    row.injected += injected;
    let all = [Reply::Acknowledged, Reply::Refused];
    row.count(&all[usize::from(told.failed > 0)]);
    finish(trial.server(), slugs, word, changed.len());
    told
}

#[test]
fn each_result_tells_what_became_of_its_link_when_the_disk_fails() {
    const LINKS: usize = 20;
    const FAULT: &str = "the disk fails in a batch";

    let mut random = Random::new();
    let mut trial = Trial::start();
    let (mut failed, mut done) = (0, 0);
    for round in 0..3 * factor() {
        for kind in Kind::ALL {
            for count in [2, 10, Fault::FOREVER] {
                let slugs = trial.stock(LINKS, Some(1));
                let word = format!("w{round}{kind:?}{count}").to_lowercase();
                let fault = Fault::of(kind, 1 + random.below(40), count);
                trial.faults.set(fault);
                let answer = send(trial.server(), &add_tag(&slugs, &word)).unwrap();
                let struck = u64::from(trial.faults.lift() > 0);
                let told = settle(
                    &mut trial,
                    (FAULT, &format!("{kind:?}")),
                    &answer,
                    (&slugs, &word),
                    struck,
                );
                assert!(
                    struck > 0 || told.failed == 0,
                    "nothing failed: {}",
                    answer.text
                );
                // Without a lost acknowledgement no change is found there already.
                assert_eq!(told.unchanged, 0, "{}", answer.text);
                done += told.done;
                failed += told.failed;
            }
        }
        trial.restart("KILL");
    }
    assert!(failed >= 20 && done >= 20, "{failed} failed, {done} done");
    trial.table.conclude(random.seed(), 8, 5);
}

#[rstest]
fn a_batch_whose_process_dies_in_the_middle_is_finished_by_sending_it_again(
    #[values("sqlite", "postgres")] database: &str,
) {
    const LINKS: usize = 400;
    const LIVES: usize = 30;
    const DEATH: &str = "kill -9 in a batch";

    let mut random = Random::new();
    let (_own, mut trial) = match database {
        "postgres" => {
            let (own, trial) = Trial::on_postgres("faults_batches", &random);
            (Some(own), trial)
        }
        _ => (None, Trial::start()),
    };
    let mut interrupted = 0;
    for life in 0..LIVES {
        let slugs = trial.stock(LINKS, Some(1));
        let word = format!("life{life}");
        let some = usize::try_from(random.below(200)).unwrap();
        let reply = die_after(&trial, &slugs, &word, some);
        trial.restart_unseen("KILL");
        let changed = with_tag(trial.server(), &slugs, &word).len();
        if reply == Reply::Acknowledged {
            assert_eq!(changed, LINKS, "acknowledged");
        }
        let row = trial.table.row(DEATH, database);
        row.count(&reply);
        row.injected += 1;
        finish(trial.server(), &slugs, &word, changed);
        trial.table.row(DEATH, "again").count(&Reply::Acknowledged);
        interrupted += usize::from((1..LINKS).contains(&changed));
        if interrupted == 3 {
            break;
        }
    }
    assert!(interrupted > 0, "no batch of {LIVES} died in the middle");
    trial.table.conclude(random.seed(), 1, 1);
}

/// Sends a batch and kills the process when the given number of links is changed, or when the
/// batch is done.
fn die_after(trial: &Trial, slugs: &[String], word: &str, some: usize) -> Reply {
    let server = trial.server();
    std::thread::scope(|scope| {
        let batch = scope.spawn(|| send(server, &add_tag(slugs, word)));
        let path = format!("/api/link/count?status=all&tag={word}");
        while !batch.is_finished() {
            let count = get(server, &path)["count"].as_u64().unwrap();
            if usize::try_from(count).unwrap() > some {
                break;
            }
        }
        kill(server.process_id());
        match batch.join().unwrap() {
            Ok(answer) if answer.status == 200 => Reply::Acknowledged,
            Ok(answer) => refusal(&answer),
            Err(error) => Reply::Unanswered(error),
        }
    })
}

#[test]
fn each_result_tells_what_became_of_its_link_when_sessions_are_cut() {
    const LINKS: usize = 200;
    const CUT: &str = "a session is cut in a batch";

    let mut random = Random::new();
    let (mut database, mut trial) = Trial::on_postgres("faults_cut_batches", &random);
    for round in 0..5 * factor() {
        let slugs = trial.stock(LINKS, Some(1));
        let word = format!("round{round}");
        let mut cut = 0;
        let server = trial.server();
        let answer = std::thread::scope(|scope| {
            let batch = scope.spawn(|| send(server, &add_tag(&slugs, &word)).unwrap());
            while !batch.is_finished() {
                cut += database.cut(1 + random.below(3));
                std::thread::sleep(std::time::Duration::from_millis(random.below(30)));
            }
            batch.join().unwrap()
        });
        // A pool must replace dead sessions without a refused request.
        trial.works_again(&word, 0);
        settle(&mut trial, (CUT, "addTags"), &answer, (&slugs, &word), cut);
    }
    trial.table.conclude(random.seed(), 5, 0);
}
