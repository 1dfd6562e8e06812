//! Compares the published schemas of the tools with their inputs and outputs.
//!
//! Both tests read `tools/list`, so they include new tools.

use jsonschema::{Validator, draft202012};
use serde_json::{Value, json};

use crate::{
    mcp::wire::{call_tool, list_tools},
    support::server::Server,
};

struct Published {
    name: String,
    input: Value,
    takes: Validator,
    gives: Validator,
}

fn published(server: &Server) -> Vec<Published> {
    let validator = |schema: &Value| {
        let options = draft202012::options().should_validate_formats(true);
        options.build(schema).unwrap()
    };
    let publish = |tool: &Value| Published {
        name: tool["name"].as_str().unwrap().to_owned(),
        input: tool["inputSchema"].clone(),
        takes: validator(&tool["inputSchema"]),
        gives: validator(&tool["outputSchema"]),
    };
    list_tools(server).iter().map(publish).collect()
}

/// The checks reach no destination: destinations have another port.
fn server() -> Server {
    Server::start_with(&[("SLUGLINE_CHECK_ALLOWED_PORTS", "8443")])
}

/// A link with every member set.
pub(crate) fn full(slug: &str) -> Value {
    let tags: Vec<String> = (0..10).map(|i| format!("tag {i} \u{202e}\u{7}")).collect();
    json!({
        "slug": slug, "url": "https://example.com/?a=%E2%80%AE", "comment": "a\nb\u{0}\u{1b}[31m",
        "title": "T", "description": "D", "image": "/i.png", "password": "open sesame",
        "expiration": 4_000_000_000_i64, "tags": tags, "apple": "https://apple.example/",
        "google": "https://google.example/", "geo": {"DE": "https://de.example/"},
        "redirectWithQuery": true, "cloaking": false, "proxy": false, "unsafe": false,
        "id": "an-id", "createdAt": 7, "updatedAt": 8,
        "startsAt": 9, "startUrl": "https://soon.example/", "expiredUrl": "https://over.example/",
        "maxVisits": 5, "disabled": true,
    })
}

/// One value for every option of every required member.
pub(crate) fn smallest(input: &Value) -> Vec<Value> {
    let mut calls = vec![json!({})];
    for name in input["required"].as_array().into_iter().flatten() {
        let name = name.as_str().unwrap();
        let options = match (&input["properties"][name]["enum"], name) {
            (Value::Array(options), _) => options.clone(),
            (_, "url") => vec![json!("https://example.com/")],
            (_, "slug") => vec![json!("full"), json!("expired"), json!("plain")],
            (_, other) => panic!("what is {other}?"),
        };
        calls = calls
            .iter()
            .flat_map(|call| {
                options.iter().map(|option| {
                    let mut call = call.clone();
                    call[name] = option.clone();
                    call
                })
            })
            .collect();
    }
    calls
}

#[test]
fn every_result_is_what_its_tool_published() {
    let server = server();
    server.create(&full("full"));
    let visited = server.create(&json!({"slug": "plain", "url": "https://example.com/"}));
    let visited = visited["link"]["id"].clone();
    server.import_expired("expired");
    server.visit("/plain");
    server.counters_with("slug=plain", 1);

    let extra = |name: &str| match name {
        "list_links" => {
            let first = call_tool(&server, name, &json!({"limit": 2, "status": "all"}));
            let cursor = first["structuredContent"]["cursor"].clone();
            assert!(cursor.is_string(), "{first}");
            vec![
                json!({"limit": 2, "status": "all"}),
                json!({"limit": 2, "status": "all", "cursor": cursor}),
                json!({"tag": "nobody has it"}),
                json!({"status": "expired"}),
            ]
        }
        "search_links" => vec![json!({"q": "ful"}), json!({"q": "nothing like it"})],
        "check_links" => vec![json!({"limit": 1})],
        "create_link" => vec![full("made")],
        "upsert_link" => vec![full("full"), full("upserted")],
        "get_analytics_counters" => vec![json!({"id": visited}), json!({"id": "nobody"})],
        _ => Vec::new(),
    };
    for tool in published(&server) {
        let name = &tool.name;
        for mut call in smallest_of(&tool).into_iter().chain(extra(name)) {
            if name == "create_link" && call["slug"] == "made" {
                call["id"] = json!("another-id");
            }
            if name == "upsert_link" && call["slug"] == "upserted" {
                call["id"] = json!("a-third-id");
            }
            let result = call_tool(&server, name, &call);
            assert_eq!(result["isError"], false, "{name} {call}: {result}");
            let structured = &result["structuredContent"];
            let faults: Vec<String> = tool
                .gives
                .iter_errors(structured)
                .map(|fault| fault.to_string())
                .collect();
            assert!(
                faults.is_empty(),
                "{name} {call}: {faults:?} in {structured}"
            );
        }
    }
}

/// The smallest calls of a tool. `update_link` needs `url` unless the update is partial; no
/// schema that all clients understand can express that.
fn smallest_of(tool: &Published) -> Vec<Value> {
    let mut calls = smallest(&tool.input);
    if tool.name == "update_link" {
        for call in &mut calls {
            call["partial"] = json!(true);
        }
    }
    calls
}

