//! `kill -9` at any moment.

use std::{process::Command, thread::sleep, time::Duration};

use super::{
    actor::{Left, live},
    amount::{Random, factor},
    trial::Trial,
};

#[test]
fn whatever_was_acknowledged_survives_a_sudden_death() {
    let mut random = Random::new();
    let mut trial = Trial::start();
    let fault = ("kill -9", Left::Dead);
    for life in 0..8 * factor() {
        if life % 16 == 15 {
            trial.begin_anew();
        }
        live(&mut trial, &mut random, fault, |trial, random| {
            sleep(Duration::from_millis(60 + random.below(300)));
            kill(trial.server().process_id());
            1
        });
    }
    trial.table.conclude(random.seed(), 8, 8);
}

pub(crate) fn kill(process: u32) {
    let killed = Command::new("kill")
        .args(["-9", &process.to_string()])
        .status();
    assert!(killed.unwrap().success());
}
