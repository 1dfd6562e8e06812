//! What observers hear.

use std::sync::mpsc::{Receiver, Sender, channel};

use slugline::{
    Observer,
    domain::Dimension,
    observers::{ObservedChange, ObservedVisit},
};

use super::*;
use crate::support::server::eventually;

#[derive(Clone, Default)]
struct Notes(Arc<Mutex<Vec<String>>>);

impl Notes {
    fn add(&self, note: String) {
        self.0.lock().unwrap().push(note);
    }

    fn count(&self, beginning: &str) -> usize {
        let notes = self.0.lock().unwrap();
        notes
            .iter()
            .filter(|note| note.starts_with(beginning))
            .count()
    }
}

impl Observer for Notes {
    fn visit(&mut self, visit: &ObservedVisit) {
        assert_eq!(visit.stands_for, 1);
        self.add(format!("visit {}", visit.value(Dimension::Slug)));
    }

    fn change(&mut self, change: &ObservedChange) {
        let (operation, slug) = (change.operation.as_str(), &change.key);
        self.add(format!("{operation} {slug} {}", change.author.caller));
    }
}

/// Tells that it was called once, and never returns before it may.
struct Stuck {
    called: Sender<()>,
    until: Receiver<()>,
}

impl Observer for Stuck {
    fn visit(&mut self, _: &ObservedVisit) {
        let _ = self.called.send(());
        let _ = self.until.recv();
    }
}

/// More than the queue of an observer holds.
const VISITS: usize = 4_500;

#[test]
fn observers_hear_of_visits_and_changes_and_a_slow_one_delays_nothing() {
    let notes = Notes::default();
    let (called, was_called) = channel();
    let (release, until) = channel();
    let service = Embedded::start(|builder| {
        let stuck = Stuck { called, until };
        builder.observer(notes.clone()).observer(stuck)
    });
    service.create("docs");
    assert_eq!(service.get("/docs").status, 301);
    was_called.recv().unwrap();

    // From here on one observer is stuck.
    for _ in 0..VISITS {
        assert_eq!(service.get("/docs").status, 301);
    }
    service.create("more");
    let removal = json!({"slug": "more"});
    let deleted = service.send("POST", "/api/link/delete", Some(TOKEN), &removal);
    assert_eq!(deleted.status, 204, "{}", deleted.text);
    eventually("the other observer hears of all", || {
        notes.count("visit docs") == VISITS + 1 && notes.count("link.delete more site") == 1
    });
    assert_eq!(notes.count("link.create docs site"), 1);
    assert_eq!(notes.count("link.create more site"), 1);
    eventually("what the stuck one misses is counted", || {
        service.service().unobserved() > 0
    });
    drop(release);
    service.stop();
}
