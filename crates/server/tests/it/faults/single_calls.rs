//! Fails every call that an operation makes on the files of the database, once or from then on,
//! in every way.

use rstest::rstest;

use super::{
    amount::{Random, factor},
    operation::{Operation, Reply},
    promise::Promise,
    shim::{Fault, Kind, Target},
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
    let mut random = Random::new();
    let mut trial = Trial::start();
    trial.index_each_text();
    let (stride, passes) = (STRIDE.div_ceil(factor()), factor().div_ceil(STRIDE));
    for pass in 0..passes {
        if pass > 0 {
            trial.begin_anew();
            trial.index_each_text();
        }
        for kind in Kind::ALL {
            let once = if kind == Kind::Torn { 2 } else { 1 };
            for count in [once, Fault::FOREVER] {
                // There are only a few calls of this kind.
                let stride = if kind == Kind::Unsynced { 1 } else { stride };
                let offset = random.below(stride);
                let faults = (1 + offset..).step_by(usize::try_from(stride).unwrap());
                let target = Target::AnyFile;
                strike(
                    &mut trial,
                    operation,
                    faults.map(|first| Fault {
                        kind,
                        target,
                        first,
                        count,
                    }),
                );
            }
        }
        trial.restart("KILL");
    }
    trial.table.conclude(random.seed(), 10, 8);
}

/// Sets these faults, one for each request, until a request makes no call that would fail.
fn strike(trial: &mut Trial, operation: Operation, faults: impl Iterator<Item = Fault>) {
    /// Requests make different numbers of calls.
    const MISSES: usize = 2;
    const REQUESTS_PER_LIFE: usize = 50;

    let mut stock = Vec::new();
    let mut misses = 0;
    for (round, fault) in faults.enumerate() {
        if stock.len() < operation.links() {
            stock = trial.stock(20 * operation.links(), operation.before());
        }
        let slugs = stock.split_off(stock.len() - operation.links());
        // Visitors get the link from the cache, which must follow the change.
        trial.server().visit(&format!("/{}", slugs[0]));
        trial.faults.set(fault);
        let version = operation.after().unwrap_or_default();
        let reply = operation.send(trial.server(), &slugs, version);
        let struck = trial.faults.lift();
        let acknowledged = reply == Reply::Acknowledged;
        let mut promise = Promise::of(slugs, operation.before());
        promise.asked_for(operation.after(), acknowledged);
        promise.story = format!("{fault:?} failed {struck} calls: {reply:?}");
        let name = name(fault);
        let (label, operation) = (name.as_str(), format!("{operation:?}"));
        match reply {
            Reply::Unanswered(_) | Reply::Improper(_) => {
                trial.table.wrong(promise.told("no proper answer"));
            }
            Reply::Refused if struck == 0 => trial.table.wrong(promise.told("nothing failed")),
            Reply::Acknowledged | Reply::Refused => {}
        }
        let row = trial.table.row(label, &operation);
        row.injected += u64::from(struck > 0);
        row.count(&reply);
        let story = promise.story.clone();
        trial.keep(label, &operation, promise);
        trial.works_again(&story, 0);
        if round % REQUESTS_PER_LIFE == REQUESTS_PER_LIFE - 1 {
            trial.restart(if fault.first % 2 == 0 { "KILL" } else { "TERM" });
        }
        misses = if struck == 0 { misses + 1 } else { 0 };
        if misses == MISSES {
            return;
        }
    }
}

fn name(fault: Fault) -> String {
    let lasts = if fault.count == Fault::FOREVER {
        "until lifted"
    } else {
        "once"
    };
    format!("{:?} {lasts}", fault.kind)
}
