//! Faults under several concurrent clients: one commit may hold the changes of many, and each
//! must get a correct answer.

use std::{
    thread::sleep,
    time::{Duration, Instant},
};

use super::{
    actor::act_while,
    amount::{Random, factor},
    shim::{Fault, Faults, Kind, Target},
    trial::Trial,
};

const CLIENTS: usize = 6;

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
        let mut injected = 0;
        let deeds = act_while(&trial, CLIENTS, &mut random, |random| {
            for _ in 0..FAULTS_PER_LIFE {
                injected += u64::from(strike(&trial.faults, kind, random) > 0);
                sleep(Duration::from_millis(random.below(30)));
            }
        });
        trial.table.row(&name, "all at once").injected += injected;
        for deeds in deeds {
            deeds.settle(&mut trial, &name, false);
        }
        trial.works_again(&format!("{name}, life {life}"), 0);
        trial.audit();
        trial.restart(random.one_of(&["KILL", "TERM"]));
    }
    trial.table.conclude(random.seed(), 12, 5);
}

/// Sets a fault, waits until it strikes, and lifts it a bit later.
fn strike(faults: &Faults, kind: Kind, random: &mut Random) -> u64 {
    let count = random.one_of(&[1, 2, 5, Fault::FOREVER]);
    let (target, first) = (Target::AnyFile, 1 + random.below(60));
    faults.set(Fault {
        kind,
        target,
        first,
        count,
    });
    let begun = Instant::now();
    while faults.failed() == 0 && begun.elapsed() < Duration::from_millis(300) {
        sleep(Duration::from_millis(1));
    }
    sleep(Duration::from_millis(random.below(30)));
    faults.lift()
}

#[test]
fn nothing_is_acknowledged_that_the_disk_does_not_confirm() {
    let mut random = Random::new();
    let mut trial = Trial::start();
    for _ in 0..factor() {
        trial.begin_anew();
        let fault = Fault {
            kind: Kind::Unsynced,
            target: Target::Log,
            first: 1,
            count: Fault::FOREVER,
        };
        trial.faults.set(fault);
        let deeds = act_while(&trial, CLIENTS, &mut random, |_| {
            sleep(Duration::from_secs(1));
        });
        let failed = trial.faults.lift();
        for deeds in deeds {
            deeds.settle(&mut trial, "Unsynced log", false);
        }
        for operation in ["Create", "Import"] {
            let acknowledged = trial.table.row("Unsynced log", operation).acknowledged;
            if acknowledged > 0 {
                let wrong = format!("{operation}: {acknowledged} acknowledged, none was synced");
                trial.table.wrong(wrong);
            }
        }
        trial.table.row("Unsynced log", "all at once").injected += failed;
        trial.works_again("the log can be synced again", 0);
        trial.audit();
        trial.restart("KILL");
    }
    trial.table.conclude(random.seed(), 10, 10);
}
