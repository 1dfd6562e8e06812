//! Domains over the API and the command line, the host for administration, and the question of a
//! proxy that gets certificates on demand.

use serde_json::{Value, json};

use crate::support::server::{Answer, Server, command as command_in, eventually, run};

const DOMAINS: &str = "/api/domains";

fn at(server: &Server, host: &str, path: &str) -> Answer {
    server.request("GET", path).header("host", host).send()
}

fn asked(server: &Server, host: &str) -> u16 {
    let path = format!("/_health/domain?domain={host}");
    server.request("GET", &path).send().status
}

fn hosts(server: &Server) -> Vec<Value> {
    let list = server.get(DOMAINS).json();
    let domains = list["domains"].as_array().unwrap().iter();
    domains.map(|domain| domain["host"].clone()).collect()
}

#[test]
fn a_domain_is_named_edited_and_taken_away_with_its_links() {
    let server = Server::start_with(&[
        ("SLUGLINE_BASE_URL", "http://sl.example"),
        ("SLUGLINE_DOMAINS", "set.example, SL.example"),
    ]);
    assert_eq!(hosts(&server), ["set.example"]);
    let go = json!({"host": "GO.example.", "homeUrl": "https://example.com/home"});
    let made = server.post(DOMAINS, &go).is(201);
    assert_eq!(made.json()["host"], "go.example");
    let again = server.post(DOMAINS, &go).json();
    assert_eq!(
        [&again["statusCode"], &again["code"]],
        [&json!(409), &json!("domain_exists")]
    );
    server.post(DOMAINS, &json!({"host": "sl.example"})).is(400);
    for (host, status) in [
        ("go.example", 200),
        ("set.example", 200),
        ("sl.example", 200),
        ("other.example", 404),
        ("a/b", 404),
    ] {
        assert_eq!(asked(&server, host), status, "{host}");
    }

    server.create(&json!({"slug": "docs", "url": "http://127.0.0.1:9/default"}));
    let there = json!({"slug": "docs", "domain": "go.example", "url": "http://127.0.0.1:9/go"});
    server.create(&there);
    let leads = |host, path| {
        let answer = at(&server, host, path);
        answer.header("location").to_owned()
    };
    assert_eq!(leads("sl.example", "/docs"), "http://127.0.0.1:9/default");
    assert_eq!(leads("go.example", "/docs"), "http://127.0.0.1:9/go");

    let remove = |query: &str| {
        let path = format!("{DOMAINS}?host=go.example{query}");
        server.delete(&path)
    };
    let refused = remove("");
    assert_eq!(refused.json()["code"], "domain_has_links");
    let moved = remove("&links=move&moveTo=set.example");
    assert_eq!((moved.status, &moved.json()["links"]), (200, &json!(1)));
    assert_eq!(leads("set.example", "/docs"), "http://127.0.0.1:9/go");
    assert_eq!(leads("go.example", "/docs"), "http://127.0.0.1:9/default");
    assert_eq!(asked(&server, "go.example"), 404);
    assert_eq!(remove("").status, 404);
    let audit = server.get("/api/audit?operation=domain.remove");
    assert_eq!(audit.json()["lines"][0]["domain"], "go.example");
}

#[test]
fn a_command_names_a_host_for_the_service_that_runs() {
    let server = Server::start();
    let command = |arguments: &[&str]| {
        let mut command = command_in(server.folder());
        let (code, told, said) = run(command.arg("domains").args(arguments));
        (code == Some(0), told + &said)
    };
    let added = command(&["add", "go.example", "--home-url", "https://example.com/"]);
    let told =
        "added go.example  home https://example.com/; a running service knows it within a second\n";
    assert_eq!(added, (true, told.to_owned()));
    let edited = command(&["edit", "go.example", "--fall-through", "true"]);
    assert!(edited.0, "{}", edited.1);
    let listed = command(&["list"]).1;
    let expected = "go.example  home https://example.com/  falls through to the default domain\n";
    assert_eq!(listed, expected);
    let docs = json!({"slug": "docs", "domain": "go.example", "url": "http://127.0.0.1:9/"});
    for (fate, verb) in [
        (&["--delete-links"][..], "deleted"),
        (&["--move-to", ""], "moved"),
    ] {
        command(&["add", "go.example"]);
        eventually("the service knows it", || {
            asked(&server, "go.example") == 200
        });
        server.create(&docs);
        let (is_done, refused) = command(&["remove", "go.example"]);
        assert!(!is_done && refused.contains("--move-to"), "{refused}");
        let removed = command(&[&["remove", "go.example"], fate].concat()).1;
        let told = format!("removed go.example, and {verb} 1 links of it;");
        assert!(removed.starts_with(&told), "{removed}");
        eventually("the service follows it no longer", || {
            asked(&server, "go.example") == 404
        });
    }
    assert!(hosts(&server).is_empty());
}

#[test]
fn the_host_for_administration_has_the_api_and_follows_no_link() {
    let server = Server::start_with(&[
        ("SLUGLINE_BASE_URL", "https://sl.example"),
        ("SLUGLINE_ADMIN_HOST", "admin.example"),
    ]);
    let call = |method: &str, host: &str, path: &str| server.api(method, path).header("host", host);
    let link = json!({"slug": "docs", "url": "http://127.0.0.1:9/"});
    let create = call("POST", "admin.example", "/api/link/create");
    let made = create.json(&link).send().is(201);
    assert_eq!(made.json()["shortLink"], "https://sl.example/docs");
    for path in [
        "/api/verify",
        "/_dashboard/",
        "/_docs/openapi.json",
        "/_docs/scalar",
        "/_metrics",
        "/.well-known/oauth-authorization-server",
    ] {
        call("GET", "ADMIN.example:8443", path).send().is(200);
        for host in ["sl.example", "127.0.0.1", "other.example"] {
            assert_eq!(call("GET", host, path).send().status, 404, "{host}{path}");
        }
    }
    for path in ["/_health/live", "/_health/ready", "/_assets/page.css"] {
        for host in ["admin.example", "sl.example"] {
            assert_eq!(at(&server, host, path).status, 200, "{host}{path}");
        }
    }
    assert_eq!(at(&server, "sl.example", "/docs").status, 301);
    assert_eq!(at(&server, "admin.example", "/docs").status, 404);
    let home = at(&server, "admin.example", "/");
    assert_eq!(home.header("location"), "_dashboard/");
    let document = at(&server, "admin.example", "/_docs/openapi.json").json();
    assert_eq!(document["servers"][0]["url"], "https://admin.example");
    let metadata = "/.well-known/oauth-authorization-server";
    let metadata = at(&server, "admin.example", metadata).json();
    assert_eq!(metadata["issuer"], "https://admin.example");
    let own = json!({"host": "admin.example"});
    call("POST", "admin.example", DOMAINS)
        .json(&own)
        .send()
        .is(400);
    assert_eq!(asked(&server, "admin.example"), 200);
}
