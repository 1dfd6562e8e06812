//! PostgreSQL ends the service's sessions while several clients work.

use std::{
    thread::sleep,
    time::{Duration, Instant},
};

use super::{
    actor::act_while,
    amount::{Random, factor},
    trial::Trial,
};
use crate::support::own_database::OwnDatabase;

#[test]
fn each_client_is_told_what_became_of_its_links_when_sessions_are_cut() {
    const CLIENTS: usize = 6;
    const CUT: &str = "a session is cut";

    let mut random = Random::new();
    let mut database = OwnDatabase::create(&format!("faults_sessions_{}", random.seed()));
    let url = database.url().to_string();
    let folder = tempfile::tempdir().unwrap();
    let mut trial = Trial::start_in(folder, &[("SLUGLINE_DATABASE_URL", &url)]);
    for life in 0..3 * factor() {
        let mut cut = 0;
        let deeds = act_while(&trial, CLIENTS, &mut random, |random| {
            let begun = Instant::now();
            while begun.elapsed() < Duration::from_secs(1) {
                sleep(Duration::from_millis(random.below(60)));
                cut += database.cut(1 + random.below(10));
            }
        });
        trial.table.row(CUT, "all at once").injected += cut;
        for deeds in deeds {
            deeds.settle(&mut trial, CUT, false);
        }
        // A pool must replace dead sessions without a refused request.
        trial.works_again(&format!("life {life}"), 0);
        trial.audit();
        trial.restart(random.one_of(&["KILL", "TERM"]));
    }
    trial.table.conclude(random.seed(), 30, 0);
}
