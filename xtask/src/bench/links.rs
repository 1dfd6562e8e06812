//! Many links: how long people wait for them.

use std::{
    fs::File,
    io::{BufWriter, Write},
    path::Path,
    time::Instant,
};

use anyhow::Result;
use serde_json::json;

use super::instance::{self, Instance, peak_mib};
use crate::process;

const ROUNDS: usize = 5;

/// Requests of a person who looks for something. `shipping` is in a tenth of
/// the comments, `-777777` in one slug.
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

pub(crate) fn run(links: u32) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let (data, export) = (folder.path().join("data"), folder.path().join("links.json"));
    write_export(&export, links)?;
    let started = Instant::now();
    process::run(instance::command(&data).arg("import").arg(&export))?;
    let seconds = started.elapsed().as_secs_f64();
    println!("\n{links} links, imported in {seconds:.1} s");

    let instance = Instance::start(&data)?;
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

/// An export document with links that differ as people's do.
fn write_export(path: &Path, links: u32) -> Result<()> {
    const WORDS: [&str; 10] = [
        "summer", "shipping", "release", "pricing", "invoice", "podcast", "keynote", "recipe",
        "survey", "ticket",
    ];
    let mut file = BufWriter::new(File::create(path)?);
    write!(file, r#"{{"version":"1.0","links":["#)?;
    for i in 0..links {
        let word = WORDS[usize::try_from(i % 10)?];
        let mut link = json!({
            "id": format!("bench-{i}"),
            "slug": format!("{word}-{i}"),
            "url": format!("https://shop.example/p/{i}?campaign={word}"),
            "createdAt": 1_700_000_000 + i, "updatedAt": 1_700_000_000 + i,
            // A tag of every hundredth link, and one of very few.
            "tags": [format!("tag-{}", i % 100), if i % 100_000 == 0 { "rare" } else { "common" }],
        });
        if i % 3 == 0 {
            link["comment"] =
                format!("about {} and {word}", WORDS[usize::try_from(i / 10 % 10)?]).into();
        }
        let comma = if i == 0 { "" } else { "," };
        write!(file, "{comma}{link}")?;
    }
    write!(file, "]}}")?;
    Ok(file.flush()?)
}
