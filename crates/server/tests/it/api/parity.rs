//! REST and MCP side by side: every operation has a tool, or a reason for having none.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::{
    mcp::wire::call_tool,
    support::server::{Answer, Server},
};

/// An operation and the tool of the same use case.
struct Pair {
    operation: &'static str,
    tool: &'static str,
    /// An input that both accept.
    good: Value,
    /// An input that both refuse; `null` if every input is valid.
    bad: Value,
}

fn pairs() -> Vec<Pair> {
    let url = "https://example.com/";
    let pair = |operation, tool, good, bad| Pair {
        operation,
        tool,
        good,
        bad,
    };
    let taken = json!({"url": url, "slug": "taken"});
    let edit = |slug: &str| json!({"slug": slug, "url": url});
    vec![
        pair("link_create", "create_link", json!({"url": url}), taken),
        pair(
            "link_get",
            "get_link",
            json!({"slug": "taken"}),
            json!({"slug": "missing"}),
        ),
        pair(
            "link_list",
            "list_links",
            json!({"limit": 1}),
            json!({"cursor": "nonsense"}),
        ),
        pair(
            "link_search",
            "search_links",
            json!({"q": "AKE"}),
            json!({"url": "nonsense"}),
        ),
        pair(
            "link_count",
            "count_links",
            json!({"tag": "t"}),
            json!({"tag": ""}),
        ),
        pair("tag_list", "list_tags", json!({}), Value::Null),
        pair("link_edit", "update_link", edit("same"), edit("missing")),
        pair(
            "link_upsert",
            "upsert_link",
            edit("same"),
            json!({"slug": "same"}),
        ),
        pair(
            "link_delete",
            "delete_link",
            json!({"slug": "doomed"}),
            json!({"slug": "a b"}),
        ),
        pair(
            "link_check",
            "check_links",
            json!({"cursor": ""}),
            json!({"timeout": 0}),
        ),
        pair(
            "stats_counters",
            "get_analytics_counters",
            json!({}),
            json!({"startAt": "soon"}),
        ),
        pair(
            "stats_views",
            "get_analytics_views",
            json!({"unit": "day", "clientTimezone": "Asia/Kathmandu"}),
            json!({}),
        ),
        pair(
            "stats_metrics",
            "get_analytics_metrics",
            json!({"type": "country", "limit": 3}),
            json!({"type": "country", "limit": 501}),
        ),
        pair(
            "stats_heatmap",
            "get_analytics_heatmap",
            json!({"startAt": 5}),
            json!({"startAt": 5, "endAt": 4}),
        ),
    ]
}

/// The reason of what happens before a client has a token.
const CONNECTING: &str = "for the program that connects an agent, before there are tools";

/// Operations without a tool, and the reasons.
const WITHOUT_A_TOOL: [(&str, &str); 49] = [
    (
        "audit_list",
        "an agent should not watch the people and the other agents of an instance",
    ),
    (
        "link_batch",
        "what one call of a model changes stays small; agents change and delete links one by one",
    ),
    (
        "link_restore",
        "a person undoes what an agent did; its answers say where",
    ),
    ("link_history", "for the person who undoes something"),
    ("link_trash", "the same"),
    (
        "link_explain",
        "for people who write rules; an agent reads them with get_link",
    ),
    (
        "link_export",
        "holds stored passwords, and more links than a model reads; agents list and search",
    ),
    (
        "link_import",
        "files go from instance to instance, not through a model; agents use create_link",
    ),
    (
        "link_patch",
        "an agent replaces the whole link, which it has read before",
    ),
    (
        "link_search_url",
        "search_links takes long URLs as they are",
    ),
    ("slug_suggest", "an agent thinks of words itself"),
    ("preview_suggest", "an agent thinks of words itself"),
    (
        "location_get",
        "where an agent's machine is says nothing to it",
    ),
    ("stats_export", "a file for spreadsheets"),
    ("logs_export", "a file for databases"),
    (
        "visits_erase",
        "a person decides what is erased for good, not a model",
    ),
    (
        "logs_events",
        "single visits, for screens that show what happens; an agent asks for totals",
    ),
    (
        "logs_locations",
        "points for a map; an agent asks get_analytics_metrics for cities",
    ),
    (
        "migration_status",
        "an operator moves links here, once, before agents can use them",
    ),
    ("migration_run", "the same"),
    ("logs_stream", "an agent asks, it does not watch"),
    (
        "setup_get",
        "for the operator; an agent cannot change settings",
    ),
    ("token_verify", "an agent that is connected holds the token"),
    (
        "code_redeem",
        "for the dashboard; an agent that is connected holds the token",
    ),
    (
        "token_list",
        "an agent that could make tokens could outlive its own",
    ),
    ("token_make", "the same"),
    ("token_revoke", "the same"),
    ("health_live", "for process managers"),
    ("health_ready", "for load balancers"),
    (
        "health_domain",
        "for proxies that get certificates on demand",
    ),
    (
        "domain_list",
        "domains are the operator's; a link names the one that it belongs to",
    ),
    ("domain_add", "the same"),
    ("domain_edit", "the same"),
    ("domain_remove", "the same"),
    ("document_get", "MCP describes itself by tools/list"),
    ("document_scalar", "for people"),
    ("document_swagger", "for people"),
    ("mcp_exchange", "is MCP"),
    (
        "link_follow",
        "for visitors; an agent reads the destination with get_link",
    ),
    ("link_unlock", "for visitors"),
    ("style_get", "for visitors' browsers"),
    ("resource_describe", CONNECTING),
    ("mcp_describe", CONNECTING),
    ("authorization_describe", CONNECTING),
    ("client_register", CONNECTING),
    ("consent_show", CONNECTING),
    ("consent_decide", CONNECTING),
    ("token_exchange", CONNECTING),
    ("token_give_back", CONNECTING),
];

