//! A client that creates, changes and deletes its own links.

use std::sync::atomic::{AtomicBool, Ordering};

use super::{
    amount::Random,
    operation::{Operation, Reply},
    promise::Promise,
    trial::Trial,
};

/// A client's requests and the answers to them.
#[derive(Debug, Default)]
struct Deeds {
    /// Each with the latest operation on its links.
    promises: Vec<(Promise, Operation)>,
    replies: Vec<(Operation, Reply)>,
    wrongs: Vec<String>,
}

/// The state of a service after a fault.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Left {
    Alive,
    Dead,
}

/// One life of a service: several clients act while `strike` injects faults, of which it returns
/// the number. Afterwards every client knows what became of its links, the service works again,
/// and a restart keeps every promise.
pub(crate) fn live(
    trial: &mut Trial,
    random: &mut Random,
    (fault, left): (&str, Left),
    strike: impl FnOnce(&Trial, &mut Random) -> u64,
) {
    let mut injected = 0;
    let deeds = act_while(trial, random, |random| injected = strike(trial, random));
    trial.faults.lift();
    trial.table.row(fault, "all at once").injected += injected;
    for deeds in deeds {
        deeds.settle(trial, fault, left == Left::Dead);
    }
    if left == Left::Dead {
        trial.restart("KILL");
        trial.works_again(fault, 0);
    } else {
        trial.works_again(fault, 0);
        trial.audit();
        trial.restart(random.one_of(&["KILL", "TERM"]));
    }
}

/// Runs `done` while clients act, and then stops them.
fn act_while(trial: &Trial, random: &mut Random, done: impl FnOnce(&mut Random)) -> Vec<Deeds> {
    const CLIENTS: usize = 6;

    let stop = &AtomicBool::new(false);
    std::thread::scope(|scope| {
        let end = End(stop);
        let clients: Vec<_> = (0..CLIENTS)
            .map(|_| random.branch())
            .map(|random| scope.spawn(move || act(trial, random, stop)))
            .collect();
        done(random);
        drop(end);
        let deeds = clients.into_iter().map(|client| client.join().unwrap());
        deeds.collect()
    })
}

/// Tells the clients to stop, even if the test panics.
pub(crate) struct End<'s>(pub(crate) &'s AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Takes links through their lives until told to stop or until the service does not answer.
fn act(trial: &Trial, mut random: Random, stop: &AtomicBool) -> Deeds {
    let mut deeds = Deeds::default();
    while !stop.load(Ordering::Relaxed) {
        if let Reply::Unanswered(_) = deeds.lead_a_link(trial, &mut random, stop) {
            break;
        }
    }
    deeds
}

impl Deeds {
    /// Takes a link from its creation until a refusal, its deletion, or a random stop. No
    /// client changes it later.
    fn lead_a_link(&mut self, trial: &Trial, random: &mut Random, stop: &AtomicBool) -> Reply {
        use Operation::{Create, Delete, Edit, Import, Patch};

        let mut operation = random.one_of(&[Create, Create, Create, Create, Import]);
        let mut promise = Promise::of(trial.stock(operation.links(), None), None);
        let mut version = 1;
        let reply = loop {
            let reply = operation.send(trial.server(), &promise.slugs, version);
            let acknowledged = reply == Reply::Acknowledged;
            promise.asked_for((operation != Delete).then_some(version), acknowledged);
            promise.story = format!("{operation:?}: {reply:?}, seed {}", random.seed());
            self.replies.push((operation, reply.clone()));
            if !acknowledged {
                break reply;
            }
            if random.below(3) == 0 {
                self.read_back(trial, &promise);
            }
            let leaves = operation == Import || operation == Delete || random.below(3) == 0;
            if leaves || stop.load(Ordering::Relaxed) {
                break reply;
            }
            operation = random.one_of(&[Edit, Patch, Delete]);
            version += 1;
        };
        self.promises.push((promise, operation));
        reply
    }

    /// Checks that an acknowledged change is there, if the service can read at all.
    fn read_back(&mut self, trial: &Trial, promise: &Promise) {
        let path = format!("/api/link/query?slug={}", promise.slugs[0]);
        let Ok(answer) = trial.server().api("GET", &path).try_send() else {
            return;
        };
        if ![200, 404].contains(&answer.status) {
            return;
        }
        let stored = (answer.status == 200).then(|| answer.json());
        if let (Err(wrong), 1) = (promise.version(|_| Ok(stored.clone())), promise.slugs.len()) {
            self.wrongs.push(promise.told(&format!("at once: {wrong}")));
        }
    }

    /// Counts the outcomes and keeps the promises for later checks. Requests may lack an answer
    /// if the service died meanwhile.
    fn settle(self, trial: &mut Trial, fault: &str, died: bool) {
        for (operation, reply) in self.replies {
            let operation = format!("{operation:?}");
            trial.table.row(fault, &operation).count(&reply);
            let is_proper = match reply {
                Reply::Acknowledged | Reply::Refused => true,
                Reply::Unanswered(_) => died,
                Reply::Improper(_) => false,
            };
            if !is_proper {
                trial
                    .table
                    .wrong(format!("{fault}, {operation}: {reply:?}"));
            }
        }
        for wrong in self.wrongs {
            trial.table.wrong(wrong);
        }
        for (promise, operation) in self.promises {
            trial.keep_for_later(fault, &format!("{operation:?}"), promise);
        }
    }
}
