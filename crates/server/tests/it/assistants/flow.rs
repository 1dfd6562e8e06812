//! The whole flow, by plain HTTP.

use serde_json::json;

use super::{
    ALL, CALLBACK, ORIGIN, RESOURCE, agreed_to, authorize, call_tool, connect, decide, enters,
    exchange, form_value, posted, register, registered, renewal, request, rpc, show, sign_in,
    start, start_with, token, tokens_in, told,
};
use crate::{
    support::server::{Server, TOKEN, eventually},
    tokens::make,
};

const METADATA: &str = "/.well-known/oauth-protected-resource/api/mcp";

#[test]
fn a_client_finds_everything_by_the_challenge() {
    let server = start();
    for path in ["/api/mcp", "/api/mcp/"] {
        let refused = server.request("POST", path).json(&json!({})).send().is(401);
        assert_eq!(
            refused.header("www-authenticate"),
            format!(
                "Bearer realm=\"slugline\", resource_metadata=\"{ORIGIN}{METADATA}\", \
                 scope=\"links:read links:write analytics:read\""
            )
        );
    }
    let elsewhere = server.visit("/api/link/list");
    assert_eq!(
        elsewhere.header("www-authenticate"),
        "Bearer realm=\"slugline\""
    );
    for path in [METADATA, "/.well-known/oauth-protected-resource"] {
        let found = server.visit(path);
        assert_eq!(found.header("access-control-allow-origin"), "*");
        assert_eq!(found.header("cache-control"), "no-store");
        let found = found.json();
        assert_eq!(found["resource"], RESOURCE);
        assert_eq!(found["authorization_servers"], json!([ORIGIN]));
        assert_eq!(found["bearer_methods_supported"], json!(["header"]));
        let scopes = json!(["links:read", "links:write", "analytics:read"]);
        assert_eq!(found["scopes_supported"], scopes);
    }
    let found = server
        .visit("/.well-known/oauth-authorization-server")
        .json();
    assert_eq!(found["issuer"], ORIGIN);
    for (name, path) in [
        ("authorization_endpoint", "/_oauth/authorize"),
        ("token_endpoint", "/_oauth/token"),
        ("registration_endpoint", "/_oauth/register"),
        ("revocation_endpoint", "/_oauth/revoke"),
    ] {
        assert_eq!(found[name], format!("{ORIGIN}{path}"));
    }
    assert_eq!(found["code_challenge_methods_supported"], json!(["S256"]));
    assert_eq!(
        found["token_endpoint_auth_methods_supported"],
        json!(["none"])
    );
    assert_eq!(found["client_id_metadata_document_supported"], true);
    assert_eq!(
        found["authorization_response_iss_parameter_supported"],
        true
    );
    for probed in [
        "/.well-known/openid-configuration",
        "/.well-known/openid-configuration/api/mcp",
        "/.well-known/oauth-authorization-server/api/mcp",
    ] {
        assert_eq!(server.visit(probed).status, 404, "{probed}");
    }
}

#[test]
fn an_address_for_unknown_paths_does_not_mislead_clients() {
    let home = ("SLUGLINE_NOT_FOUND_REDIRECT", "https://example.com/");
    for server in [start_with(&[home]), Server::start_with(&[home])] {
        server.visit("/.well-known/openid-configuration").is(404);
        assert_eq!(server.visit("/.well-known/security.txt").status, 302);
    }
}

