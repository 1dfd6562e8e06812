//! Strangers try to get in, each with the answer that keeps them out.

use serde_json::{Value, json};

use super::{
    ALL, CALLBACK, CHALLENGE, ORIGIN, Pairs, Tokens, agreed_to, authorize, code_for, connect,
    decide, enters, exchange, form_value, posted, register, registered, renewal, request, show,
    sign_in, start, start_with, token, told,
};
use crate::support::server::{Answer, Server, TOKEN};

/// Shows the page of a request to a person who signed in.
fn asked(server: &Server, path: &str) -> Answer {
    let cookie = sign_in(server, path, TOKEN);
    show(server, path, &cookie)
}

#[test]
fn an_application_is_told_what_is_wrong() {
    let server = start();
    let client = registered(&server);
    for (name, value, error) in [
        ("code_challenge", None, "invalid_request"),
        ("code_challenge_method", None, "invalid_request"),
        ("code_challenge_method", Some("plain"), "invalid_request"),
        ("code_challenge", Some("abc"), "invalid_request"),
        ("response_type", Some("token"), "unsupported_response_type"),
        ("scope", Some("admin"), "invalid_scope"),
        (
            "resource",
            Some("https://other.example/api/mcp"),
            "invalid_target",
        ),
        ("resource", Some(ORIGIN), "invalid_target"),
    ] {
        let path = authorize(&with(request(&client), name, value));
        // Nobody is sent anywhere before signing in.
        server.visit(&path).is(200);
        let refused = asked(&server, &path).is(303);
        assert!(refused.header("location").starts_with(CALLBACK));
        let told = told(&refused);
        let said = ["error", "state", "iss"].map(|name| told[name].as_str());
        assert_eq!(said, [error, "x y&z", ORIGIN], "{name}");
        assert!(!told.contains_key("code"));
    }
}

/// The same parameters with another value of this one, or without it.
fn with<'a>(mut pairs: Pairs<'a>, name: &'a str, value: Option<&'a str>) -> Pairs<'a> {
    pairs.remove(name);
    pairs.extend(value.map(|value| (name, value)));
    pairs
}

#[test]
fn nothing_is_sent_to_an_address_that_was_not_registered() {
    let server = start();
    let client = registered(&server);
    for (name, value) in [
        ("redirect_uri", Some("https://evil.example/cb")),
        (
            "redirect_uri",
            Some("https://claude.ai/api/mcp/auth_callback/"),
        ),
        (
            "redirect_uri",
            Some("https://claude.ai/api/mcp/auth_callback?x"),
        ),
        (
            "redirect_uri",
            Some("https://claude.ai:444/api/mcp/auth_callback"),
        ),
        ("redirect_uri", Some("javascript:alert(1)")),
        ("redirect_uri", None),
        ("client_id", Some("assistant-unknown")),
        ("client_id", Some("<script>")),
        ("client_id", None),
    ] {
        let sent = with(request(&client), name, value);
        let refused = asked(&server, &authorize(&sent)).is(400);
        assert_eq!(refused.header("location"), "");
        assert!(!refused.text.contains("<script>"), "{}", refused.text);
    }
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

#[test]
fn a_mixed_up_exchange_gives_nothing() {
    let server = start();
    let client = registered(&server);
    let code = code_for(&server, &client);
    let wrong = "A".repeat(43);
    for (name, value, error) in [
        ("client_id", Some("another"), "invalid_grant"),
        ("code_verifier", Some(wrong.as_str()), "invalid_grant"),
        ("code_verifier", Some(CHALLENGE), "invalid_grant"),
        ("code_verifier", None, "invalid_request"),
        (
            "redirect_uri",
            Some("https://claude.ai/other"),
            "invalid_grant",
        ),
        (
            "resource",
            Some("https://other.example/api/mcp"),
            "invalid_target",
        ),
        ("code", Some(&wrong), "invalid_grant"),
        ("code", None, "invalid_request"),
        ("grant_type", Some("password"), "unsupported_grant_type"),
        (
            "grant_type",
            Some("client_credentials"),
            "unsupported_grant_type",
        ),
        ("grant_type", None, "invalid_request"),
    ] {
        let sent = with(exchange(&client, &code), name, value);
        let refused = token(&server, &sent).is(400);
        assert_eq!(refused.json()["error"], error, "{name}");
        assert_eq!(refused.header("cache-control"), "no-store");
    }
    // The owner of the code gets its tokens.
    token(&server, &exchange(&client, &code)).is(200);
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
    // The value fits the request that was shown.
    decide(&server, &authorize(&other), &cookie, &form, ALL).is(403);
    let nobody = decide(&server, &path, "__Host-slugline_consent=x", &form, ALL).is(200);
    assert!(nobody.text.contains("name=\"token\""));
    call("origin", &ORIGIN.to_uppercase()).is(303);
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
        let again = decide(&server, &path, &cookie, &form, members).is(400);
        again.says("role=\"alert\"");
        again.says(text);
    }
    assert_eq!(decide(&server, &path, &cookie, &form, ALL).status, 303);
}

#[test]
fn a_bad_registration_is_refused() {
    let server = start();
    let uris = |uris: &[&str]| json!({"redirect_uris": uris});
    let long = format!("{CALLBACK}/{}", "x".repeat(500));
    for metadata in [
        json!({}),
        uris(&[]),
        uris(&["http://claude.ai/"]),
        uris(&["https://claude.ai/#x"]),
        uris(&["https://*.claude.ai/cb"]),
        uris(&[&long]),
        uris(&[CALLBACK; 17]),
    ] {
        let refused = register(&server, &metadata).is(400);
        assert_eq!(refused.json()["error"], "invalid_redirect_uri");
    }
    let named = |name: Value| json!({"redirect_uris": [CALLBACK], "client_name": name});
    for metadata in [
        json!([]),
        json!({"redirect_uris": ["https://*.claude.ai"], "client_name": 5}),
        named(json!("a\u{202e}b")),
        named(json!("x".repeat(101))),
        named(json!("Cl\u{430}ude")),
        named(json!("Claude http://claude.ai")),
    ] {
        let refused = register(&server, &metadata).is(400);
        assert_eq!(refused.json()["error"], "invalid_client_metadata");
    }
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
    let refused = register(&server, &metadata).is(429);
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
    let refused = wrong(31).is(429);
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
        let refused = asked(&server, &authorize(&request(inward))).is(400);
        refused.says("does not go to this address");
    }
    let clear = asked(
        &server,
        &authorize(&request("http://example.com/client.json")),
    );
    assert_eq!(clear.status, 400);
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