#[test]
fn every_operation_has_a_tool_or_a_reason() {
    let server = Server::start();
    let document = server.visit("/_docs/openapi.json").json();
    let operations: BTreeSet<String> = operations(&document).map(|(id, ..)| id).collect();
    let with_tool = pairs().into_iter().map(|pair| pair.operation);
    let without = WITHOUT_A_TOOL.iter().map(|(operation, _)| *operation);
    let accounted: BTreeSet<String> = with_tool.chain(without).map(str::to_owned).collect();
    assert_eq!(operations, accounted);
    let tools: BTreeSet<&str> = pairs().into_iter().map(|pair| pair.tool).collect();
    assert_eq!(tools, slugline_mcp::Server::tool_names().collect());
}

/// More inputs that operations refuse, for the codes missing from the table.
fn refused() -> Vec<(&'static str, Value)> {
    let url = "https://example.com/";
    vec![
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
    ]
}

#[test]
fn the_same_input_gives_the_same_record_and_the_same_error() {
    // The checks reach no destination: destinations have another port.
    let server = Server::start_with(&[("SLUGLINE_CHECK_ALLOWED_PORTS", "8443")]);
    let both = Both::of(&server);
    for slug in ["taken", "same"] {
        server.create(
            &json!({"url": "https://example.com/", "slug": slug, "id": format!("{slug}-id")}),
        );
    }
    for Pair {
        operation,
        good,
        bad,
        ..
    } in pairs()
    {
        both.agree_to(operation, &good);
        if !bad.is_null() {
            both.refuse(operation, &bad);
        }
    }
    for (operation, bad) in refused() {
        both.refuse(operation, &bad);
    }
}

