//! Faults during the migration of links: a page is stored together with its counts, or not at
//! all.

use std::fs;

use serde_json::{Value, json};

use super::{
    amount::{Random, factor},
    operation::{Reply, refusal},
    promise::Promise,
    shim::{Fault, Kind},
    trial::Trial,
    versions::{destination, link},
};

const RUN: &str = "/api/link/migration/run";
const STATUS: &str = "/api/link/migration/status";
/// Links per page.
const PAGE: u64 = 100;
/// A bit more than three pages.
const LINKS: u64 = 310;

#[test]
fn a_page_of_an_older_instance_is_moved_wholly_or_not_at_all() {
    /// The average step from one failing call to the next; a page makes some hundreds.
    const STEP: u64 = 50;

    let mut random = Random::new();
    let mut trial = Trial::start();
    for _ in 0..factor() {
        trial.begin_anew();
        let old = tempfile::NamedTempFile::new().unwrap();
        let url = format!("file:{}", old.path().display());
        let slugs = trial.stock(usize::try_from(LINKS).unwrap(), None);
        fs::write(old.path(), bulk(&slugs)).unwrap();
        trial.set("SLUGLINE_LEGACY_KV_URL", &url);
        trial.restart_unseen("TERM");
        let (mut first, mut inserted, mut attempts) = (0, 0, 0);
        loop {
            first += 1 + random.below(2 * STEP);
            // A page reads little, so most read faults would not strike.
            let kind = if attempts % 5 == 4 {
                Kind::Unreadable
            } else {
                random.one_of(&[Kind::IoError, Kind::Full, Kind::Torn, Kind::Unsynced])
            };
            let call = match kind {
                Kind::Unsynced => 1,
                Kind::Unreadable => 1 + first % 5,
                Kind::IoError | Kind::Full | Kind::Torn | Kind::ReadOnly | Kind::Killed => first,
            };
            let fault = Fault::of(kind, call, random.one_of(&[2, Fault::FOREVER]));
            let name = format!("{:?}", fault.kind);
            trial.faults.set(fault);
            let answer = trial.server().api("POST", RUN).send();
            let struck = trial.faults.lift();
            attempts += 1;
            let reply = if answer.status == 200 {
                Reply::Acknowledged
            } else {
                refusal(&answer)
            };
            let row = trial.table.row(&name, "Migration page");
            row.injected += u64::from(struck > 0);
            row.count(&reply);
            let mut ended = false;
            if reply == Reply::Acknowledged {
                let report = answer.json();
                inserted += report["inserted"].as_u64().unwrap();
                ended = report["list_complete"] == true;
                first = 0;
            } else if reply != Reply::Refused {
                trial.table.wrong(format!("{fault:?}: {reply:?}"));
            }
            account(&mut trial, inserted, &format!("{fault:?}: {}", answer.text));
            visit(
                &mut trial,
                &slugs[usize::try_from(random.below(LINKS)).unwrap()],
            );
            if ended {
                break;
            }
            if attempts > 200 {
                trial.table.wrong("the migration has no end".to_owned());
                break;
            }
            if attempts % 6 == 0 {
                trial.restart_unseen("KILL");
                // A page that was refused because a sync failed may still be in the write-ahead
                // log: then it is there completely.
                let counted = counted(&trial);
                if counted == inserted + PAGE || counted == LINKS {
                    inserted = counted;
                }
                account(&mut trial, inserted, "after a restart");
            }
        }
        for slug in slugs {
            let moved = Reply::Acknowledged;
            let promise = Promise::after(vec![slug], None, Some(1), &moved, "it was moved");
            trial.keep_for_later("any", "Migration page", promise);
        }
        trial.works_again("the migration is over", 0);
        trial.restart("KILL");
    }
    trial.table.conclude(random.seed(), 2, 2);
}

/// A bulk file of Cloudflare's.
fn bulk(slugs: &[String]) -> String {
    let entry = |slug: &String| {
        let value = link(slug, 1).to_string();
        json!({"key": format!("link:{slug}"), "value": value})
    };
    Value::Array(slugs.iter().map(entry).collect()).to_string()
}

/// Checks that the stored count equals the reported number of moved links.
fn account(trial: &mut Trial, inserted: u64, story: &str) {
    let counted = counted(trial);
    if counted != inserted {
        let row = trial.table.row("any", "Migration page");
        row.lost += inserted.saturating_sub(counted);
        row.muddled += counted.saturating_sub(inserted);
        let wrong = format!("{inserted} moved, {counted} on account: {story}");
        trial.table.wrong(wrong);
    }
}

/// The stored count of moved links.
fn counted(trial: &Trial) -> u64 {
    let status = trial.server().get(STATUS).json();
    status["run"]["inserted"].as_u64().unwrap_or_default()
}

/// Visitors must always get an answer, from the database or from the old store.
fn visit(trial: &mut Trial, slug: &str) {
    let visit = trial.server().visit(&format!("/{slug}"));
    let location = visit.header("location");
    if location != destination(slug, 1) {
        let wrong = format!("{slug}: visitors get {} {location:?}", visit.status);
        trial.table.wrong(wrong);
    }
}
