//! REST and MCP side by side: every operation has a tool, or a reason for having none.

use serde_json::{Value, json};

use super::operations::{OPERATIONS, Operation, documented, guarded, tools};
use crate::{
    mcp::wire::call_tool,
    support::server::{Server, TOKEN, shared},
};

#[test]
fn every_operation_and_every_tool_has_one_row() {
    let ids = documented().map(|(.., operation)| operation["operationId"].as_str().unwrap());
    let mut ids: Vec<&str> = ids.collect();
    let mut rows: Vec<&str> = OPERATIONS.iter().map(|row| row.id).collect();
    ids.sort_unstable();
    rows.sort_unstable();
    assert_eq!(rows, ids);
    let mut known: Vec<&str> = slugline_mcp::Server::tool_names().collect();
    let mut in_rows: Vec<&str> = tools().map(|(_, tool)| tool).collect();
    known.sort_unstable();
    in_rows.sort_unstable();
    assert_eq!(in_rows, known);
    assert_eq!(known.len(), 14);
}

/// Inputs that operations refuse.
fn refused() -> Vec<(&'static str, Value)> {
    let url = "https://example.com/";
    vec![
        ("link_create", json!({"url": url, "slug": "taken"})),
        ("link_create", json!({"url": url, "id": "taken-id"})),
        (
            "link_create",
            json!({"url": "ftp://example.com/", "slug": "a b", "tags": [""]}),
        ),
        ("link_create", json!({"url": url, "expiration": 1})),
        (
            "link_create",
            json!({"url": url, "password": "__SINK_MASKED__"}),
        ),
        ("link_create", json!({"url": 5})),
        ("link_create", json!({"url": url, "expires": 1})),
        ("link_create", json!({"url": url, "alias": "a"})),
        (
            "link_edit",
            json!({"url": url, "slug": "same", "newSlug": "a"}),
        ),
        ("link_search", json!({"query": "exam"})),
        ("link_get", json!({"slug": "a/b"})),
        ("link_get", json!({})),
        ("link_list", json!({"limit": "1001"})),
        ("link_list", json!({"sort": "up"})),
        ("link_edit", json!({"slug": "same"})),
        ("link_check", json!({"cursor": "nonsense"})),
        ("link_check", json!({"timeout": 0})),
        ("link_get", json!({"slug": "missing"})),
        ("link_list", json!({"cursor": "nonsense"})),
        ("link_search", json!({"url": "nonsense"})),
        ("link_count", json!({"tag": ""})),
        ("link_edit", json!({"slug": "missing", "url": url})),
        ("link_upsert", json!({"slug": "same"})),
        ("link_delete", json!({"slug": "a b"})),
        ("stats_counters", json!({"startAt": "soon"})),
        ("stats_views", json!({})),
        ("stats_metrics", json!({"type": "country", "limit": 501})),
        ("stats_heatmap", json!({"startAt": 5, "endAt": 4})),
    ]
}

/// Inputs that operations take, besides those of the table.
fn taken() -> Vec<(&'static str, Value)> {
    let edit = json!({"slug": "same", "url": "https://example.com/"});
    vec![
        ("link_list", json!({"limit": 1})),
        ("link_search", json!({"q": "AKE"})),
        ("link_edit", edit.clone()),
        ("link_upsert", edit),
        ("link_delete", json!({"slug": "doomed"})),
        ("link_check", json!({"cursor": ""})),
        ("stats_metrics", json!({"type": "country", "limit": 3})),
        ("stats_heatmap", json!({"startAt": 5})),
    ]
}

/// A server with the links of the inputs, whose checks reach no destination: destinations have
/// another port.
fn server_with(settings: &[(&str, &str)]) -> Server {
    let port = ("SLUGLINE_CHECK_ALLOWED_PORTS", "8443");
    let server = Server::start_with(&[&[port], settings].concat());
    for slug in ["taken", "same", "theirs-1"] {
        server.create(
            &json!({"url": "https://example.com/", "slug": slug, "id": format!("{slug}-id")}),
        );
    }
    server
}