/// Values of a member at its limits and just beyond, from its published schema.
fn member_edges(name: &str, schema: &Value) -> Vec<Value> {
    let mut edges = vec![json!(null), json!({"an": "object"}), json!([["nested"]])];
    match schema["type"].as_str().unwrap() {
        "string" => {
            edges.push(json!(5));
            if let Some(options) = schema["enum"].as_array() {
                edges.extend(options.iter().cloned());
                edges.push(json!("none of them"));
            }
        }
        "integer" => {
            edges.extend([json!(1.5), json!(true), json!("soon")]);
            for (bound, step) in [("minimum", -1), ("maximum", 1)] {
                if let Some(bound) = schema[bound].as_i64() {
                    edges.extend([json!(bound), json!(bound + step)]);
                }
            }
        }
        "boolean" => edges.extend([json!(true), json!(false), json!("true"), json!(0)]),
        "array" => {
            let max = schema["maxItems"].as_u64().expect("lists are bounded");
            for count in [0, max, max + 1] {
                let items: Vec<String> = (0..count).map(|i| format!("item{i}")).collect();
                edges.push(json!(items));
            }
            let inner = member_edges(name, &schema["items"]);
            edges.extend(inner.into_iter().map(|item| json!([item])));
        }
        "object" => {
            edges.push(json!({"DE": "https://example.com/"}));
            if let Some(inner) = schema
                .get("additionalProperties")
                .filter(|of| of.is_object())
            {
                let inner = member_edges(name, inner);
                edges.extend(inner.into_iter().map(|value| json!({"DE": value})));
            }
        }
        other => panic!("{name}: {other}"),
    }
    edges
}

/// True if the schema cannot express the server's rule for this value.
fn is_beyond_schemas(member: &str, value: &Value) -> bool {
    match member {
        // The server requires a time before the year 10000, and for an end one in the future. It
        // takes moments as numbers, too, and requires a valid time.
        "expiration" | "startsAt" | "createdAt" | "updatedAt" | "startAt" | "endAt" => {
            value.is_i64() || value.is_string()
        }
        // The server requires a start beside it.
        "startUrl" if value.is_string() => true,
        // The server requires a cursor that it issued, the name of a zone, and a host that
        // a row named.
        "cursor" | "clientTimezone" | "domain" => value.is_string(),
        // The server requires codes of countries and destinations.
        "geo" => value
            .as_object()
            .is_some_and(|urls| urls.values().all(|url| url.is_string() || url.is_null())),
        // The schemas say no more than that these are lists of objects.
        "rules" | "split" => value.is_array(),
        "splitUntil" => value.is_i64() || value.is_string(),
        // The server then requires `url`.
        "partial" => value == false || value.is_null(),
        // The server then requires that destinations are watched.
        "status" => value == "broken",
        // The server takes it as query strings spell it too.
        "visitors" | "average" => value == "true",
        _ => false,
    }
}

/// The server also accepts values outside the schemas: null for what is absent, numbers in quotes,
/// white space around texts, and URLs in any script.
#[test]
fn every_schema_refuses_what_its_tool_refuses() {
    let server = server();
    let mut tried = 0;
    for tool in published(&server) {
        let name = &tool.name;
        let base = smallest_of(&tool).remove(0);
        let required: Vec<&str> = tool.input["required"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        for missing in &required {
            let mut call = base.clone();
            call.as_object_mut().unwrap().remove(*missing);
            assert_agreed(&server, &tool, &call);
        }
        let members = tool.input["properties"].as_object().unwrap();
        for (member, schema) in members {
            for value in member_edges(member, schema) {
                if is_beyond_schemas(member, &value) {
                    continue;
                }
                let mut call = base.clone();
                call[member] = value;
                if call[member].is_null() && !required.contains(&member.as_str()) {
                    assert!(refusal(&server, name, &call).is_none(), "{name} {call}");
                } else {
                    assert_agreed(&server, &tool, &call);
                }
                tried += 1;
            }
        }
        assert_agreed(&server, &tool, &with_unknown(&base));
        assert!(tool.takes.is_valid(&base), "{name} {base}");
    }
    assert!(tried > 500, "{tried} calls");
}

fn with_unknown(call: &Value) -> Value {
    let mut call = call.clone();
    call["unknown"] = json!(1);
    call
}

/// The text of an answer that refuses the arguments of a call.
fn refusal(server: &Server, tool: &str, call: &Value) -> Option<String> {
    let result = call_tool(server, tool, call);
    let text = result["content"][0]["text"].as_str().unwrap_or_default();
    let is_refused = text.starts_with("Input validation error");
    is_refused.then(|| text.to_owned())
}

#[track_caller]
fn assert_agreed(server: &Server, tool: &Published, call: &Value) {
    let refusal = refusal(server, &tool.name, call);
    let shown: String = call.to_string().chars().take(200).collect();
    let faults: Vec<String> = tool
        .takes
        .iter_errors(call)
        .map(|f| f.to_string())
        .collect();
    assert_eq!(
        refusal.is_none(),
        faults.is_empty(),
        "{} {shown}: {refusal:.300?} {faults:.300?}",
        tool.name
    );
}
