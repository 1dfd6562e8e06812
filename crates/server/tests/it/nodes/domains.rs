//! Domains on several nodes.

use serde_json::json;

use super::cluster;
use crate::support::server::{Server, eventually};

fn leads(node: &Server, host: &str) -> String {
    let answer = node.request("GET", "/docs").header("host", host).send();
    answer.header("location").to_owned()
}

#[test]
fn every_node_follows_a_new_domain_and_none_a_removed_one() {
    let (_database, nodes) = cluster("domains", 3);
    let call = |node: &Server, method, path: &str, body: &serde_json::Value| {
        let answer = node.call(method, path, body);
        assert!((200..300).contains(&answer.status), "{}", answer.text);
    };
    nodes[0].create(&json!({"slug": "docs", "url": "https://example.com/default"}));
    for node in &nodes {
        assert_eq!(leads(node, "go.example"), "https://example.com/default");
    }
    call(
        &nodes[0],
        "POST",
        "/api/domains",
        &json!({"host": "go.example"}),
    );
    let there = json!({"slug": "docs", "domain": "go.example", "url": "https://example.com/go"});
    eventually("another node takes links of the domain", || {
        nodes[1].post("/api/link/create", &there).status == 201
    });
    for node in &nodes {
        eventually("each node follows the domain", || {
            leads(node, "go.example") == "https://example.com/go"
        });
        assert_eq!(leads(node, "sl.example"), "https://example.com/default");
    }
    let remove = "/api/domains?host=go.example&links=delete";
    call(&nodes[2], "DELETE", remove, &json!({}));
    for node in &nodes {
        eventually("no node follows the domain", || {
            leads(node, "go.example") == "https://example.com/default"
        });
    }
}
