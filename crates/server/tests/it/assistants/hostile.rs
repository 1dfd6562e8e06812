//! Strangers try to get in, each with the answer that keeps them out.

use rstest::rstest;
use serde_json::{Value, json};

use super::{
    ALL, CALLBACK, CHALLENGE, ORIGIN, Tokens, agreed_to, authorize, code_for, connect, decide,
    enters, exchange, form_value, posted, register, registered, renewal, request, show, sign_in,
    start, start_with, token, told,
};
use crate::support::server::{Answer, Server, TOKEN};

/// Shows the page of a request to a person who signed in.
fn asked(server: &Server, path: &str) -> Answer {
    let cookie = sign_in(server, path, TOKEN);
    show(server, path, &cookie)
}

#[rstest]
#[case::no_pkce(&["code_challenge"], &[], "invalid_request")]
#[case::no_method(&["code_challenge_method"], &[], "invalid_request")]
#[case::plain(&[], &[("code_challenge_method", "plain")], "invalid_request")]
#[case::short_challenge(&[], &[("code_challenge", "abc")], "invalid_request")]
#[case::implicit(&[], &[("response_type", "token")], "unsupported_response_type")]
#[case::admin(&[], &[("scope", "admin")], "invalid_scope")]
#[case::other_resource(&[], &[("resource", "https://other.example/api/mcp")], "invalid_target")]
#[case::wider_resource(&[], &[("resource", ORIGIN)], "invalid_target")]
fn an_application_is_told_what_is_wrong(
    #[case] without: &[&str],
    #[case] with: &[(&'static str, &'static str)],
    #[case] error: &str,
) {
    let server = start();
    let client = registered(&server);
    let mut sent = request(&client);
    sent.retain(|name, _| !without.contains(name));
    sent.extend(with.iter().copied());
    let path = authorize(&sent);
    let page = server.visit(&path);
    assert_eq!(
        page.status, 200,
        "nobody is sent anywhere before signing in"
    );
    let refused = asked(&server, &path);
    assert_eq!(refused.status, 303, "{}", refused.text);
    assert!(refused.header("location").starts_with(CALLBACK));
    let told = told(&refused);
    assert_eq!(told["error"], error);
    assert_eq!(
        (told["state"].as_str(), told["iss"].as_str()),
        ("x y&z", ORIGIN)
    );
    assert!(!told.contains_key("code"));
}

#[rstest]
#[case("redirect_uri", Some("https://evil.example/cb"))]
#[case("redirect_uri", Some("https://claude.ai/api/mcp/auth_callback/"))]
#[case("redirect_uri", Some("https://claude.ai/api/mcp/auth_callback?x"))]
#[case("redirect_uri", Some("https://claude.ai:444/api/mcp/auth_callback"))]
#[case("redirect_uri", Some("javascript:alert(1)"))]
#[case("redirect_uri", None)]
#[case("client_id", Some("assistant-unknown"))]
#[case("client_id", Some("<script>"))]
#[case("client_id", None)]
fn nothing_is_sent_to_an_address_that_was_not_registered(
    #[case] name: &'static str,
    #[case] value: Option<&'static str>,
) {
    let server = start();
    let client = registered(&server);
    let mut sent = request(&client);
    sent.remove(name);
    sent.extend(value.map(|value| (name, value)));
    let refused = asked(&server, &authorize(&sent));
    assert_eq!(refused.status, 400, "{}", refused.text);
    assert_eq!(refused.header("location"), "");
    assert!(!refused.text.contains("<script>"), "{}", refused.text);
}

#[test]
fn a_repeated_parameter_is_refused() {
    let server = start();
    let client = registered(&server);
    let twice = format!(
        "{}&redirect_uri=https://evil.example/",
        authorize(&request(&client))
    );
    assert_eq!(asked(&server, &twice).status, 400);
    let code = code_for(&server, &client);
    let body = super::encoded(&exchange(&client, &code)) + "&code=x";
    let refused = server.request("POST", "/_oauth/token");
    let refused = refused.header("content-type", "application/x-www-form-urlencoded");
    assert_eq!(
        refused.body(&body).send().json()["error"],
        "invalid_request"
    );
}

