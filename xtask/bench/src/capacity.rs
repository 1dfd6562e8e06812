//! `cargo xtask capacity`: what a load needs, by simulation and by arithmetic.
//!
//! The memory of a node is simulated: visitors pick links by Zipf's law, and the node remembers
//! the last ones for a while. Everything else is multiplication with measured costs.
//! `docs/scaling.md` says where these come from and what was never run.

mod memory;
mod zipf;

use anyhow::{Result, ensure};
use clap::Args;

use crate::numbers::whole;
use memory::Memory;
use zipf::Zipf;

/// The load, and the machines for it.
#[derive(Clone, Debug, Args)]
pub(crate) struct Load {
    /// Links in the database.
    #[arg(long, default_value_t = 1_000_000_000)]
    links: u32,
    /// Redirects a second, of all nodes.
    #[arg(long, default_value_t = 1_000_000)]
    redirects: u32,
    /// The exponent of Zipf's law, which says how unequal links are. 1 is usual for the web; 0
    /// makes them equal.
    #[arg(long, default_value_t = 1.0)]
    skew: f64,
    /// Mebibytes for the links that a node remembers (`SLUGLINE_LINK_CACHE_MEMORY`).
    #[arg(long, default_value_t = 16)]
    memory: u32,
    /// Seconds for which it remembers them (`SLUGLINE_LINK_CACHE_TTL`).
    #[arg(long, default_value_t = 60)]
    ttl: u32,
    /// Cores of a node.
    #[arg(long, default_value_t = 4)]
    cores: u32,
    /// The share of its processors that a machine may use.
    #[arg(long, default_value_t = 0.5)]
    busy: f64,
}

/// Measured costs.
mod cost {
    /// Processor time of a redirect from memory, in µs: the benchmark `redirect`, with the
    /// headers of a browser.
    pub(super) const HIT: f64 = 8.05;
    /// Processor time of the node for asking PostgreSQL, in µs. An estimate: no benchmark has it.
    pub(super) const MISS: f64 = 60.0;
    /// Processor time of PostgreSQL for finding a link, in µs.
    pub(super) const FIND: f64 = 70.0;
    /// Links that fit into a mebibyte of a node's memory: 416 bytes each.
    pub(super) const REMEMBERED: u32 = 2_500;
    /// Bytes of a link in PostgreSQL, with its indexes.
    pub(super) const LINK: f64 = 1_000.0;
    /// Visits a minute that a node stores at most (`SLUGLINE_SAMPLE_ABOVE`).
    pub(super) const SAMPLED: f64 = 20_000.0;
    /// Connections of a node to PostgreSQL.
    pub(super) const CONNECTIONS: f64 = 11.0;
    /// Bytes of a redirect on the network, with its request and both acknowledgements.
    pub(super) const EXCHANGE: f64 = 1_000.0;
}

/// The needs of the load.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Need {
    nodes: f64,
    /// The share of redirects for which the database is asked.
    asked: f64,
}

/// Prints what the load needs.
pub(crate) fn run(load: &Load) -> Result<()> {
    ensure!(
        load.links > 0 && load.redirects > 0 && load.memory > 0 && load.cores > 0,
        "--links, --redirects, --memory and --cores must be 1 or more"
    );
    ensure!(
        (0.0..=3.0).contains(&load.skew) && load.busy > 0.0 && load.busy <= 1.0,
        "--skew must be from 0 to 3, and --busy above 0 and at most 1"
    );
    let need = need(load);
    let redirects = f64::from(load.redirects);
    let finds = redirects * need.asked;
    let of_postgres = finds * cost::FIND / 1e6 / load.busy;
    let row = |name: &str, value: String| println!("{name:<34}{value}");
    println!(
        "{} links, {} redirects a second, Zipf exponent {}; a node remembers links in {} MiB \
         for {} s\n",
        load.links, load.redirects, load.skew, load.memory, load.ttl
    );
    row(
        "redirects from memory (simulated)",
        format!("{:.1} %", 100.0 * (1.0 - need.asked)),
    );
    row("nodes", format!("{} of {} cores", need.nodes, load.cores));
    row(
        "redirects a second of a node",
        whole(redirects / need.nodes),
    );
    row("finds a second in PostgreSQL", whole(finds));
    row("cores of PostgreSQL for them", whole(of_postgres.ceil()));
    row(
        "connections to PostgreSQL",
        whole(need.nodes * cost::CONNECTIONS),
    );
    row(
        "links on its disk",
        format!("{:.0} GB", f64::from(load.links) * cost::LINK / 1e9),
    );
    row(
        "rows a second into ClickHouse",
        whole((need.nodes * cost::SAMPLED / 60.0).min(redirects)),
    );
    row(
        "network",
        format!("{:.1} Gbit/s", redirects * cost::EXCHANGE * 8.0 / 1e9),
    );
    Ok(())
}

/// Nodes and memory depend on each other: fewer nodes see each link more often.
fn need(load: &Load) -> Need {
    /// The first round begins with no memory, the second with almost the right number of nodes.
    const ROUNDS: u32 = 2;

    let redirects = f64::from(load.redirects);
    let mut need = nodes_for(load, 0.0);
    for _ in 0..ROUNDS {
        let zipf = Zipf::new(load.links, load.skew);
        let memory = Memory::new(load.memory.saturating_mul(cost::REMEMBERED), load.ttl);
        let asked = memory.asked(zipf, redirects / need.nodes);
        need = nodes_for(load, asked);
    }
    need
}

fn nodes_for(load: &Load, asked: f64) -> Need {
    let micros = cost::HIT + asked * cost::MISS;
    let of_a_node = f64::from(load.cores) * load.busy * 1e6 / micros;
    let nodes = (f64::from(load.redirects) / of_a_node).ceil().max(1.0);
    Need { nodes, asked }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOAD: Load = Load {
        links: 1_000,
        redirects: 1_000,
        skew: 1.0,
        memory: 2,
        ttl: 1_000_000,
        cores: 4,
        busy: 0.5,
    };

    #[test]
    fn a_small_load_needs_one_node_that_remembers_everything() {
        let need = need(&LOAD);
        assert!((need.nodes - 1.0).abs() < 0.1, "{need:?}");
        assert!(need.asked < 0.01, "{need:?}");
    }

    #[test]
    fn twice_the_load_needs_twice_the_nodes() {
        let nodes = |redirects| {
            let load = Load { redirects, ..LOAD };
            nodes_for(&load, 0.1).nodes
        };
        let ratio = nodes(20_000_000) / nodes(10_000_000);
        assert!((1.9..2.1).contains(&ratio), "{ratio}");
    }
}
