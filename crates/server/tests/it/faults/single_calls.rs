//! Fails every call that an operation makes on the files of the database, once or from then on,
//! in every way.

use rstest::rstest;

use super::{
    amount::{Random, factor},
    operation::{Operation, Reply},
    promise::Promise,
    shim::{Fault, Kind},
    sweep::each_call,
    trial::Trial,
};

/// A usual run fails one of this many calls in a row, a different one each time.
const STRIDE: u64 = 12;

#[rstest]
#[case(Operation::Create)]
#[case(Operation::CreateOverExpired)]
#[case(Operation::Edit)]
#[case(Operation::Patch)]
#[case(Operation::Delete)]
#[case(Operation::Import)]
fn whatever_call_fails_an_answer_tells_what_became_of_the_links(#[case] operation: Operation) {
    const REQUESTS_PER_LIFE: u64 = 50;

    let mut random = Random::new();
    let mut trial = Trial::start();
    for pass in 0..factor().div_ceil(STRIDE) {
        if pass > 0 {
            trial.begin_anew();
        }
        trial.index_each_text();
        for kind in Kind::ALL {
            for count in [kind.once(), Fault::FOREVER] {
                let (mut stock, mut round) = (Vec::new(), 0);
                each_call(&mut random, kind, STRIDE, |_, first| {
                    let fault = Fault::of(kind, first, count);
                    let struck = strike(&mut trial, operation, &mut stock, fault);
                    round += 1;
                    if round % REQUESTS_PER_LIFE == 0 {
                        trial.restart(if first % 2 == 0 { "KILL" } else { "TERM" });
                    }
                    struck
                });
            }
        }
        trial.restart("KILL");
    }
    trial.table.conclude(random.seed(), 10, 8);
}

/// Sends a request under this fault. Returns whether it made a call that failed.
fn strike(trial: &mut Trial, operation: Operation, stock: &mut Vec<String>, fault: Fault) -> bool {
    if stock.len() < operation.links() {
        *stock = trial.stock(20 * operation.links(), operation.before());
    }
    let slugs = stock.split_off(stock.len() - operation.links());
    // Visitors get the link from the cache, which must follow the change.
    trial.server().visit(&format!("/{}", slugs[0]));
    trial.faults.set(fault);
    let version = operation.after().unwrap_or_default();
    let reply = operation.send(trial.server(), &slugs, version);
    let struck = trial.faults.lift();
    let story = format!("{fault:?} failed {struck} calls");
    let (before, after) = (operation.before(), operation.after());
    let promise = Promise::after(slugs, before, after, &reply, &story);
    if reply == Reply::Refused && struck == 0 {
        trial.table.wrong(promise.told("nothing failed"));
    }
    let (name, operation) = (name(fault), format!("{operation:?}"));
    trial.table.row(&name, &operation).injected += u64::from(struck > 0);
    trial.answered(&name, &operation, &reply, promise);
    trial.works_again(&story, 0);
    struck > 0
}

fn name(fault: Fault) -> String {
    let lasts = if fault.count == Fault::FOREVER {
        "until lifted"
    } else {
        "once"
    };
    format!("{:?} {lasts}", fault.kind)
}