#[test]
fn the_same_input_gives_the_same_record_and_the_same_error() {
    let server = server_with(&[]);
    for (operation, input) in taken().into_iter().chain(inputs()) {
        agree_to(&server, operation, &input);
    }
    for (operation, input) in refused() {
        refuse(&server, operation, &input);
    }
}

/// Operations with an input full of faults, and the paths of the faults.
fn full_of_faults() -> Vec<(&'static str, Value, Vec<&'static str>)> {
    let members = json!({
        "url": "x", "cloaking": "yes", "tags": ["ok", "", 5], "title": 5, "expiration": "1",
        "geo": {"DEU": "https://example.com/", "FR": 1}, "apple": "javascript:1",
    });
    let with = |slug: Option<Value>| {
        let mut body = members.clone();
        body["slug"] = slug.unwrap_or_default();
        body
    };
    let all = [
        "url",
        "expiration",
        "tags.1",
        "tags.2",
        "title",
        "apple",
        "geo.DEU",
        "geo.FR",
        "cloaking",
    ];
    let and_slug = [&["slug"], &all[..]].concat();
    vec![
        ("link_create", members.clone(), all.to_vec()),
        ("link_upsert", with(Some(json!("a b"))), and_slug.clone()),
        ("link_edit", members.clone(), and_slug),
        (
            "link_list",
            json!({"limit": "many", "sort": "up", "tag": "", "status": "old"}),
            vec!["limit", "sort", "tag", "status"],
        ),
        (
            "link_search",
            json!({"url": "x", "limit": "0", "status": "old"}),
            vec!["url", "limit", "status"],
        ),
        (
            "link_check",
            json!({"limit": 11, "timeout": "soon", "cursor": 5}),
            vec!["limit", "timeout", "cursor"],
        ),
        // The service reports unknown names first: no value of them is valid.
        (
            "link_check",
            json!({"limit": 11, "depth": 2, "timout": 5}),
            vec!["depth", "timout"],
        ),
        (
            "stats_views",
            json!({"clientTimezone": "../etc", "startAt": "soon", "id": "a.b"}),
            vec!["clientTimezone", "startAt", "id", "unit"],
        ),
        (
            "stats_metrics",
            json!({"type": "colour", "limit": 0, "endAt": "soon"}),
            vec!["type", "limit", "endAt"],
        ),
    ]
}

#[test]
fn one_answer_names_every_fault_of_type_and_of_bounds() {
    let server = shared();
    for (operation, input, expected) in full_of_faults() {
        assert_eq!(refuse(server, operation, &input), 400, "{operation}");
        let mut faults = row(operation).ask(server, TOKEN, &input).faults();
        faults.sort_unstable();
        let mut expected = expected;
        expected.sort_unstable();
        assert_eq!(faults, expected, "{operation}");
    }
    // Operations without a tool.
    let refused = |method: &str, path: &str, body: Value| {
        let mut faults = server.call(method, path, &body).is(400).faults();
        faults.sort_unstable();
        faults
    };
    let patch = json!({"slug": "a", "url": null, "title": null, "proxy": 1, "tags": [""]});
    assert_eq!(
        refused("PATCH", "/api/link/edit", patch),
        ["proxy", "tags.0", "url"]
    );
    let import = json!({"version": 1, "count": "x", "links": [
        {"url": "x", "slug": 5, "tags": ["ok", ""]}, 7, {"url": "https://example.com/", "slug": "a"},
        {"slug": "a b", "unsafe": "no"},
    ]});
    assert_eq!(
        refused("POST", "/api/link/import", import),
        [
            "count",
            "links.0.slug",
            "links.0.tags.1",
            "links.0.url",
            "links.1",
            "links.3.slug",
            "links.3.unsafe",
            "links.3.url",
            "version",
        ]
    );
    let table = server
        .api("POST", "/api/link/import")
        .header("content-type", "text/csv")
        .body("slug,url,cloaking,createdAt,tags\na b,x,yes,soon,\"ok,\"\n-,,,,\n")
        .send();
    let mut faults = table.faults();
    faults.sort_unstable();
    assert_eq!(
        faults,
        [
            "links.0.cloaking",
            "links.0.createdAt",
            "links.0.slug",
            "links.0.tags.1",
            "links.0.url",
            "links.1.slug",
            "links.1.url",
        ]
    );
}

