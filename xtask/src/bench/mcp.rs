//! A link by MCP beside the same link by REST.

use anyhow::Result;
use serde_json::json;

use super::{
    instance::{Instance, TOKEN},
    load::{Load, measure},
};

const SECONDS: u32 = 4;
const ROUNDS: u32 = 3;

pub(crate) fn run() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let instance = Instance::start(&folder.path().join("data"))?;
    let link = json!({
        "slug": "docs", "url": "https://example.com/docs", "comment": "for the benchmark",
        "tags": ["one", "two"],
    });
    instance.post("/api/link/create", &link)?;
    let headers = format!(
        "wrk.headers['Authorization'] = 'Bearer {TOKEN}'\n\
         wrk.headers['Content-Type'] = 'application/json'\n\
         wrk.headers['Accept'] = 'application/json, text/event-stream'\n"
    );
    let message = |method: &str, params: serde_json::Value| {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        format!("{headers}wrk.method = 'POST'\nwrk.body = '{body}'\n")
    };
    let call = message(
        "tools/call",
        json!({"name": "get_link", "arguments": {"slug": "docs"}}),
    );
    let list = message("tools/list", json!({}));
    let query = format!("{}/api/link/query?slug=docs", instance.origin());
    let endpoint = format!("{}/api/mcp", instance.origin());

    println!("\nMCP, µs of processor time per request");
    println!(
        "{:>10} {:>10} {:>8} {:>11}",
        "get_link", "REST query", "ratio", "tools/list"
    );
    for _ in 0..ROUNDS {
        let cost = |url: &str, script: &str| {
            let load = Load {
                url,
                script,
                seconds: SECONDS,
                connections: 8,
            };
            measure(&load, &[instance.pid()], folder.path())
        };
        let (tool, rest) = (cost(&endpoint, &call)?, cost(&query, &headers)?);
        let listing = cost(&endpoint, &list)?;
        println!(
            "{tool:>10.1} {rest:>10.1} {:>8.2} {listing:>11.1}",
            tool / rest
        );
    }
    instance.stop()
}
