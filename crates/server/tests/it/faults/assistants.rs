//! A failing disk, and a death, at every write on the way to a token.

use serde_json::json;

use super::{
    shim::{Fault, Kind},
    trial::Trial,
};
use crate::{
    assistants::{
        ALL, CALLBACK, ORIGIN, Tokens, authorize, code_for, connect, decide, decision, enters,
        exchange, form_value, posted, register, registered, renewal, request, show, sign_in, token,
        tokens_in, told,
    },
    support::server::{Answer, Server, TOKEN},
};

fn start() -> Trial {
    Trial::start_in(
        tempfile::tempdir().unwrap(),
        &[("SLUGLINE_BASE_URL", ORIGIN)],
    )
}

/// Sends a request while every write fails, and then without faults.
fn struck(trial: &Trial, kind: Kind, send: impl Fn(&Server) -> Answer) -> Answer {
    trial.faults.set(Fault::of(kind, 1, Fault::FOREVER));
    let refused = send(trial.server());
    assert!(trial.faults.lift() > 0, "nothing failed");
    assert_eq!(refused.status, 503, "{kind:?}: {}", refused.text);
    assert_ne!(refused.header("retry-after"), "");
    assert_eq!(refused.header("location"), "");
    send(trial.server())
}

fn cookie_of(entered: &Answer) -> String {
    let cookie = entered.header("set-cookie");
    cookie.split(';').next().unwrap().to_owned()
}

fn client_of(made: &Answer) -> String {
    assert_eq!(made.status, 201, "{}", made.text);
    made.json()["client_id"].as_str().unwrap().to_owned()
}

fn works(server: &Server, tokens: &Tokens) {
    assert_eq!(enters(server, &tokens.access), 200);
}

#[test]
fn a_failing_disk_gives_nothing_and_takes_nothing() {
    let trial = start();
    let server = trial.server();
    let given = |tokens: Answer| {
        assert_eq!(tokens.status, 200, "{}", tokens.text);
        tokens
    };
    for kind in [Kind::IoError, Kind::Full, Kind::ReadOnly] {
        let metadata = json!({"client_name": "Claude", "redirect_uris": ["https://claude.ai/api/mcp/auth_callback"]});
        let client = client_of(&struck(&trial, kind, |server| register(server, &metadata)));
        let path = authorize(&request(&client));
        let entering = [("token", TOKEN)].into();
        let entered = struck(&trial, kind, |server| {
            posted(server, &path, &entering).send()
        });
        assert_eq!(entered.status, 303);
        let cookie = cookie_of(&entered);
        let form = form_value(&show(server, &path, &cookie));
        let agreed = struck(&trial, kind, |server| {
            decide(server, &path, &cookie, &form, ALL)
        });
        let code = &told(&agreed)["code"];
        let given_to = given(struck(&trial, kind, |server| {
            token(server, &exchange(&client, code))
        }));
        let first = tokens_in(client, &given_to);
        let renew = |server: &Server| token(server, &renewal(&first.client, &first.refresh));
        let renewed = given(struck(&trial, kind, renew));
        let second = tokens_in(first.client, &renewed);
        works(server, &second);
        let revoked = [("token", second.refresh.as_str())].into();
        let gone = struck(&trial, kind, |server| {
            posted(server, "/_oauth/revoke", &revoked).send()
        });
        assert_eq!(gone.status, 200);
        assert_eq!(enters(server, &second.access), 401);
    }
}

/// Prepares a request and has the server die at its first write; then the same at its second one,
/// and so on until it lives. `examine` gets the answer, if there was one, after a restart.
fn die_at_each_write<P>(
    trial: &mut Trial,
    prepare: impl Fn(&Server) -> P,
    send: impl Fn(&Server, &P) -> Option<Answer>,
    examine: impl Fn(&Server, P, Option<Answer>),
) {
    /// More calls than any of these requests makes.
    const CALLS: u64 = 40;

    let (mut deaths, mut lived) = (0, 0);
    for first in 1..CALLS {
        let prepared = prepare(trial.server());
        trial
            .faults
            .set(Fault::of(Kind::Killed, first, Fault::FOREVER));
        let answer = send(trial.server(), &prepared);
        // With an answer it died before a later write, or not at all.
        *(if answer.is_some() {
            &mut lived
        } else {
            &mut deaths
        }) += 1;
        trial.faults.lift();
        trial.restart_unseen("KILL");
        examine(trial.server(), prepared, answer);
        if lived == 2 {
            break;
        }
    }
    assert!(deaths > 0 && lived > 0);
}

fn number_of_tokens(server: &Server) -> usize {
    let listed = server.get("/api/tokens").json();
    listed["tokens"].as_array().unwrap().len()
}

/// A client whose person signed in, and the page for the decision.
struct AtThePage {
    client: String,
    path: String,
    cookie: String,
    form: String,
}

