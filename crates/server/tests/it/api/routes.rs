//! Compares the OpenAPI document with the mounted routes.

use std::{collections::BTreeSet, fs, net::TcpListener};

use serde_json::Value;

use super::operations::{DOCUMENT, documented};
use crate::support::{
    repository,
    server::{Server, command},
};

#[test]
fn every_documented_operation_is_mounted_and_no_other_method_is() {
    let server = Server::start();
    let document = server.visit("/_docs/openapi.json").json();
    assert_eq!(document["openapi"], "3.1.0");
    assert_eq!(document["servers"][0]["url"], server.origin());
    for (path, item) in document["paths"].as_object().unwrap() {
        if path == "/{slug}" {
            // The route takes all other paths and methods; `public_side` tests it.
            continue;
        }
        let documented: BTreeSet<String> = item
            .as_object()
            .unwrap()
            .keys()
            .map(|method| method.to_uppercase())
            .collect();
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
            if (method, path.as_str()) == ("GET", "/api/logs/stream") {
                // Its answer never ends; `live` reads it.
                assert!(documented.contains(method));
                continue;
            }
            let answer = server
                .api(method, path)
                .header("content-type", "application/json")
                .send();
            let mounted = answer.status != 405 && !answer.text.contains("route_not_found");
            let case = format!("{method} {path}: {}", answer.text);
            assert_eq!(mounted, documented.contains(method), "{case}");
        }
    }
}

#[test]
fn operations_say_who_may_call_them_and_what_they_answer() {
    for (path, method, operation) in documented() {
        let id = &operation["operationId"];
        assert!(operation["summary"].is_string() && operation["description"].is_string());
        let guarded = path.starts_with("/api/");
        assert_eq!(operation["security"].is_array(), guarded, "{method} {path}");
        let may_refuse = guarded || id == "code_redeem";
        let refuses = operation["responses"].get("401").is_some();
        assert_eq!(refuses, may_refuse, "{method} {path}");
    }
    let document = &*DOCUMENT;
    let create = &document["paths"]["/api/link/create"]["post"];
    let body = &create["requestBody"]["content"]["application/json"]["schema"];
    assert_eq!(body["$ref"], "#/components/schemas/CreateLink");
    let required = &document["components"]["schemas"]["CreateLink"]["required"];
    assert_eq!(required, &serde_json::json!(["url"]));
    assert_references_resolve(document, document);
}

#[test]
fn the_document_is_kept_by_no_cache_unless_its_address_is_fixed() {
    let server = Server::start();
    let document = server.visit("/_docs/openapi.json");
    assert_eq!(document.header("cache-control"), "no-store");
    // The tests reach a server at the address in its greeting.
    let free = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let base_url = format!("http://localhost:{}", free.port());
    let fixed = Server::start_with(&[
        ("SLUGLINE_LISTEN", &free.to_string()),
        ("SLUGLINE_BASE_URL", &base_url),
    ]);
    let document = fixed.visit("/_docs/openapi.json");
    assert_eq!(document.header("cache-control"), "");
    assert_eq!(document.json()["servers"][0]["url"], base_url);
}

/// An unresolved reference breaks every tool that reads the document.
fn assert_references_resolve(document: &Value, part: &Value) {
    match part {
        Value::Object(members) => {
            if let Some(reference) = members.get("$ref").and_then(Value::as_str) {
                let pointer = reference.strip_prefix('#').expect("references are local");
                assert!(
                    document.pointer(pointer).is_some(),
                    "{reference} leads nowhere"
                );
            }
            for member in members.values() {
                assert_references_resolve(document, member);
            }
        }
        Value::Array(items) => {
            for item in items {
                assert_references_resolve(document, item);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn every_face_reports_the_same_version() {
    let server = Server::start();
    let version = env!("CARGO_PKG_VERSION");
    let document = server.visit("/_docs/openapi.json").json();
    assert_eq!(document["info"]["version"], version);
    assert_eq!(server.visit("/_health/live").json()["version"], version);
    let told = crate::mcp::wire::initialize(&server);
    assert_eq!(told["serverInfo"]["version"], version);
    let printed = std::process::Command::new(env!("CARGO_BIN_EXE_slugline"))
        .arg("--version")
        .output()
        .unwrap();
    assert_eq!(
        String::from_utf8(printed.stdout).unwrap().trim(),
        format!("slugline {version}")
    );
}

#[test]
fn the_committed_document_is_what_the_program_prints() {
    let folder = tempfile::tempdir().unwrap();
    let printed = command(folder.path()).arg("openapi").output().unwrap();
    let committed = fs::read(repository("docs/openapi.json")).unwrap();
    // Not `assert_eq`: the document has 400 KB.
    let is_current = committed == printed.stdout;
    assert!(is_current, "refresh docs/openapi.json: cargo xtask openapi");
}