/// Calls every operation with an input that it takes and one that it refuses, and compares the
/// answers with this code with the document. A use case checks its own rule, so an operation
/// that forgot to declare its rule would refuse without documenting that.
fn refuses_where_documented(server: &Server, below: &str, status: u16, code: &str) -> usize {
    let rows = || guarded().filter(|row| row.path.starts_with(below) && row.id != "logs_stream");
    for row in rows() {
        let wrong = if row.method == "GET" {
            json!({"cursor": "nonsense", "limit": "no"})
        } else {
            json!([])
        };
        for input in [&wrong, &row.input] {
            let answer = row.ask(server, TOKEN, input);
            let is_refused = answer.status == status && answer.text.contains(code);
            let case = format!("{} {input}: {}", row.id, answer.text);
            assert_eq!(is_refused, row.may_refuse(code), "{case}");
        }
    }
    rows().filter(|row| row.may_refuse(code)).count()
}

#[test]
fn a_demonstration_refuses_what_the_document_says_and_treats_both_alike() {
    let server = server_with(&[("SLUGLINE_PUBLIC_PREVIEW_MODE", "true")]);
    let is_open = |id: &str| !matches!(id, "link_edit" | "link_delete" | "link_check");
    for (operation, input) in taken().into_iter().chain(inputs()) {
        if is_open(operation) {
            agree_to(&server, operation, &input);
        } else {
            assert_eq!(refuse(&server, operation, &input), 403, "{operation}");
        }
    }
    for (operation, input) in refused() {
        // The service refuses before it reads the input.
        let status = refuse(&server, operation, &input);
        assert!(is_open(operation) || status == 403, "{operation}");
    }
    let refused = refuses_where_documented(&server, "/api/", 403, "preview_mode");
    assert_eq!(refused, 21);
    for (operation, words) in [
        ("link_edit", "cannot edit links"),
        ("link_patch", "cannot edit links"),
        ("link_delete", "cannot delete links"),
        ("link_import", "cannot import links"),
        ("link_export", "cannot export links"),
        ("link_explain", "cannot explain links"),
        ("link_check", "cannot check links"),
        ("slug_suggest", "cannot suggest slugs and previews"),
        ("migration_run", "cannot move links here"),
        ("visits_erase", "cannot erase visits"),
        ("token_list", "has no named tokens"),
        ("link_trash", "has no history of links"),
        ("domain_add", "cannot change domains"),
    ] {
        let row = row(operation);
        let told = row.ask(&server, TOKEN, &row.input).json()["statusMessage"].clone();
        assert_eq!(told, format!("Preview mode {words}."), "{operation}");
    }
}

