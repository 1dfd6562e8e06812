//! Access to the API, and the form of its errors.

use serde_json::json;

use crate::support::server::{Server, TOKEN};

#[test]
fn everything_below_api_asks_for_the_token_first() {
    let server = Server::start();
    for (method, path) in [
        ("POST", "/api/link/create"),
        ("PUT", "/api/link/create"),
        ("GET", "/api/link/query?slug=x"),
        ("GET", "/api/stats/counters"),
        ("POST", "/api/mcp"),
        ("GET", "/api/mcp"),
        ("POST", "/api/mcp/"),
        ("GET", "/api/no/such/route"),
        ("DELETE", "/api/x"),
    ] {
        let refused = server.request(method, path).send().is(401);
        assert_eq!(
            refused.header("www-authenticate"),
            r#"Bearer realm="slugline""#
        );
        let body = refused.json();
        assert_eq!(body["code"], "unauthorized");
        assert_eq!(body["statusCode"], 401);
        assert_eq!(body["url"], format!("{}{path}", server.origin()));
    }
}

#[test]
fn the_scheme_is_optional_and_of_any_case_and_the_token_exact() {
    let server = Server::start();
    let list = |authorization: &str| {
        server.visit_with("/api/link/list", &[("authorization", authorization)])
    };
    for right in [
        format!("Bearer {TOKEN}"),
        format!("bearer {TOKEN}"),
        TOKEN.to_owned(),
    ] {
        assert_eq!(list(&right).status, 200, "{right}");
    }
    for wrong in [
        format!("Bearer {TOKEN}x"),
        "Bearer ".into(),
        format!("Basic {TOKEN}"),
    ] {
        let refused = list(&wrong).is(401);
        assert!(refused.header("www-authenticate").contains("invalid_token"));
    }
    let (short, long) = (
        list("Bearer short").json(),
        list("Bearer another-token").json(),
    );
    assert_eq!(short["statusMessage"], "Token is too short");
    assert_eq!(long["statusMessage"], "Unauthorized");
    assert_eq!(short["message"], long["message"]);
    let tool = |token: &str| {
        let call = server.request("POST", "/api/mcp");
        let call = call.header("authorization", token).body("{}").send();
        assert_eq!(call.status, 401, "{token}");
        call.json()["message"].clone()
    };
    assert_eq!(tool("Bearer short"), long["message"]);
    assert_eq!(tool("Bearer another-token"), long["message"]);
}

#[test]
fn a_guessing_client_is_told_to_wait() {
    let server = Server::start();
    let guess = || server.visit_with("/api/link/list", &[("authorization", "Bearer wrong-guess")]);
    let stopped = (0..100)
        .map(|_| guess())
        .find(|answer| answer.status != 401);
    let stopped = stopped.expect("nobody may guess a hundred times").is(429);
    assert_eq!(stopped.json()["code"], "too_many_attempts");
    let wait: u64 = stopped.header("retry-after").parse().unwrap();
    assert!((1..=60).contains(&wait));
}

#[test]
fn errors_of_the_api_have_one_shape() {
    let server = Server::start();
    server.create(&json!({"url": "https://example.com/", "slug": "taken", "id": "id-1"}));
    let large = format!("{{\"comment\":\"{}\"}}", "x".repeat(2 << 20));
    let create = "POST /api/link/create";
    for (request, body, status, code) in [
        (
            create,
            r#"{"url":"https://example.com/","slug":"taken"}"#,
            409,
            "slug_taken",
        ),
        (
            create,
            r#"{"url":"https://example.com/","id":"id-1"}"#,
            409,
            "id_taken",
        ),
        (create, r#"{"url":"#, 400, "invalid_json"),
        (create, "", 400, "validation_error"),
        (create, "[]", 400, "validation_error"),
        (
            create,
            r#"{"url":"https://a.example/","comment":null}"#,
            400,
            "validation_error",
        ),
        (create, &large, 413, "body_too_large"),
        (
            "GET /api/link/query?slug=missing",
            "",
            404,
            "link_not_found",
        ),
        ("GET /api/link/query", "", 400, "validation_error"),
        ("GET /api/link/list?cursor=zzz", "", 400, "invalid_cursor"),
        ("GET /api/link/list?limit=1001", "", 400, "validation_error"),
        ("GET /api/nothing", "", 404, "route_not_found"),
        ("PATCH /api/link/list", "", 405, "method_not_allowed"),
    ] {
        let (method, path) = request.split_once(' ').unwrap();
        let call = server
            .api(method, path)
            .header("content-type", "application/json");
        let answer = call.body(body).send().refuses(status, code);
        let body = answer.json();
        assert_eq!(body["error"], true);
        assert_eq!(body["statusCode"], status);
        assert!(body["statusMessage"].is_string() && body["message"].is_string());
        assert_eq!(body["data"].is_object(), code == "validation_error");
        assert_eq!(answer.header("content-type"), "application/json");
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
    }
    let wrong = server.api("PATCH", "/api/link/list").send();
    assert_eq!(wrong.header("allow"), "GET");
    wrong.says("Use GET.");
    let wrong = server.get("/api/link/edit");
    assert_eq!(wrong.header("allow"), "PUT, PATCH");
    wrong.says("Use PUT, PATCH.");
}

#[test]
fn other_origins_may_call_the_api_only_where_that_is_set() {
    let preflight = |server: &Server| {
        server
            .request("OPTIONS", "/api/link/create")
            .header("origin", "https://page.example")
            .header("access-control-request-method", "POST")
            .header(
                "access-control-request-headers",
                "authorization, content-type",
            )
            .send()
    };
    let closed = Server::start();
    assert_eq!(preflight(&closed).status, 401);
    let list = closed
        .api("GET", "/api/link/list")
        .header("origin", "https://page.example")
        .send();
    assert_eq!(list.header("access-control-allow-origin"), "");

    let open = Server::start_with(&[("NUXT_API_CORS", "true")]);
    let allowed = preflight(&open);
    assert_eq!((allowed.status, allowed.text.as_str()), (204, ""));
    assert_eq!(allowed.header("access-control-allow-origin"), "*");
    assert_eq!(allowed.header("access-control-allow-methods"), "POST");
    assert_eq!(
        allowed.header("access-control-allow-headers"),
        "authorization, content-type"
    );
    for answer in [
        open.get("/api/link/list"),
        open.request("GET", "/api/link/list").send(),
        open.get("/api/nothing"),
        open.api("OPTIONS", "/api/link/list").send(),
    ] {
        for header in [
            "access-control-allow-origin",
            "access-control-expose-headers",
        ] {
            assert_eq!(answer.header(header), "*", "{header} {}", answer.status);
        }
    }
    assert_eq!(
        open.visit("/_health/live")
            .header("access-control-allow-origin"),
        ""
    );
}