#[rstest]
#[case("client_id", Some("another"), "invalid_grant")]
#[case(
    "code_verifier",
    Some("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
    "invalid_grant"
)]
#[case("code_verifier", Some(CHALLENGE), "invalid_grant")]
#[case("code_verifier", None, "invalid_request")]
#[case("redirect_uri", Some("https://claude.ai/other"), "invalid_grant")]
#[case("resource", Some("https://other.example/api/mcp"), "invalid_target")]
#[case(
    "code",
    Some("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"),
    "invalid_grant"
)]
#[case("code", None, "invalid_request")]
#[case("grant_type", Some("password"), "unsupported_grant_type")]
#[case("grant_type", Some("client_credentials"), "unsupported_grant_type")]
#[case("grant_type", None, "invalid_request")]
fn a_mixed_up_exchange_gives_nothing(
    #[case] name: &'static str,
    #[case] value: Option<&'static str>,
    #[case] error: &str,
) {
    let server = start();
    let client = registered(&server);
    let code = code_for(&server, &client);
    let mut sent = exchange(&client, &code);
    sent.remove(name);
    sent.extend(value.map(|value| (name, value)));
    let refused = token(&server, &sent);
    assert_eq!(refused.status, 400, "{}", refused.text);
    assert_eq!(refused.json()["error"], error);
    assert_eq!(refused.header("cache-control"), "no-store");
    let proper = token(&server, &exchange(&client, &code));
    assert_eq!(
        proper.status, 200,
        "the owner of the code gets its tokens: {}",
        proper.text
    );
}

#[test]
fn the_code_of_one_application_is_of_no_use_to_another() {
    let server = start();
    let (one, other) = (registered(&server), registered(&server));
    let code = code_for(&server, &one);
    let refused = token(&server, &exchange(&other, &code));
    assert_eq!(refused.json()["error"], "invalid_grant");
}

#[test]
fn a_replayed_code_revokes_what_it_gave() {
    let server = start();
    let client = registered(&server);
    let code = code_for(&server, &client);
    let given = token(&server, &exchange(&client, &code));
    let Tokens {
        client,
        access,
        refresh,
    } = super::tokens_in(client, &given);
    assert_eq!(enters(&server, &access), 200);
    let again = token(&server, &exchange(&client, &code));
    assert_eq!(again.json()["error"], "invalid_grant");
    assert_eq!(enters(&server, &access), 401);
    let renewed = token(&server, &renewal(&client, &refresh));
    assert_eq!(renewed.json()["error"], "invalid_grant");
}

#[test]
fn a_spent_refresh_token_revokes_the_family() {
    let server = start();
    let first = connect(&server);
    let given = token(&server, &renewal(&first.client, &first.refresh));
    let second = super::tokens_in(first.client, &given);
    let spent = token(&server, &renewal(&second.client, &first.refresh));
    assert_eq!(spent.json()["error"], "invalid_grant");
    assert_eq!(enters(&server, &second.access), 401);
    let renewed = token(&server, &renewal(&second.client, &second.refresh));
    assert_eq!(renewed.json()["error"], "invalid_grant");
    let trail = server.api("GET", "/api/audit").send().json();
    assert_eq!(trail["lines"][0]["caller"], "service");
}

#[test]
fn tokens_open_one_address_and_nothing_else() {
    let server = start();
    let Tokens {
        client,
        access,
        refresh,
    } = connect(&server);
    let status = |token: &str, method: &str, path: &str| {
        let call = server.request(method, path);
        let call = call.header("authorization", &format!("Bearer {token}"));
        call.send().status
    };
    for path in [
        "/api/verify",
        "/api/link/list",
        "/api/tokens",
        "/api/mcp/x",
        "/api/none",
    ] {
        assert_eq!(status(&access, "GET", path), 401, "{path}");
        assert_eq!(status(&refresh, "GET", path), 401, "{path}");
    }
    assert_eq!(enters(&server, &refresh), 401);
    assert_eq!(enters(&server, &access), 200);
    let stolen = token(&server, &renewal("another", &refresh));
    assert_eq!(stolen.json()["error"], "invalid_grant");
    for pairs in [renewal(&client, &access), exchange(&client, &refresh)] {
        assert_eq!(token(&server, &pairs).json()["error"], "invalid_grant");
    }
    let mut more = renewal(&client, &refresh);
    more.insert("scope", "links:read admin");
    assert_eq!(token(&server, &more).json()["error"], "invalid_scope");
    let mut elsewhere = renewal(&client, &refresh);
    elsewhere.insert("resource", "https://other.example/");
    assert_eq!(token(&server, &elsewhere).json()["error"], "invalid_target");
    assert_eq!(enters(&server, &access), 200);
}