#[test]
fn a_person_agrees_and_the_assistant_works_until_it_is_revoked() {
    let server = start();
    let client = registered(&server);
    let agreed = agreed_to(&server, &authorize(&request(&client)), ALL);
    assert_eq!(agreed["state"], "x y&z");
    assert_eq!(agreed["iss"], ORIGIN);
    let given = token(&server, &exchange(&client, &agreed["code"])).is(200);
    assert_eq!(given.header("cache-control"), "no-store");
    let answer = given.json();
    assert_eq!(answer["token_type"], "Bearer");
    assert_eq!(answer["expires_in"], 3_600);
    assert_eq!(answer["scope"], "links:read links:write analytics:read");
    let first = tokens_in(client, &given);
    let made = call_tool(
        &server,
        &first.access,
        "create_link",
        &json!({"url": "https://example.com/", "slug": "docs"}),
    );
    assert_eq!(made.json()["result"]["isError"], false, "{}", made.text);

    let listed = server.api("GET", "/api/tokens").send().json();
    let entry = &listed["tokens"][0];
    assert_eq!(entry["name"], "Claude (claude.ai)");
    assert_eq!(
        entry["assistant"],
        json!({"name": "Claude", "host": "claude.ai"})
    );
    let trail = server.api("GET", "/api/audit").send().json();
    let lines: Vec<_> = trail["lines"].as_array().unwrap().iter().collect();
    let line = |operation: &str| {
        let found = lines.iter().find(|line| line["operation"] == operation);
        (*found.unwrap()).clone()
    };
    assert_eq!(line("token.add")["caller"], "site", "who agreed");
    assert_eq!(line("link.create")["caller"], "Claude (claude.ai)");

    let given = token(&server, &renewal(&first.client, &first.refresh)).is(200);
    let second = tokens_in(first.client, &given);
    assert_eq!(enters(&server, &second.access), 200);
    assert_eq!(enters(&server, &first.access), 401);
    let listed = server.api("GET", "/api/tokens").send().json();
    assert_eq!(listed["tokens"].as_array().unwrap().len(), 1);

    let path = "/api/tokens?name=Claude%20(claude.ai)";
    assert_eq!(server.api("DELETE", path).send().status, 204);
    assert_eq!(enters(&server, &second.access), 401);
    let ended = token(&server, &renewal(&second.client, &second.refresh));
    assert_eq!(ended.json()["error"], "invalid_grant");
}

#[test]
fn a_person_takes_away_binds_and_ends() {
    let server = start();
    for (slug, tag) in [("docs", "summer"), ("other", "winter")] {
        server.create(&json!({"url": "https://example.com/", "slug": slug, "tags": [tag]}));
    }
    let client = registered(&server);
    let members = "scope=links:read&tags=summer&slugs=&days=7&decision=allow";
    let agreed = agreed_to(&server, &authorize(&request(&client)), members);
    let given = token(&server, &exchange(&client, &agreed["code"]));
    assert_eq!(given.json()["scope"], "links:read");
    let tokens = tokens_in(client, &given);
    let counted = call_tool(&server, &tokens.access, "count_links", &json!({}));
    let counted = &counted.json()["result"]["structuredContent"];
    assert_eq!(counted["count"], 1, "{counted}");
    let entry = server.api("GET", "/api/tokens").send().json()["tokens"][0].clone();
    assert_eq!(entry["tags"], json!(["summer"]));
    let (made, ends) = (&entry["createdAt"], &entry["expiresAt"]);
    let life = ends.as_i64().unwrap() - made.as_i64().unwrap();
    assert!((7 * 86_400 - 60..=7 * 86_400).contains(&life), "{entry}");
    let listed = rpc(&server, &tokens.access, "tools/list", &json!({})).json();
    let tools = listed["result"]["tools"].as_array().unwrap().len();
    assert_eq!(tools, 14, "an assistant can ask for what it lacks");
}

