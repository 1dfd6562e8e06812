//! A link by MCP beside the same link by REST, in an instance with one link.

use std::time::Duration;

use anyhow::Result;
use serde_json::{Value, json};

use super::{
    contender::{Contender, interleave},
    instance::Instance,
    plan::Plan,
    scripts,
    table::Table,
};

/// The path of MCP messages.
pub(crate) const PATH: &str = "/api/mcp";

const CONNECTIONS: u32 = 8;

pub(crate) fn run(plan: &Plan) -> Result<()> {
    let folder = plan.scratch("mcp")?;
    let instance = Instance::start_alone(&plan.binary, &folder.join("data"), plan.cpus, &[])?;
    let link = json!({
        "slug": "docs", "url": "https://example.com/docs", "comment": "for the benchmark",
        "tags": ["one", "two"],
    });
    instance.post("/api/link/create", &link)?;
    let contender = |name: &str, path: &str, script| Contender {
        name: name.to_owned(),
        url: format!("{}{path}", instance.origin()),
        script,
        processes: vec![instance.pid()],
        settle: Duration::ZERO,
    };
    let query = "/api/link/query?slug=docs";
    let list = message("tools/list", &json!({}));
    let contenders = [
        contender("REST query", query, scripts::api_headers()),
        contender("get_link", PATH, get_link("docs")),
        contender("tools/list", PATH, list),
    ];
    println!("\nmcp: one link, one worker\n");
    let outcomes = interleave(plan, &contenders, CONNECTIONS, &folder)?;
    let mut table = Table::new(["µs of processor time", "median", "min–max", "× REST query"]);
    for outcome in &outcomes {
        table.row([
            outcome.name.clone(),
            outcome.micros.middle(1),
            outcome.micros.range(1),
            format!("{:.2}", outcome.micros.ratio(&outcomes[0].micros)),
        ]);
    }
    print!("{table}");
    instance.stop()
}

/// Lua that calls the tool `get_link`.
pub(crate) fn get_link(slug: &str) -> String {
    let call = json!({"name": "get_link", "arguments": {"slug": slug}});
    message("tools/call", &call)
}

fn message(method: &str, params: &Value) -> String {
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let headers = scripts::api_headers();
    format!("{headers}wrk.method = 'POST'\nwrk.body = '{body}'\n")
}
