//! `kill -9` at any moment.

use std::{process::Command, thread::sleep, time::Duration};

use super::{
    actor::act_while,
    amount::{Random, factor},
    trial::Trial,
};

#[test]
fn whatever_was_acknowledged_survives_a_sudden_death() {
    const CLIENTS: usize = 6;
    const DEATH: &str = "kill -9";

    let mut random = Random::new();
    let mut trial = Trial::start();
    for life in 0..8 * factor() {
        if life % 16 == 15 {
            trial.begin_anew();
        }
        let deeds = act_while(&trial, CLIENTS, &mut random, |random| {
            sleep(Duration::from_millis(60 + random.below(300)));
            kill(trial.server().process_id());
        });
        for deeds in deeds {
            deeds.settle(&mut trial, DEATH, true);
        }
        trial.table.row(DEATH, "all at once").injected += 1;
        trial.restart("KILL");
        trial.works_again(&format!("life {life}"), 0);
    }
    trial.table.conclude(random.seed(), 8, 8);
}

pub(crate) fn kill(process: u32) {
    let killed = Command::new("kill")
        .args(["-9", &process.to_string()])
        .status();
    assert!(killed.unwrap().success());
}