#[test]
fn a_form_of_another_site_decides_nothing() {
    let server = start();
    let client = registered(&server);
    let path = authorize(&request(&client));
    let cookie = sign_in(&server, &path, TOKEN);
    let form = form_value(&show(&server, &path, &cookie));
    let call = |name: &str, value: &str| {
        let call = server.request("POST", &path).header("cookie", &cookie);
        let call = call.header("content-type", "application/x-www-form-urlencoded");
        call.header(name, value)
            .body(&format!("form={form}&{ALL}"))
            .send()
    };
    assert_eq!(call("sec-fetch-site", "cross-site").status, 403);
    assert_eq!(call("origin", "https://evil.example").status, 403);
    for wrong in ["", "AAAA"] {
        assert_eq!(decide(&server, &path, &cookie, wrong, ALL).status, 403);
    }
    let mut other = request(&client);
    other.insert("scope", "links:read");
    let swapped = decide(&server, &authorize(&other), &cookie, &form, ALL);
    assert_eq!(
        swapped.status, 403,
        "the value fits the request that was shown"
    );
    let nobody = decide(&server, &path, "__Host-slugline_consent=x", &form, ALL);
    assert_eq!(nobody.status, 200, "signs in again");
    assert!(nobody.text.contains("name=\"token\""));
    let agreed = call("origin", &ORIGIN.to_uppercase());
    assert_eq!(agreed.status, 303);
    let again = decide(&server, &path, &cookie, &form, ALL);
    assert_eq!(again.header("location"), "", "a form decides once");
}

#[test]
fn scopes_that_nobody_asked_for_cannot_be_slipped_in() {
    let server = start();
    let client = registered(&server);
    let mut sent = request(&client);
    sent.insert("scope", "links:read admin");
    let members = "scope=links:read&scope=links:write&scope=admin&decision=allow";
    let agreed = agreed_to(&server, &authorize(&sent), members);
    let given = token(&server, &exchange(&client, &agreed["code"]));
    assert_eq!(given.json()["scope"], "links:read");
}

#[test]
fn a_decision_that_cannot_be_stored_is_asked_again() {
    let server = start();
    let client = registered(&server);
    let path = authorize(&request(&client));
    let cookie = sign_in(&server, &path, TOKEN);
    let form = form_value(&show(&server, &path, &cookie));
    for (members, text) in [
        ("decision=allow", "at least one permission"),
        ("scope=links:read&slugs=none&decision=allow", "none"),
        ("scope=links:read&slugs=a/b&decision=allow", "a/b"),
    ] {
        let again = decide(&server, &path, &cookie, &form, members);
        assert_eq!(again.status, 400, "{}", again.text);
        assert!(
            again.text.contains("role=\"alert\"") && again.text.contains(text),
            "{}",
            again.text
        );
    }
    assert_eq!(decide(&server, &path, &cookie, &form, ALL).status, 303);
}

#[rstest]
#[case(json!({}), "invalid_redirect_uri")]
#[case(json!({"redirect_uris": []}), "invalid_redirect_uri")]
#[case(json!({"redirect_uris": ["http://claude.ai/"]}), "invalid_redirect_uri")]
#[case(json!({"redirect_uris": ["https://claude.ai/#x"]}), "invalid_redirect_uri")]
#[case(json!({"redirect_uris": ["https://*.claude.ai"], "client_name": 5}), "invalid_client_metadata")]
#[case(json!({"redirect_uris": [CALLBACK], "client_name": "a\u{202e}b"}), "invalid_client_metadata")]
#[case(json!({"redirect_uris": [CALLBACK], "client_name": "x".repeat(101)}), "invalid_client_metadata")]
#[case(json!({"redirect_uris": [CALLBACK], "client_name": "Cl\u{430}ude"}), "invalid_client_metadata")]
#[case(json!({"redirect_uris": ["https://*.claude.ai/cb"]}), "invalid_redirect_uri")]
#[case(json!({"redirect_uris": [CALLBACK], "client_name": "Claude http://claude.ai"}), "invalid_client_metadata")]
#[case(json!({"redirect_uris": [format!("{CALLBACK}/{}", "x".repeat(500))]}), "invalid_redirect_uri")]
#[case(json!([]), "invalid_client_metadata")]
#[case(json!({"redirect_uris": vec![CALLBACK; 17]}), "invalid_redirect_uri")]
fn a_bad_registration_is_refused(#[case] metadata: Value, #[case] error: &str) {
    let refused = register(&start(), &metadata);
    assert_eq!(refused.status, 400, "{}", refused.text);
    assert_eq!(refused.json()["error"], error);
}

