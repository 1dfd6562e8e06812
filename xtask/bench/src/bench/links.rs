//! Response times of requests among many links.

use std::time::Instant;

use anyhow::Result;

use super::{
    export,
    instance::{self, Instance},
    memory::peak_mib,
    plan::Plan,
};

const ROUNDS: usize = 5;

/// Requests of a person who searches. `shipping` is in a tenth of the comments, `-777777` in
/// one slug.
const REQUESTS: [(&str, &str); 14] = [
    ("newest page", "/api/link/list"),
    ("page of 500 by slug", "/api/link/list?limit=500&sort=az"),
    ("newest page of a tag", "/api/link/list?tag=tag-7"),
    ("newest page of a rare tag", "/api/link/list?tag=rare"),
    ("search: one slug", "/api/link/search?q=-777777"),
    ("search: a word of many", "/api/link/search?q=shipping"),
    ("search: a word of none", "/api/link/search?q=xylophone"),
    ("search: two characters of none", "/api/link/search?q=q%7E"),
    (
        "search: a word and a tag",
        "/api/link/search?q=shipping&tag=tag-7",
    ),
    (
        "search: exact destination",
        "/api/link/search?url=https%3A%2F%2Fshop.example%2Fp%2F4242",
    ),
    ("count of all", "/api/link/count"),
    ("count of a word", "/api/link/count?q=shipping"),
    ("count of a tag", "/api/link/count?tag=tag-7"),
    ("all tags", "/api/link/tags"),
];

pub(crate) fn run(plan: &Plan) -> Result<()> {
    let folder = plan.scratch("links")?;
    let (data, document) = (folder.join("data"), folder.join("links.json"));
    export::write(&document, plan.links)?;
    let started = Instant::now();
    instance::import(&plan.binary, &data, &document)?;
    let seconds = started.elapsed().as_secs_f64();
    println!(
        "\nlinks: {} links, imported in {seconds:.1} s\n",
        plan.links
    );

    let instance = Instance::start(&plan.binary, &data)?;
    println!("{:<32} {:>10} {:>10}", "milliseconds", "median", "worst");
    for (what, path) in REQUESTS {
        let mut times = Vec::with_capacity(ROUNDS);
        for _ in 0..ROUNDS {
            let asked = Instant::now();
            instance.get(path)?;
            times.push(asked.elapsed().as_secs_f64() * 1e3);
        }
        times.sort_by(f64::total_cmp);
        println!(
            "{what:<32} {:>10.1} {:>10.1}",
            times[ROUNDS / 2],
            times[ROUNDS - 1]
        );
    }
    println!("peak memory {:.0} MiB", peak_mib(instance.pid())?);
    instance.stop()
}
