//! A base URL with a path, which a proxy in front takes away.

use serde_json::{Value, json};

use crate::{
    assistants::{self, ALL, CALLBACK},
    support::server::{Server, TOKEN, assert_has},
};

const BASE: &str = "https://sl.example/go";

#[test]
fn every_address_of_the_service_has_the_path() {
    let server = Server::start_with(&[
        ("SLUGLINE_BASE_URL", "https://sl.example/go/"),
        ("SLUGLINE_NOT_FOUND_REDIRECT", "/lost"),
        ("SLUGLINE_HOME_URL", BASE),
    ]);
    let told = format!("public address is {BASE}\n");
    assert_has(
        server.greeting(),
        &[&told, "open https://sl.example/go/hello"],
    );
    let made = server.create(&json!({"slug": "docs", "url": "https://sl.example/docs"}));
    assert_eq!(made["shortLink"], "https://sl.example/go/docs");
    let circle = json!({"slug": "own", "url": "https://sl.example/go/own"});
    server.post("/api/link/create", &circle).is(400);
    assert_eq!(server.get("/api/verify").json()["url"], BASE);
    let document = server.get("/_docs/openapi.json").json();
    assert_eq!(document["servers"][0]["url"], BASE);
    let unknown = server.get("/api/nothing");
    let url = unknown.json()["url"].as_str().unwrap().to_owned();
    assert_eq!(url, format!("{BASE}/api/nothing"));
    server.leads("/nothing-here", "/go/lost");
    server.visit("/lost").is(404);
    server.visit("/").is(200);

    server.create(&json!({"slug": "locked", "url": "https://example.com/", "password": "open"}));
    let gate = server.request("GET", "/locked?a=b");
    let page = gate.header("accept", "text/html").send();
    // Pages name what they need from where they are, and forms go where their page is.
    page.says("href=\"./_assets/page.css\"");
    page.says("<form method=\"post\">");
}

#[test]
fn assistants_find_documents_at_the_root_of_the_host_and_everything_else_below_the_path() {
    let server = Server::start_with(&[("SLUGLINE_BASE_URL", BASE)]);
    let challenged = server.request("POST", "/api/mcp").send();
    let documents = "https://sl.example/.well-known/oauth-protected-resource/go/api/mcp";
    let challenge = challenged.header("www-authenticate");
    assert!(challenge.contains(documents), "{challenge}");
    for path in ["/go/api/mcp", "/api/mcp", ""] {
        let path = format!("/.well-known/oauth-protected-resource{path}");
        let told = server.visit(&path).json();
        assert_eq!(told["resource"], format!("{BASE}/api/mcp"), "{path}");
        assert_eq!(told["authorization_servers"], json!([BASE]));
    }
    for path in ["/go", ""] {
        let path = format!("/.well-known/oauth-authorization-server{path}");
        let told: Value = server.visit(&path).json();
        assert_eq!(told["issuer"], BASE, "{path}");
        assert_eq!(told["token_endpoint"], format!("{BASE}/_oauth/token"));
    }
    let client = assistants::registered(&server);
    let mut asked = assistants::request(&client);
    let resource = format!("{BASE}/api/mcp");
    asked.insert("resource", &resource);
    let path = assistants::authorize(&asked);
    let entered = assistants::posted(&server, &path, &[("token", TOKEN)].into()).send();
    // Relative to the page, which is below the path.
    let location = entered.header("location");
    assert!(location.starts_with("authorize?"), "{location}");
    let cookie = entered.header("set-cookie");
    assert!(cookie.starts_with("__Secure-slugline_consent="), "{cookie}");
    assert!(cookie.contains("; Path=/go/;"), "{cookie}");
    let cookie = cookie.split(';').next().unwrap();
    let page = assistants::show(&server, &path, cookie);
    page.says("href=\"page.css\"");
    let form = assistants::form_value(&page);
    let decided = assistants::decision(&server, &path, cookie, &form, ALL).send();
    let back = decided.is(303).header("location").to_owned();
    assert!(back.starts_with(CALLBACK), "{back}");
    assert!(back.contains("iss=https%3A%2F%2Fsl.example%2Fgo"), "{back}");
}
