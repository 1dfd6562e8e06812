//! A failing disk, and a death, at every write on the way to a token.

use serde_json::json;

use super::{
    shim::{Fault, Faults, Kind, Target},
    trial::IGNORING_LIMITS,
};
use crate::{
    assistants::{
        ALL, ORIGIN, authorize, decide, enters, exchange, form_value, posted, register, registered,
        renewal, request, show, sign_in, token, tokens_in, told,
    },
    support::server::{Answer, Server, TOKEN, command, under_sh},
};

struct Broken {
    server: Server,
    faults: Faults,
}

impl Broken {
    fn start() -> Self {
        let faults = Faults::none();
        let folder = tempfile::tempdir().unwrap();
        let server = Self::server_in(&faults, folder);
        Self { server, faults }
    }

    fn server_in(faults: &Faults, folder: tempfile::TempDir) -> Server {
        let mut command = command(folder.path());
        command
            .env("SLUGLINE_BASE_URL", ORIGIN)
            .env("SLUGLINE_LOG", "off,sqlx=off");
        faults.attach(&mut command);
        Server::start_by(under_sh(IGNORING_LIMITS, &command), folder)
    }

    fn restart(self) -> Self {
        self.faults.lift();
        let folder = self.server.kill();
        let server = Self::server_in(&self.faults, folder);
        Self {
            server,
            faults: self.faults,
        }
    }

    /// Sends a request while every write fails, and then without faults.
    fn struck(&self, kind: Kind, send: impl Fn(&Server) -> Answer) -> Answer {
        self.faults.set(Fault {
            kind,
            target: Target::AnyFile,
            first: 1,
            count: Fault::FOREVER,
        });
        let refused = send(&self.server);
        assert!(self.faults.lift() > 0, "nothing failed");
        assert_eq!(refused.status, 503, "{kind:?}: {}", refused.text);
        assert_ne!(refused.header("retry-after"), "");
        assert_eq!(refused.header("location"), "");
        send(&self.server)
    }
}

#[test]
fn a_failing_disk_gives_nothing_and_takes_nothing() {
    let broken = Broken::start();
    let server = &broken.server;
    for kind in [Kind::IoError, Kind::Full, Kind::ReadOnly] {
        let metadata = json!({"client_name": "Claude", "redirect_uris": ["https://claude.ai/api/mcp/auth_callback"]});
        let made = broken.struck(kind, |server| register(server, &metadata));
        assert_eq!(made.status, 201);
        let client = made.json()["client_id"].as_str().unwrap().to_owned();
        let path = authorize(&request(&client));
        let entered = broken.struck(kind, |server| {
            posted(server, &path, &[("token", TOKEN)].into()).send()
        });
        assert_eq!(entered.status, 303);
        let cookie = entered
            .header("set-cookie")
            .split(';')
            .next()
            .unwrap()
            .to_owned();
        let form = form_value(&show(server, &path, &cookie));
        let agreed = broken.struck(kind, |server| decide(server, &path, &cookie, &form, ALL));
        let code = told(&agreed)["code"].clone();
        let given = broken.struck(kind, |server| token(server, &exchange(&client, &code)));
        assert_eq!(given.status, 200, "{}", given.text);
        let first = tokens_in(client, &given);
        let given = broken.struck(kind, |server| {
            token(server, &renewal(&first.client, &first.refresh))
        });
        assert_eq!(given.status, 200, "{}", given.text);
        let second = tokens_in(first.client, &given);
        assert_eq!(enters(server, &second.access), 200);
        let gone = broken.struck(kind, |server| {
            posted(
                server,
                "/_oauth/revoke",
                &[("token", second.refresh.as_str())].into(),
            )
            .send()
        });
        assert_eq!(gone.status, 200);
        assert_eq!(enters(server, &second.access), 401);
    }
}

#[test]
fn a_death_at_any_write_leaves_all_or_nothing() {
    /// More calls than any of these requests makes.
    const CALLS: u64 = 40;

    let mut broken = Broken::start();
    let (mut deaths, mut lived) = (0, 0);
    for first in 1..CALLS {
        let client = registered(&broken.server);
        let path = authorize(&request(&client));
        let cookie = sign_in(&broken.server, &path, TOKEN);
        let form = form_value(&show(&broken.server, &path, &cookie));
        let code = told(&decide(&broken.server, &path, &cookie, &form, ALL))["code"].clone();
        broken.faults.set(Fault {
            kind: Kind::Killed,
            target: Target::AnyFile,
            first,
            count: Fault::FOREVER,
        });
        let sent = posted(&broken.server, "/_oauth/token", &exchange(&client, &code)).try_send();
        if let Ok(given) = sent {
            // It died before a later write, or not at all.
            assert_eq!(given.status, 200, "{}", given.text);
            broken = broken.restart();
            let tokens = tokens_in(client, &given);
            assert_eq!(
                enters(&broken.server, &tokens.access),
                200,
                "what was given is kept"
            );
            lived += 1;
            if lived == 2 {
                break;
            }
            continue;
        }
        deaths += 1;
        broken = broken.restart();
        let listed = || broken.server.api("GET", "/api/tokens").send().json();
        let before = listed()["tokens"].as_array().unwrap().len();
        let again = token(&broken.server, &exchange(&client, &code));
        let after = listed()["tokens"].as_array().unwrap().len();
        if again.status == 200 {
            assert_eq!(after, before + 1, "nothing had happened");
            assert_eq!(
                enters(&broken.server, &tokens_in(client, &again).access),
                200
            );
        } else {
            // Everything had happened but the answer: nobody has the tokens, and they are gone.
            assert_eq!(again.json()["error"], "invalid_grant", "{}", again.text);
            assert_eq!(after + 1, before);
        }
    }
    println!("{deaths} deaths, then {lived} answers");
    assert!(deaths > 0 && lived > 0);
}