/// Operations with an input full of faults, and the paths of the faults.
fn full_of_faults() -> Vec<(&'static str, Value, Vec<&'static str>)> {
    let members = json!({
        "url": "x", "cloaking": "yes", "tags": ["ok", "", 5], "title": null, "expiration": "1",
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

/// The paths of the faults in an answer, in order.
fn paths(answer: &Answer) -> BTreeSet<String> {
    let body = answer.json();
    let issues = body["data"]["issues"].as_array().expect("issues").clone();
    let parts =
        |issue: &Value| -> Vec<String> { serde_json::from_value(issue["path"].clone()).unwrap() };
    issues.iter().map(|issue| parts(issue).join(".")).collect()
}

#[test]
fn one_answer_names_every_fault_of_type_and_of_bounds() {
    let server = Server::start();
    let both = Both::of(&server);
    for (operation, input, expected) in full_of_faults() {
        assert_eq!(both.refuse(operation, &input), 400, "{operation}");
        let expected: BTreeSet<String> = expected.into_iter().map(str::to_owned).collect();
        assert_eq!(
            paths(&both.by_rest(operation, &input)),
            expected,
            "{operation}"
        );
    }
    // Operations without a tool.
    let refused = |method: &str, path: &str, body: Value| {
        let answer = server.call(method, path, &body).is(400);
        paths(&answer).into_iter().collect::<Vec<_>>()
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
    assert_eq!(
        paths(&table).into_iter().collect::<Vec<_>>(),
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

#[test]
fn a_demonstration_treats_both_alike() {
    let server = Server::start_with(&[
        ("SLUGLINE_CHECK_ALLOWED_PORTS", "8443"),
        ("SLUGLINE_PUBLIC_PREVIEW_MODE", "true"),
    ]);
    let both = Both::of(&server);
    for slug in ["taken", "same"] {
        server.create(&json!({"url": "https://example.com/", "slug": slug}));
    }
    for Pair {
        operation,
        good,
        bad,
        ..
    } in pairs()
    {
        if matches!(operation, "link_edit" | "link_delete" | "link_check") {
            // The service refuses before it reads the input, so a wrong one gets the same
            // answer.
            for input in [&good, &bad] {
                assert_eq!(both.refuse(operation, input), 403, "{operation}");
            }
        } else {
            both.agree_to(operation, &good);
            if !bad.is_null() {
                both.refuse(operation, &bad);
            }
        }
    }
}

#[test]
fn both_wait_for_links_that_have_to_be_moved_here() {
    let folder = tempfile::tempdir().unwrap();
    let old = folder.path().join("old.json");
    let entry = json!([{"key": "link:a", "value": r#"{"url":"https://example.com/"}"#}]);
    std::fs::write(&old, entry.to_string()).unwrap();
    let url = format!("file:{}", old.display());
    let server = Server::start_with(&[("SLUGLINE_LEGACY_KV_URL", &url)]);
    let both = Both::of(&server);
    for pair in pairs() {
        if pair.operation.starts_with("stats_") {
            both.agree_to(pair.operation, &pair.good);
            continue;
        }
        // The service refuses before it reads the input, so a wrong one gets the same answer.
        for input in [&pair.good, &pair.bad] {
            if !input.is_null() {
                assert_eq!(
                    both.refuse(pair.operation, input),
                    423,
                    "{}",
                    pair.operation
                );
            }
        }
    }
}

/// One server, called by REST and by MCP.
struct Both<'s> {
    server: &'s Server,
    document: Value,
}

impl<'s> Both<'s> {
    fn of(server: &'s Server) -> Self {
        let document = server.visit("/_docs/openapi.json").json();
        Self { server, document }
    }

    fn by_rest(&self, operation: &str, input: &Value) -> Answer {
        let (_, method, path) = operations(&self.document)
            .find(|(id, ..)| id == operation)
            .unwrap();
        match method.as_str() {
            "GET" => self.server.get(&format!("{path}?{}", query(input))),
            _ => self.server.call(&method, &path, input),
        }
    }

    fn by_mcp(&self, operation: &str, input: &Value) -> Value {
        let pair = pairs().into_iter().find(|pair| pair.operation == operation);
        call_tool(self.server, pair.unwrap().tool, input)
    }

    fn agree_to(&self, operation: &str, input: &Value) {
        let by_rest = self.by_rest(operation, input);
        assert!(by_rest.status < 300, "{operation}: {}", by_rest.text);
        let by_mcp = self.by_mcp(operation, input);
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
    fn refuse(&self, operation: &str, input: &Value) -> u16 {
        let refused = self.by_rest(operation, input);
        let body = refused.json();
        assert!((400..500).contains(&refused.status), "{operation}: {body}");
        let told = self.by_mcp(operation, input);
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

/// Id, method and path of every documented operation.
fn operations(document: &Value) -> impl Iterator<Item = (String, String, String)> {
    document["paths"]
        .as_object()
        .unwrap()
        .iter()
        .flat_map(|(path, item)| {
            item.as_object()
                .unwrap()
                .iter()
                .map(move |(method, operation)| {
                    let id = operation["operationId"].as_str().unwrap();
                    (id.to_owned(), method.to_uppercase(), path.clone())
                })
        })
}

fn query(input: &Value) -> String {
    let pairs = input
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, value)| match value.as_str() {
            Some(text) => format!("{name}={text}"),
            None => format!("{name}={value}"),
        });
    pairs.collect::<Vec<_>>().join("&")
}
