//! Faults under several concurrent clients: one commit may hold the changes of many, and each
//! must get a correct answer.

use std::{
    thread::sleep,
    time::{Duration, Instant},
};

use super::{
    actor::{Left, live},
    amount::{Random, factor},
    shim::{Fault, Faults, Kind, Target},
    trial::Trial,
};
use crate::support::server::eventually;

#[test]
fn each_of_many_clients_is_told_what_became_of_its_links() {
    const FAULTS_PER_LIFE: usize = 12;

    let mut random = Random::new();
    let mut trial = Trial::start();
    for life in 0..4 * factor() {
        if life % 8 == 7 {
            trial.begin_anew();
        }
        let kind = random.one_of(&Kind::ALL);
        let name = format!("{kind:?} at random");
        let fault = (name.as_str(), Left::Alive);
        live(&mut trial, &mut random, fault, |trial, random| {
            let mut injected = 0;
            for _ in 0..FAULTS_PER_LIFE {
                injected += u64::from(strike(&trial.faults, kind, random) > 0);
                sleep(Duration::from_millis(random.below(30)));
            }
            injected
        });
    }
    trial.table.conclude(random.seed(), 12, 5);
}

/// Sets a fault, waits until it strikes, and lifts it a bit later.
fn strike(faults: &Faults, kind: Kind, random: &mut Random) -> u64 {
    let count = random.one_of(&[1, 2, 5, Fault::FOREVER]);
    faults.set(Fault::of(kind, 1 + random.below(60), count));
    let begun = Instant::now();
    while faults.failed() == 0 && begun.elapsed() < Duration::from_millis(300) {
        sleep(Duration::from_millis(1));
    }
    sleep(Duration::from_millis(random.below(30)));
    faults.lift()
}

#[test]
fn nothing_is_acknowledged_that_the_disk_does_not_confirm() {
    const UNSYNCED: &str = "Unsynced log";

    let mut random = Random::new();
    let mut trial = Trial::start();
    for _ in 0..factor() {
        trial.begin_anew();
        let fault = (UNSYNCED, Left::Alive);
        live(&mut trial, &mut random, fault, |trial, _| {
            let target = Target::Log;
            let fault = Fault::of(Kind::Unsynced, 1, Fault::FOREVER);
            trial.faults.set(Fault { target, ..fault });
            eventually("syncs failed", || trial.faults.failed() >= 20);
            trial.faults.failed()
        });
        for operation in ["Create", "Import"] {
            let acknowledged = trial.table.row(UNSYNCED, operation).acknowledged;
            if acknowledged > 0 {
                let wrong = format!("{operation}: {acknowledged} acknowledged, none was synced");
                trial.table.wrong(wrong);
            }
        }
    }
    trial.table.conclude(random.seed(), 10, 10);
}