#[test]
fn an_assistant_is_told_every_scope_that_a_call_needs_and_others_as_before() {
    let server = start();
    let client = registered(&server);
    let path = authorize(&request(&client));
    let agreed = agreed_to(&server, &path, "scope=links:write&decision=allow");
    let given = token(&server, &exchange(&client, &agreed["code"]));
    let access = tokens_in(client, &given).access;
    for (tool, arguments, scope) in [
        ("count_links", json!({}), "links:read"),
        ("get_analytics_counters", json!({}), "analytics:read"),
        (
            "list_links",
            json!({"sort": "visits"}),
            "links:read analytics:read",
        ),
    ] {
        let refused = call_tool(&server, &access, tool, &arguments).is(403);
        assert_eq!(
            refused.header("www-authenticate"),
            format!(
                "Bearer realm=\"slugline\", error=\"insufficient_scope\", \
                 resource_metadata=\"{ORIGIN}{METADATA}\", scope=\"{scope}\""
            )
        );
        assert_eq!(refused.json()["error"]["code"], -32600);
    }
    let by_hand = make(&server, "writer", &["links:write"]);
    let refused = call_tool(&server, &by_hand, "count_links", &json!({})).is(200);
    assert_eq!(refused.json()["result"]["isError"], true);
    let listed = rpc(&server, &by_hand, "tools/list", &json!({})).json();
    assert_eq!(listed["result"]["tools"].as_array().unwrap().len(), 4);
}

/// The list of tools with this token, byte for byte.
fn list(server: &Server, token: &str) -> String {
    rpc(server, token, "tools/list", &json!({})).text
}

#[test]
fn the_list_of_tools_is_the_same_with_and_without() {
    let (with, without) = (start(), start_with(&[("SLUGLINE_OAUTH", "false")]));
    assert_eq!(list(&with, TOKEN), list(&without, TOKEN));
    let assistant = connect(&with);
    assert_eq!(list(&with, &assistant.access), list(&with, TOKEN));
}

#[test]
fn nothing_is_announced_where_assistants_cannot_connect() {
    let off = [
        Server::start(),
        Server::start_with(&[("SLUGLINE_BASE_URL", "http://sl.example")]),
        start_with(&[("SLUGLINE_OAUTH", "false")]),
        start_with(&[("SLUGLINE_PUBLIC_PREVIEW_MODE", "true")]),
    ];
    for server in &off {
        let refused = server.request("POST", "/api/mcp").json(&json!({})).send();
        assert_eq!(refused.status, 401);
        assert_eq!(
            refused.header("www-authenticate"),
            "Bearer realm=\"slugline\""
        );
        for path in [
            METADATA,
            "/.well-known/oauth-authorization-server",
            "/_oauth/authorize",
        ] {
            assert_eq!(server.visit(path).status, 404, "{path}");
        }
        let refused = register(server, &json!({"redirect_uris": [CALLBACK]})).is(404);
        refused.says("http and a loopback address");
    }
}

#[test]
fn switching_it_off_refuses_the_tokens_that_were_given() {
    let server = start();
    let tokens = connect(&server);
    assert_eq!(enters(&server, &tokens.access), 200);
    let (_, folder) = server.stop("TERM");
    let off = Server::start_in(
        folder,
        &[("SLUGLINE_BASE_URL", ORIGIN), ("SLUGLINE_OAUTH", "false")],
    );
    assert_eq!(enters(&off, &tokens.access), 401);
    let (_, folder) = off.stop("TERM");
    let moved = Server::start_in(folder, &[("SLUGLINE_BASE_URL", "https://other.example")]);
    assert_eq!(
        enters(&moved, &tokens.access),
        401,
        "they were for another address"
    );
    let (_, folder) = moved.stop("TERM");
    let back = Server::start_in(folder, &[("SLUGLINE_BASE_URL", ORIGIN)]);
    assert_eq!(enters(&back, &tokens.access), 200);
}

