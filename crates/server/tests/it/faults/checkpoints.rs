//! Faults during a checkpoint. The write-ahead log has every change by then, so the service must
//! refuse nothing and lose nothing.

use super::{
    amount::{Random, factor},
    operation::{Operation, Reply},
    promise::Promise,
    shim::{Fault, Kind, Target},
    trial::Trial,
    versions::HEAVY,
};

#[test]
fn a_checkpoint_that_fails_loses_nothing() {
    /// This many imports fill the write-ahead log.
    const IMPORTS: usize = 48;

    let mut random = Random::new();
    let mut trial = Trial::start();
    for round in 0..4 * factor() {
        if round % 4 == 0 {
            trial.begin_anew();
        }
        let kind = random.one_of(&[Kind::IoError, Kind::Full, Kind::Torn, Kind::Unsynced]);
        let first = if kind == Kind::Unsynced {
            1
        } else {
            1 + random.below(300)
        };
        let target = Target::Pages;
        let fault = Fault {
            target,
            ..Fault::of(kind, first, random.one_of(&[2, Fault::FOREVER]))
        };
        let name = format!("{kind:?} in a checkpoint");
        trial.faults.set(fault);
        for _ in 0..IMPORTS {
            import_heavy(&mut trial, &name);
            if trial.faults.failed() > 0 {
                break;
            }
        }
        // The write-ahead log keeps growing although the checkpoint fails.
        import_heavy(&mut trial, &name);
        let struck = trial.faults.lift();
        trial.table.row(&name, "all").injected += u64::from(struck > 0);
        trial.works_again(&format!("{fault:?}"), 0);
        if round % 2 == 1 {
            trial.restart(random.one_of(&["KILL", "TERM"]));
        }
    }
    trial.table.conclude(random.seed(), 2, 0);
}

/// Imports links that fill many pages.
pub(crate) fn import_heavy(trial: &mut Trial, fault: &str) -> Reply {
    let slugs = trial.stock(25, None);
    let reply = Operation::Import.send(trial.server(), &slugs, HEAVY);
    let promise = Promise::after(slugs, None, Some(HEAVY), &reply, fault);
    trial.answered(fault, "Import", &reply, promise);
    reply
}
