//! Observers hear of visits and changes.

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

#[test]
fn observers_hear_of_each_link_that_goes_with_its_domain() {
    let notes = Notes::default();
    let service = Embedded::start(|builder| builder.observer(notes.clone()));
    let send = |method: &str, path: &str, body: &Value| {
        let answer = service.send(method, path, Some(TOKEN), body);
        assert!(answer.status < 300, "{path}: {}", answer.text);
    };
    for host in ["moved.example", "deleted.example"] {
        send("POST", "/api/domains", &json!({"host": host}));
        for slug in ["a", "b"] {
            let link = json!({"url": "https://example.com/", "slug": slug, "domain": host});
            send("POST", "/api/link/create", &link);
        }
    }
    for query in [
        "host=moved.example&links=move&moveTo=",
        "host=deleted.example&links=delete",
    ] {
        send("DELETE", &format!("/api/domains?{query}"), &Value::Null);
    }
    let told = [
        "link.move moved.example/a site",
        "link.move moved.example/b site",
        "link.move a site",
        "link.move b site",
        "link.delete deleted.example/a site",
        "link.delete deleted.example/b site",
    ];
    eventually("the observer hears of all", || {
        told.iter().all(|note| notes.count(note) == 1)
    });
    assert_eq!(notes.count("link."), 4 + told.len());
    service.stop();
}

#[test]
fn observers_hear_of_each_stored_change_once_and_of_no_other() {
    /// "correct horse" as Sink stores it. A visit with the password renews the hash.
    const OF_SINK: &str =
        "sink-pwd:v1:10000:AAECAwQFBgcICQoLDA0ODw:5RUHDgNTp9sBOWGYS4e6u57cz_Sq3_TQgaDP_8MW6L8:cnNl";

    let notes = Notes::default();
    let service = Embedded::start(|builder| builder.observer(notes.clone()));
    let post = |path: &str, body: Value, status: u16| {
        service.send("POST", path, Some(TOKEN), &body).is(status)
    };
    let docs = json!({"slug": "docs", "url": "https://example.com/"});
    post("/api/link/create", docs.clone(), 201);
    post("/api/link/create", docs.clone(), 409);
    post("/api/link/upsert", docs.clone(), 200);
    let with_comment = json!({"slug": "docs", "comment": "new"});
    for _ in 0..2 {
        let edited = service.send("PATCH", "/api/link/edit", Some(TOKEN), &with_comment);
        assert_eq!(edited.status, 200, "{}", edited.text);
    }
    let locked = json!({"slug": "locked", "url": "https://example.com/", "password": OF_SINK});
    let import = json!({"version": "1.0", "links": [docs, locked]});
    post("/api/link/import", import, 200);
    let batch = json!({"action": "addTags", "tags": ["news"], "slugs": ["docs", "none"]});
    post("/api/link/batch", batch, 200);
    let password = service.agent.post(format!("{}/locked", service.origin));
    let unlocked = password.send_form([("password", "correct horse")]).unwrap();
    assert!(unlocked.status().as_u16() < 400, "{unlocked:?}");
    eventually("the hash is renewed", || {
        notes.count("link.rehash locked service") == 1
    });
    let removal = json!({"slug": "docs"});
    for _ in 0..2 {
        post("/api/link/delete", removal.clone(), 204);
    }
    let trash = service.get("/api/link/trash").json();
    let id = trash["links"][0]["link"]["id"].as_str().unwrap();
    post("/api/link/restore", json!({"id": id}), 200);
    post("/api/link/delete", removal, 204);
    for _ in 0..2 {
        post("/api/link/delete", json!({"id": id, "purge": true}), 204);
    }
    eventually("the last change is heard", || {
        notes.count("link.purge") == 1
    });
    let heard = notes.0.lock().unwrap().clone();
    let changes = heard.iter().filter(|note| note.starts_with("link."));
    assert_eq!(
        changes.collect::<Vec<_>>(),
        [
            "link.create docs site",
            "link.edit docs site",
            "link.import locked site",
            "link.edit docs site",
            "link.rehash locked service",
            "link.delete docs site",
            "link.restore docs site",
            "link.delete docs site",
            "link.purge docs site",
        ]
    );
    service.stop();
}