#[test]
fn who_may_make_tokens_may_agree_and_may_refuse() {
    let server = start();
    let client = registered(&server);
    let path = authorize(&request(&client));
    let admin = make(&server, "deputy", &["admin"]);
    let cookie = sign_in(&server, &path, &admin);
    let page = show(&server, &path, &cookie);
    for part in ["Claude", "claude.ai", "deputy", "Nobody has verified it"] {
        assert!(page.text.contains(part), "{part}: {}", page.text);
    }
    for (name, value) in [
        ("cache-control", "no-store"),
        ("x-frame-options", "DENY"),
        ("access-control-allow-origin", ""),
        ("content-language", "en-US"),
    ] {
        assert_eq!(page.header(name), value, "{name}");
    }
    let policy = page.header("content-security-policy");
    assert!(
        policy.contains("frame-ancestors 'none'") && !policy.contains("script"),
        "{policy}"
    );
    let denied = decide(&server, &path, &cookie, &form_value(&page), "decision=deny").is(303);
    let denied = told(&denied);
    assert_eq!(denied["error"], "access_denied");
    assert_eq!(
        (denied["state"].as_str(), denied["iss"].as_str()),
        ("x y&z", ORIGIN)
    );
    let reader = make(&server, "reader", &["links:read", "links:write"]);
    for (wrong, text) in [
        (reader.as_str(), "may not connect"),
        ("wrong-token", "is wrong"),
    ] {
        let refused = posted(&server, &path, &[("token", wrong)].into()).send();
        assert_eq!(refused.status, 403);
        assert!(refused.text.contains(text), "{}", refused.text);
        assert_eq!(refused.header("set-cookie"), "");
    }
}

#[test]
fn the_pages_speak_the_visitors_language() {
    let server = start();
    let path = authorize(&request("x"));
    for (language, text) in [
        ("de", "Anmelden"),
        ("fr-CA", "Se connecter"),
        ("zh-TW", "登入"),
    ] {
        let page = server
            .request("GET", &path)
            .header("accept-language", language);
        let page = page.send();
        assert!(page.text.contains(text), "{}", page.text);
        assert!(
            !page.text.contains("Claude"),
            "nothing of a stranger before signing in"
        );
    }
}

#[test]
fn applications_give_their_tokens_back() {
    let server = start();
    let tokens = connect(&server);
    let given_back = posted(
        &server,
        "/_oauth/revoke",
        &[("token", tokens.refresh.as_str())].into(),
    );
    assert_eq!(given_back.send().status, 200);
    eventually("it is refused", || enters(&server, &tokens.access) == 401);
    let trail = server.api("GET", "/api/audit").send().json();
    let line = &trail["lines"][0];
    assert_eq!(line["operation"], "token.revoke");
    assert_eq!(line["caller"], "Claude (claude.ai)");
    let again = posted(&server, "/_oauth/revoke", &[("token", "nonsense")].into());
    assert_eq!(again.send().status, 200);
}

#[test]
fn commands_show_and_revoke_assistants() {
    use crate::support::server::command;
    let server = start();
    let tokens = connect(&server);
    let run = |arguments: &[&str]| {
        let mut command = command(server.folder());
        let output = command.args(arguments).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let listed = run(&["token", "list"]);
    assert!(listed.contains("assistant Claude at claude.ai"), "{listed}");
    run(&["token", "revoke", "Claude (claude.ai)"]);
    assert_eq!(enters(&server, &tokens.access), 401);
    let ended = token(&server, &renewal(&tokens.client, &tokens.refresh));
    assert_eq!(ended.json()["error"], "invalid_grant");
}

#[test]
fn browsers_may_ask_from_any_page_but_for_consent() {
    let server = start();
    let preflight = |path: &str| {
        let call = server.request("OPTIONS", path);
        let call = call.header("origin", "https://inspector.example");
        let call = call.header("access-control-request-method", "POST");
        let call = call.header("access-control-request-headers", "content-type");
        call.send()
    };
    for path in [
        METADATA,
        "/_oauth/register",
        "/_oauth/token",
        "/_oauth/revoke",
    ] {
        let allowed = preflight(path).is(204);
        assert_eq!(allowed.header("access-control-allow-origin"), "*");
        assert_eq!(
            allowed.header("access-control-allow-headers"),
            "content-type"
        );
    }
    let refused = preflight("/_oauth/authorize");
    assert_eq!(refused.header("access-control-allow-origin"), "");
}
