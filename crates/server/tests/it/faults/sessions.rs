//! PostgreSQL ends the service's sessions while several clients work.

use std::{
    thread::sleep,
    time::{Duration, Instant},
};

use super::{
    actor::{Left, live},
    amount::{Random, factor},
    trial::Trial,
};

#[test]
fn each_client_is_told_what_became_of_its_links_when_sessions_are_cut() {
    let mut random = Random::new();
    let (mut database, mut trial) = Trial::on_postgres("faults_sessions", &random);
    let fault = ("a session is cut", Left::Alive);
    for _ in 0..3 * factor() {
        // A pool must replace dead sessions without a refused request.
        live(&mut trial, &mut random, fault, |_, random| {
            let (begun, mut cut) = (Instant::now(), 0);
            while begun.elapsed() < Duration::from_secs(1) {
                sleep(Duration::from_millis(random.below(60)));
                cut += database.cut(1 + random.below(10));
            }
            cut
        });
    }
    trial.table.conclude(random.seed(), 30, 0);
}
