//! The set-up report of an instance, and the secrets it never has.

use std::fs;

use serde_json::{Value, json};

use crate::support::server::{Server, TOKEN};

const PATH: &str = "/api/setup";

fn setup(server: &Server) -> Value {
    let answer = server.get(PATH).is(200);
    answer.json()
}

fn codes(setup: &Value) -> Vec<&str> {
    let findings = setup["findings"].as_array().unwrap().iter();
    findings
        .map(|finding| finding["code"].as_str().unwrap())
        .collect()
}

#[test]
fn no_secret_is_in_the_answer_of_a_server_that_has_all_of_them() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).display().to_string();
    let old_store = file("old-MARK.json");
    fs::write(&old_store, "[]").unwrap();
    let token = "MARK-token-which-is-long";
    let databases =
        ["links-MARK.db", "visits-MARK.db"].map(|name| format!("sqlite://{}", file(name)));
    let server = Server::start_with(&[
        ("SLUGLINE_SITE_TOKEN", token),
        ("SLUGLINE_DATABASE_URL", &databases[0]),
        ("SLUGLINE_ANALYTICS_URL", &databases[1]),
        ("SLUGLINE_LEGACY_KV_URL", &format!("file:{old_store}")),
        ("SLUGLINE_SAFE_BROWSING_DOH", "https://mark.invalid/MARK"),
        ("SLUGLINE_WEBHOOK_URL", "https://mark.invalid/MARK"),
        (
            "SLUGLINE_WEBHOOK_SECRET",
            "whsec_TUFSS01BUktNQVJLTUFSS01BUktNQVJL",
        ),
        ("SLUGLINE_IMPORT_REQUEST_LIMIT", "7"),
        ("SLUGLINE_CASE_SENSITIVE", "true"),
    ]);
    assert_eq!(server.request("GET", PATH).send().status, 401);
    let call = server.request("GET", PATH);
    let answer = call
        .header("authorization", &format!("Bearer {token}"))
        .send();
    let setup = answer.json();
    for on in ["destinationScreening", "webhook", "caseSensitiveSlugs"] {
        assert_eq!(setup["switches"][on], true, "{on}");
    }
    assert_eq!(setup["version"], slugline::VERSION);
    assert_eq!(setup["limits"]["importLinks"], 7);
    assert_eq!(
        setup["stores"],
        json!({"links": "sqlite", "visits": "embedded"})
    );
    let text = answer.text.to_lowercase();
    // The secret of the webhook is the mark in base64.
    for mark in ["mark", "tufss", "whsec_", &TOKEN.to_lowercase()] {
        assert!(!text.contains(mark), "{mark}: {text}");
    }
}

#[test]
fn findings_come_worst_first_each_with_what_mends_it() {
    let server = Server::start();
    let told = setup(&server);
    assert_eq!(codes(&told), ["visits_kept_for_good"]);
    let by_proxy = |server: &Server, header: &str| {
        let asked = server.api("GET", PATH).header(header, "198.51.100.7");
        asked.send().json()
    };
    let proxied = by_proxy(&server, "x-forwarded-for");
    assert_eq!(codes(&proxied), ["untrusted_proxy", "visits_kept_for_good"]);
    let fix = json!({"setting": "SLUGLINE_TRUSTED_PROXIES", "value": "127.0.0.1"});
    assert_eq!(proxied["findings"][0]["fix"], fix);
    // The report does not repeat unverified headers.
    assert!(!proxied.to_string().contains("198.51.100.7"), "{proxied}");

    let folder = tempfile::tempdir().unwrap();
    let old_store = folder.path().join("old.json");
    let entry = json!({"key": "link:docs", "value": "{\"url\": \"https://example.com/\"}"});
    fs::write(&old_store, json!([entry]).to_string()).unwrap();
    let old_store = format!("file:{}", old_store.display());
    let server = Server::start_with(&[
        ("SLUGLINE_LEGACY_KV_URL", &old_store),
        ("SLUGLINE_TRUSTED_PROXIES", "127.0.0.1"),
        ("SLUGLINE_RETENTION_DAYS", "30"),
    ]);
    let told = by_proxy(&server, "x-real-ip");
    assert_eq!(told["switches"]["migrationRequired"], true);
    let mut found = codes(&told);
    found.sort_unstable();
    assert_eq!(
        found,
        [
            "base_url_missing",
            "migration_required",
            "other_client_header"
        ]
    );
    let worst = &told["findings"][0];
    assert_eq!(
        (&worst["level"], &worst["fix"]["command"]),
        (&json!("error"), &json!("slugline migrate"))
    );
}