fn at_the_page(server: &Server) -> AtThePage {
    let client = registered(server);
    let path = authorize(&request(&client));
    let cookie = sign_in(server, &path, TOKEN);
    let form = form_value(&show(server, &path, &cookie));
    AtThePage {
        client,
        path,
        cookie,
        form,
    }
}

#[test]
fn a_death_at_a_write_of_an_exchange_leaves_all_or_nothing() {
    die_at_each_write(
        &mut start(),
        |server| {
            let client = registered(server);
            let code = code_for(server, &client);
            (client, code)
        },
        |server, (client, code)| {
            let call = posted(server, "/_oauth/token", &exchange(client, code));
            call.try_send().ok()
        },
        |server, (client, code), given| {
            if let Some(given) = given {
                assert_eq!(given.status, 200, "{}", given.text);
                // What was given is kept.
                works(server, &tokens_in(client, &given));
                return;
            }
            let before = number_of_tokens(server);
            let again = token(server, &exchange(&client, &code));
            let after = number_of_tokens(server);
            if again.status == 200 {
                assert_eq!(after, before + 1, "nothing had happened");
                works(server, &tokens_in(client, &again));
            } else {
                // Everything had happened but the answer: no client has the tokens, and they are
                // gone.
                assert_eq!(again.json()["error"], "invalid_grant", "{}", again.text);
                assert_eq!(after + 1, before);
            }
        },
    );
}

#[test]
fn after_a_death_at_a_write_a_client_registers_and_a_person_signs_in_and_decides() {
    let metadata = json!({"client_name": "Claude", "redirect_uris": [CALLBACK]});
    let mut trial = start();
    die_at_each_write(
        &mut trial,
        |_| (),
        |server, ()| {
            let call = server.request("POST", "/_oauth/register");
            call.json(&metadata).try_send().ok()
        },
        |server, (), made| {
            let client = client_of(&made.unwrap_or_else(|| register(server, &metadata)));
            let code = code_for(server, &client);
            assert_eq!(token(server, &exchange(&client, &code)).status, 200);
        },
    );

    die_at_each_write(
        &mut trial,
        |server| authorize(&request(&registered(server))),
        |server, path| {
            let call = posted(server, path, &[("token", TOKEN)].into());
            call.try_send().ok()
        },
        |server, path, entered| {
            let cookie = match entered {
                Some(entered) => cookie_of(&entered),
                None => sign_in(server, &path, TOKEN),
            };
            let form = form_value(&show(server, &path, &cookie));
            assert_eq!(decide(server, &path, &cookie, &form, ALL).status, 303);
        },
    );

    let decided = |server: &Server, page: &AtThePage| {
        let call = decision(server, &page.path, &page.cookie, &page.form, ALL);
        call.try_send().ok()
    };
    die_at_each_write(&mut trial, at_the_page, decided, |server, page, sent| {
        let before = number_of_tokens(server);
        if let Some(sent) = &sent {
            assert_eq!(sent.status, 303, "{}", sent.text);
        }
        let sent =
            sent.unwrap_or_else(|| decide(server, &page.path, &page.cookie, &page.form, ALL));
        let code = if sent.status == 303 {
            told(&sent)["code"].clone()
        } else {
            // Everything had happened but the answer, so the session is over. No client has the code.
            code_for(server, &page.client)
        };
        assert_eq!(number_of_tokens(server), before, "a code is no token");
        assert_eq!(token(server, &exchange(&page.client, &code)).status, 200);
    });
}

#[test]
fn a_death_at_a_write_of_a_renewal_or_a_revocation_leaves_no_second_token() {
    let renewing = |server: &Server, tokens: &Tokens| {
        let pairs = renewal(&tokens.client, &tokens.refresh);
        posted(server, "/_oauth/token", &pairs).try_send().ok()
    };
    let mut trial = start();
    die_at_each_write(&mut trial, connect, renewing, |server, former, given| {
        let before = number_of_tokens(server);
        let had_answer = given.is_some();
        let again = || token(server, &renewal(&former.client, &former.refresh));
        let given = given.unwrap_or_else(again);
        let after = number_of_tokens(server);
        assert_eq!(enters(server, &former.access), 401, "a renewal replaces it");
        if given.status == 200 {
            works(server, &tokens_in(former.client, &given));
            assert_eq!(after, before, "it is the same token");
        } else {
            // Everything had happened but the answer, and a spent token ends the connection.
            assert!(!had_answer, "{}", given.text);
            assert_eq!(given.json()["error"], "invalid_grant", "{}", given.text);
            assert_eq!(after + 1, before);
        }
    });

    let revoking = |server: &Server, tokens: &Tokens| {
        let pairs = [("token", tokens.refresh.as_str())].into();
        posted(server, "/_oauth/revoke", &pairs).try_send().ok()
    };
    die_at_each_write(&mut trial, connect, revoking, |server, tokens, gone| {
        let gone = gone.unwrap_or_else(|| revoking(server, &tokens).expect("it lives now"));
        assert_eq!(gone.status, 200, "{}", gone.text);
        assert_eq!(enters(server, &tokens.access), 401);
    });
}