#[test]
fn operations_and_tools_wait_for_links_that_have_to_be_moved_here() {
    let folder = tempfile::tempdir().unwrap();
    let old = folder.path().join("old.json");
    let entry = json!([{"key": "link:a", "value": r#"{"url":"https://example.com/"}"#}]);
    std::fs::write(&old, entry.to_string()).unwrap();
    let url = format!("file:{}", old.display());
    let server = Server::start_with(&[("SLUGLINE_LEGACY_KV_URL", &url)]);
    for (operation, input) in inputs().chain(taken()).chain(refused()) {
        // The service refuses before it reads the input.
        if !operation.starts_with("stats_") {
            assert_eq!(refuse(&server, operation, &input), 423, "{operation}");
        }
    }
    for (operation, input) in inputs().filter(|(id, _)| id.starts_with("stats_")) {
        agree_to(&server, operation, &input);
    }
    // Questions about visits wait only where they have to find links.
    let refused = refuses_where_documented(&server, "/api/link/", 423, "migration_required");
    assert_eq!(refused, 19);
}

/// The inputs of the operations with a tool.
fn inputs() -> impl Iterator<Item = (&'static str, Value)> {
    tools().map(|(row, _)| (row.id, row.input.clone()))
}

fn row(operation: &str) -> &'static Operation {
    OPERATIONS.iter().find(|row| row.id == operation).unwrap()
}

fn by_mcp(server: &Server, operation: &str, input: &Value) -> Value {
    call_tool(server, row(operation).tool.unwrap(), input)
}

fn agree_to(server: &Server, operation: &str, input: &Value) {
    let by_rest = row(operation).ask(server, TOKEN, input);
    assert!(by_rest.status < 300, "{operation}: {}", by_rest.text);
    let by_mcp = by_mcp(server, operation, input);
    assert_eq!(by_mcp["isError"], false, "{operation}: {by_mcp}");
    // A deletion leaves no link to compare.
    if by_rest.status != 204 {
        let mut by_rest = timeless(by_rest.json());
        let structured = timeless(by_mcp["structuredContent"].clone());
        if operation == "link_list" {
            shorten_rows(&mut by_rest, &structured);
        }
        assert_eq!(unwrapped(&structured, &by_rest), by_rest, "{operation}");
    }
}

/// The status with which both refuse.
#[track_caller]
fn refuse(server: &Server, operation: &str, input: &Value) -> u16 {
    let refused = row(operation).ask(server, TOKEN, input);
    let body = refused.json();
    assert!((400..500).contains(&refused.status), "{operation}: {body}");
    let told = by_mcp(server, operation, input);
    assert_eq!(told["isError"], true, "{operation}: {told}");
    let text = told["content"][0]["text"].as_str().unwrap();
    if body["code"] == "validation_error" {
        let issues = body["data"]["issues"].as_array().unwrap();
        for issue in issues {
            let path: Vec<&str> = issue["path"]
                .as_array()
                .unwrap()
                .iter()
                .filter_map(Value::as_str)
                .collect();
            let message = issue["message"].as_str().unwrap();
            let fault = format!("{}: {message}", path.join("."));
            assert!(text.contains(&fault), "{operation} {fault}: {text}");
        }
        assert!(text.starts_with("Input validation error"), "{text}");
    } else {
        let title = body["statusMessage"].as_str().unwrap();
        let start = format!("failed: {} {title}", refused.status);
        assert!(text.contains(&start), "{operation}: {text}");
    }
    refused.status
}

/// Removes the members that a model's shorter rows lack.
fn shorten_rows(by_rest: &mut Value, structured: &Value) {
    let rows = by_rest["links"].as_array_mut().unwrap();
    let short = structured["links"].as_array().unwrap();
    for (row, short) in rows.iter_mut().zip(short) {
        let short = short.as_object().unwrap();
        assert!(short.contains_key("slug") && short.contains_key("url"));
        row.as_object_mut()
            .unwrap()
            .retain(|name, _| short.contains_key(name));
    }
}

/// The answer without minted values and times.
fn timeless(mut answer: Value) -> Value {
    let minted = answer.get("shortLink").is_some();
    if let Some(link) = answer.get_mut("link").and_then(Value::as_object_mut) {
        for member in ["id", "slug", "createdAt", "updatedAt"] {
            assert!(link.remove(member).is_some(), "{member}");
        }
        // Preview mode gives every link its own expiry in five minutes.
        if let Some(end) = link.get_mut("expiration") {
            assert!(end.is_u64());
            *end = Value::Bool(true);
        }
    }
    if minted {
        assert!(
            answer
                .as_object_mut()
                .unwrap()
                .remove("shortLink")
                .is_some()
        );
    }
    let results = answer.get_mut("results").and_then(Value::as_array_mut);
    for result in results.into_iter().flatten() {
        let members = result.as_object_mut().unwrap();
        assert!(members.remove("duration").is_some() && members.remove("checkedAt").is_some());
    }
    answer
}

/// Results of tools are objects, so a member holds an array there.
fn unwrapped(structured: &Value, by_rest: &Value) -> Value {
    match structured.as_object() {
        Some(object) if by_rest.is_array() => object.values().next().cloned().unwrap_or_default(),
        _ => structured.clone(),
    }
}
