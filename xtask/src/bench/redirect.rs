//! Redirects beside nginx with every slug in a map.

use anyhow::Result;
use serde_json::json;

use super::{
    instance::{Instance, peak_mib},
    load::{Load, measure},
    nginx::Nginx,
};

/// Slugs that are followed in turn, each by both servers.
const SLUGS: u32 = 1_000;
const SECONDS: u32 = 5;
const ROUNDS: u32 = 3;

/// Each request follows the next slug.
const NEXT_SLUG: &str = "local i = 0\n\
    request = function()\n\
      i = (i + 1) % 1000\n\
      return wrk.format('GET', '/link-' .. i)\n\
    end\n";

pub(crate) fn run() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let instance = Instance::start(&folder.path().join("data"))?;
    for i in 0..SLUGS {
        let link = json!({"slug": format!("link-{i}"), "url": format!("https://example.com/{i}")});
        instance.post("/api/link/create", &link)?;
    }
    let nginx = Nginx::start(folder.path(), SLUGS)?;
    println!("\nredirects, recording on, {SLUGS} slugs, µs of processor time per request");
    println!("{:>10} {:>10} {:>8}", "slugline", "nginx map", "ratio");
    for _ in 0..ROUNDS {
        let load = |url| Load {
            url,
            script: NEXT_SLUG,
            seconds: SECONDS,
            connections: 16,
        };
        let ours = measure(&load(instance.origin()), &[instance.pid()], folder.path())?;
        let theirs = measure(&load(nginx.origin()), &nginx.workers()?, folder.path())?;
        println!("{ours:>10.2} {theirs:>10.2} {:>8.2}", ours / theirs);
    }
    println!("peak memory {:.0} MiB", peak_mib(instance.pid())?);
    instance.stop()
}