#[test]
fn what_a_client_asks_for_besides_is_answered_by_what_it_gets() {
    let server = start();
    let metadata = json!({
        "client_name": "Claude", "redirect_uris": [CALLBACK],
        "token_endpoint_auth_method": "client_secret_post",
        "logo_uri": "https://evil.example/logo.svg", "grant_types": ["authorization_code"],
    });
    let made = register(&server, &metadata).json();
    assert_eq!(made["token_endpoint_auth_method"], "none");
    assert!(made.get("client_secret").is_none() && made.get("logo_uri").is_none());
}

#[test]
fn registrations_are_served_up_to_a_limit() {
    let server = start();
    let metadata = json!({"redirect_uris": [CALLBACK]});
    let statuses: Vec<u16> = (0..40)
        .map(|_| register(&server, &metadata).status)
        .collect();
    let taken = statuses.iter().filter(|status| **status == 201).count();
    assert!((20..=31).contains(&taken), "{statuses:?}");
    let refused = register(&server, &metadata);
    assert_eq!(refused.status, 429);
    assert_ne!(refused.header("retry-after"), "");
    assert_eq!(register(&server, &json!("x".repeat(70_000))).status, 413);
}

#[test]
fn wrong_tokens_in_the_form_are_limited_as_elsewhere() {
    let server = start();
    let path = authorize(&request("x"));
    let wrong = |n: usize| {
        let text = format!("wrong-token-{n}");
        posted(&server, &path, &[("token", text.as_str())].into()).send()
    };
    for n in 0..30 {
        assert_eq!(wrong(n).status, 403);
    }
    let refused = wrong(31);
    assert_eq!(refused.status, 429);
    assert_ne!(refused.header("retry-after"), "");
    sign_in(&server, &path, TOKEN);
}

#[test]
fn documents_that_point_inward_are_not_fetched() {
    let server = start_with(&[]);
    for inward in [
        "https://127.0.0.1/client.json",
        "https://localhost/client.json",
        "https://10.0.0.1/client.json",
        "https://169.254.169.254/latest/meta-data",
        "https://[::1]/client.json",
    ] {
        let refused = asked(&server, &authorize(&request(inward)));
        assert_eq!(refused.status, 400, "{}", refused.text);
        assert!(
            refused.text.contains("does not go to this address"),
            "{}",
            refused.text
        );
    }
    let clear = asked(
        &server,
        &authorize(&request("http://example.com/client.json")),
    );
    assert_eq!(clear.status, 400);
}

#[test]
fn an_old_code_is_over() {
    let server = start();
    let client = registered(&server);
    let code = code_for(&server, &client);
    // The clock of the service is the machine's, so the row is made old instead.
    let script = "import sqlite3, sys
db = sqlite3.connect(sys.argv[1], timeout=30)
db.execute('UPDATE consent_codes SET expires_at = 1')
db.commit()";
    let mut python = std::process::Command::new("python3");
    let aged = python
        .args(["-c", script])
        .arg(server.folder().join("links.db"));
    assert!(aged.status().unwrap().success());
    let late = token(&server, &exchange(&client, &code));
    assert_eq!(late.json()["error"], "invalid_grant");
}

#[test]
fn a_forged_issuer_changes_nothing() {
    let server = start();
    let found = server
        .request("GET", "/.well-known/oauth-authorization-server")
        .header("host", "evil.example")
        .header("x-forwarded-host", "evil.example")
        .header("forwarded", "host=evil.example;proto=https")
        .send();
    assert_eq!(found.json()["issuer"], ORIGIN);
    let mut sent = request("x");
    sent.insert("iss", "https://evil.example");
    let client = registered(&server);
    sent.insert("client_id", &client);
    let agreed = agreed_to(&server, &authorize(&sent), ALL);
    assert_eq!(agreed["iss"], ORIGIN);
}

#[test]
fn a_body_in_a_coding_is_told_which_ones_are_read() {
    const FORM: &str = "application/x-www-form-urlencoded";
    const JSON: &str = "application/json";
    let server = start();
    for (path, kind) in [
        (authorize(&request(&registered(&server))), FORM),
        ("/_oauth/token".to_owned(), FORM),
        ("/_oauth/register".to_owned(), JSON),
        ("/api/mcp".to_owned(), JSON),
        ("/api/link/create".to_owned(), JSON),
    ] {
        let call = server.request("POST", &path).header("content-type", kind);
        let call = call.header("authorization", &format!("Bearer {TOKEN}"));
        let refused = call.header("content-encoding", "gzip").body("x").send();
        assert_eq!(refused.status, 415, "{path}");
        assert_eq!(refused.header("accept-encoding"), "identity", "{path}");
    }
}
