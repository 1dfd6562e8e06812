//! A page of links among many, and a single link by REST and by MCP.

use std::time::Duration;

use anyhow::Result;

use super::{
    contender::{Contender, interleave},
    dataset, export,
    goal::{self, Limit},
    instance::Instance,
    mcp,
    plan::Plan,
    scripts,
    table::Table,
};

const CONNECTIONS: u32 = 8;

pub(crate) fn run(plan: &Plan) -> Result<()> {
    let folder = plan.scratch("listing")?;
    let slug = export::slug(plan.links / 2);
    let mut instances = Vec::new();
    let mut contenders = Vec::new();
    for binary in plan.sluglines() {
        let data = dataset::folder(plan, binary, plan.links)?;
        let instance = Instance::start_alone(binary, &data, plan.cpus, &[])?;
        let (name, origin) = (binary.name, instance.origin());
        let mut contender = |what: &str, path: &str, script: String| {
            contenders.push(Contender {
                name: format!("{name}: {what}"),
                url: format!("{origin}{path}"),
                script,
                processes: vec![instance.pid()],
                settle: Duration::ZERO,
            });
        };
        let get = scripts::api_headers;
        contender("list, limit=100", "/api/link/list?limit=100", get());
        let query = format!("/api/link/query?slug={slug}");
        contender("REST query", &query, get());
        contender("MCP get_link", mcp::PATH, mcp::get_link(&slug));
        instances.push(instance);
    }
    println!("\nlisting: {} links, one worker\n", plan.links);
    let outcomes = interleave(plan, &contenders, CONNECTIONS, &folder)?;
    let mut table = Table::new([
        "µs of processor time",
        "median",
        "min–max",
        "× REST query",
        "per s",
    ]);
    for of_binary in outcomes.chunks(3) {
        for outcome in of_binary {
            table.row([
                outcome.name.clone(),
                outcome.micros.middle(1),
                outcome.micros.range(1),
                format!("{:.2}", outcome.micros.ratio(&of_binary[1].micros)),
                outcome.rate.middle(0),
            ]);
        }
    }
    print!("{table}");
    let list = outcomes[0].micros.median() / 1e3;
    goal::report(
        "processor time of a page of 100",
        Limit::AtMost(1.5),
        "ms",
        list,
    );
    if let [ours, baseline] = outcomes.chunks(3).collect::<Vec<_>>()[..] {
        for (ours, baseline) in ours.iter().zip(baseline) {
            let what = ours.name.trim_start_matches("slugline: ");
            goal::change(what, "processor time", &ours.micros, &baseline.micros);
        }
    }
    Ok(())
}
