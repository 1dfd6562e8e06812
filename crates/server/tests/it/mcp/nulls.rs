//! Null, which strict models and several serializers write for what is absent.

use serde_json::{Value, json};

use crate::{
    mcp::{
        schemas::smallest,
        wire::{call_tool, legacy, list_tools, modern},
    },
    support::server::Server,
};

#[test]
fn null_is_absent_in_messages_and_in_the_arguments_of_every_tool() {
    let server = Server::start_with(&[("SLUGLINE_CHECK_ALLOWED_PORTS", "8443")]);
    let older = |method: &str, params: Value| {
        let filled = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params,
            "result": null, "error": null});
        legacy(&server).body(&filled.to_string()).send().is(200)
    };
    older("ping", Value::Null);
    for params in [
        json!({"cursor": null, "_meta": null}),
        json!({"_meta": {"progressToken": null}}),
    ] {
        older("tools/list", params);
    }
    modern(&server, "tools/list", json!({"cursor": null})).is(200);
    let counted = json!({"name": "count_links", "arguments": null});
    for counted in [
        older("tools/call", counted.clone()),
        modern(&server, "tools/call", counted),
    ] {
        assert_eq!(
            counted.json()["result"]["structuredContent"],
            json!({"count": 0})
        );
    }
    let note = json!({"jsonrpc": "2.0", "id": null, "method": "notifications/initialized"});
    legacy(&server).body(&note.to_string()).send().is(202);

    for tool in list_tools(&server) {
        let mut arguments = smallest(&tool["inputSchema"]).remove(0);
        let given = arguments.as_object_mut().unwrap();
        for member in tool["inputSchema"]["properties"]
            .as_object()
            .unwrap()
            .keys()
        {
            given.entry(member).or_insert(Value::Null);
        }
        if tool["name"] == "update_link" {
            arguments["partial"] = json!(true);
        }
        let params = json!({"name": tool["name"], "arguments": arguments});
        for answer in [
            older("tools/call", params.clone()),
            modern(&server, "tools/call", params),
        ] {
            let text = answer.json()["result"]["content"][0]["text"].to_string();
            assert!(
                !text.contains("validation error"),
                "{}: {text}",
                tool["name"]
            );
        }
    }
}

#[test]
fn an_update_keeps_what_is_null_and_removes_what_it_names() {
    let server = Server::start();
    let docs = json!({"slug": "docs", "url": "https://example.com/", "comment": "c",
        "password": "open sesame", "maxVisits": 5, "tags": ["t"]});
    server.create(&docs);
    let update = |mut changes: Value| {
        changes["slug"] = json!("docs");
        let updated = call_tool(&server, "update_link", &changes);
        assert_eq!(updated["isError"], false, "{updated}");
        updated["structuredContent"].clone()
    };
    let there = |link: &Value| {
        ["comment", "password", "maxVisits"].map(|member| link.get(member).is_some())
    };
    let nulls = json!({"partial": true, "title": "T", "comment": null, "password": null,
        "maxVisits": null, "url": null, "tags": null, "remove": null});
    let kept = update(nulls)["link"].clone();
    assert_eq!((there(&kept), &kept["title"]), ([true; 3], &json!("T")));
    assert_eq!(kept["tags"], json!(["t"]));
    let removed = update(json!({"partial": true, "remove": ["comment", "password"]}));
    assert_eq!(there(&removed["link"]), [false, false, true]);
    let replaced = update(json!({"url": "https://example.com/new", "remove": ["maxVisits"]}));
    assert_eq!(there(&replaced["link"]), [false; 3]);
    let gone = json!(["title", "tags", "maxVisits", "visitsLeft"]);
    assert_eq!(replaced["removed"], gone);
}
