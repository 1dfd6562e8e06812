//! Every call on the files of the database fails while a link is changed, deleted, brought back or
//! erased, or the process dies there. A change is never there without its former version and its
//! line of the audit trail, and neither of these without the change.

use rstest::rstest;
use serde_json::{Value, json};

use super::{
    amount::Random,
    operation::{Reply, refusal},
    shim::{Fault, Kind},
    sweep::each_call,
    trial::Trial,
};
use crate::support::server::Server;

/// A usual run fails one of this many calls in a row, a different one each time.
const STRIDE: u64 = 6;

#[derive(Clone, Copy, Debug)]
enum Step {
    Edit,
    Delete,
    Restore,
    ReturnToFirst,
    Purge,
}

use Step::{Delete, Edit, Purge, Restore, ReturnToFirst};

/// A link, followed from version to version.
struct Followed {
    slug: String,
    id: String,
}

impl Followed {
    /// Makes a link and takes these steps without a fault.
    fn after(trial: &Trial, steps: &[Step]) -> Self {
        let slug = trial.fresh_slug();
        let link = json!({"slug": slug, "url": "https://example.com/", "tags": ["a", "b"],
            "password": "pw"});
        let made = trial.server().create(&link);
        let id = made["link"]["id"].as_str().unwrap().to_owned();
        let link = Self { slug, id };
        for step in steps {
            assert_eq!(
                link.take(trial.server(), *step),
                Reply::Acknowledged,
                "{step:?}"
            );
        }
        link
    }

    fn take(&self, server: &Server, step: Step) -> Reply {
        let Self { slug, id } = self;
        let (method, path, status, body) = match step {
            Edit => {
                let body = json!({"slug": slug, "url": "https://example.org/", "tags": ["c"]});
                ("PATCH", "edit", 200, body)
            }
            Delete => ("POST", "delete", 204, json!({"slug": slug})),
            Restore => ("POST", "restore", 200, json!({"id": id})),
            ReturnToFirst => ("POST", "restore", 200, json!({"id": id, "version": 1})),
            Purge => ("POST", "delete", 204, json!({"id": id, "purge": true})),
        };
        let call = server.api(method, &format!("/api/link/{path}")).json(&body);
        match call.try_send() {
            Ok(answer) if answer.status == status => Reply::Acknowledged,
            Ok(answer) => refusal(&answer),
            Err(error) => Reply::Unanswered(error.to_string()),
        }
    }

    /// Everything that the service tells of the link, without names and moments.
    fn seen(&self, server: &Server) -> Value {
        let Self { slug, id } = self;
        let get = |path: String| {
            let answer = server.get(&path);
            assert!(
                [200, 404].contains(&answer.status),
                "{path}: {}",
                answer.text
            );
            (answer.status == 200).then(|| answer.json())
        };
        let link = get(format!("/api/link/query?slug={slug}"));
        let history = get(format!("/api/link/history?id={id}"));
        let lines = get(format!("/api/audit?slug={slug}")).unwrap();
        let trash = get("/api/link/trash?limit=1000".to_owned()).unwrap();
        let trash = trash["links"].as_array().unwrap().iter();
        let trashed: Vec<&Value> = trash.filter(|one| one["link"]["id"] == json!(id)).collect();
        let visit = server.visit(&format!("/{slug}")).status;
        let all = json!({"link": link, "history": history, "lines": lines, "trashed": trashed,
            "visit": visit});
        without_names(all, slug, id)
    }
}

fn without_names(value: Value, slug: &str, id: &str) -> Value {
    const MOMENTS: &str = "at until createdAt updatedAt deletedAt client";

    let is_moment = |name: &str| MOMENTS.split(' ').any(|moment| moment == name);
    match value {
        Value::Object(members) => {
            let kept = members.into_iter();
            let kept = kept.filter(|(name, _)| !is_moment(name));
            let kept = kept.map(|(name, value)| (name, without_names(value, slug, id)));
            Value::Object(kept.collect())
        }
        Value::Array(values) => {
            let values = values.into_iter();
            values.map(|value| without_names(value, slug, id)).collect()
        }
        Value::String(text) if text == slug => json!("(slug)"),
        Value::String(text) if text == id => json!("(id)"),
        other @ (Value::String(_) | Value::Number(_) | Value::Bool(_) | Value::Null) => other,
    }
}

#[rstest]
#[case(&[], Edit)]
#[case(&[Edit], Delete)]
#[case(&[Edit, Delete], Restore)]
#[case(&[Edit, Edit], ReturnToFirst)]
#[case(&[Edit], Purge)]
#[case(&[Edit, Delete], Purge)]
fn whatever_call_fails_a_change_and_its_version_are_both_there_or_neither(
    #[case] before: &[Step],
    #[case] step: Step,
) {
    let mut random = Random::new();
    let mut trial = Trial::start();
    let reference = Followed::after(&trial, before);
    let was = reference.seen(trial.server());
    assert_eq!(reference.take(trial.server(), step), Reply::Acknowledged);
    let became = reference.seen(trial.server());
    assert_ne!(was, became);
    for kind in Kind::ALL.into_iter().chain([Kind::Killed]) {
        let stride = if kind == Kind::Killed { 1 } else { STRIDE };
        each_call(&mut random, kind, stride, |random, first| {
            let link = Followed::after(&trial, before);
            let count = random.one_of(&[1, 2, Fault::FOREVER]);
            trial.faults.set(Fault::of(kind, first, count));
            let reply = link.take(trial.server(), step);
            let struck = trial.faults.lift() > 0;
            if kind == Kind::Killed && struck {
                trial.restart_unseen("KILL");
            }
            let seen = link.seen(trial.server());
            let is_fine = match reply {
                Reply::Acknowledged => seen == became,
                Reply::Refused => struck && (seen == was || seen == became),
                Reply::Unanswered(_) => kind == Kind::Killed && (seen == was || seen == became),
                Reply::Improper(_) => false,
            };
            let row = trial.table.row(format!("{kind:?}"), format!("{step:?}"));
            row.injected += u64::from(struck);
            row.count(&reply);
            if !is_fine {
                let story = format!("{kind:?} at call {first}: {reply:?}, and then {seen}");
                trial.table.wrong(story);
            }
            struck
        });
        trial.restart_unseen("KILL");
    }
    trial.table.conclude(random.seed(), 8, 6);
}
