//! Visits out of an access log and into one: export, import, and the backup of all.
//!
//! Each step is a process of its own, so its peak of memory is that of the step. The exported file
//! is compressed, because the text of many visits is larger than most disks.

use std::{fs, path::Path, process::Stdio};

use anyhow::{Context, Result};

use super::{
    analytics,
    instance::{self, Instance},
    plan::Plan,
    rest,
    samples::Samples,
    table::Table,
    usage::{self, Usage},
};

/// Each step is long, and its rounds differ little.
const ROUNDS: u32 = 3;

/// The steps, in order.
const STEPS: [&str; 6] = [
    "export, CSV, thrown away",
    "export, CSV, compressed to a file",
    "import of that file into an empty folder",
    "the service counts the imported days",
    "backup",
    "backup verify",
];

pub(crate) fn run(plan: &Plan) -> Result<()> {
    let (kept, _) = analytics::embedded(plan)?;
    // It comes to rest before anything is measured, and makes the table of links.
    let instance = Instance::start(&plan.binary, &kept)?;
    rest::wait_for(instance.pid())?;
    instance.stop()?;
    let log = fs::metadata(kept.join("analytics.db"))?.len();
    let mut steps = STEPS.map(|_| Vec::new());
    for round in 1..=ROUNDS.min(plan.rounds) {
        eprintln!("round {round}");
        let folder = plan.scratch("transfer")?;
        for (step, usage) in steps.iter_mut().zip(once(plan, &kept, &folder)?) {
            step.push(usage);
        }
        fs::remove_dir_all(folder)?;
    }
    let mb = megabytes(log);
    println!(
        "\ntransfer: {} visits, access log of {mb:.1} MB\n",
        plan.visits
    );
    let mut table = Table::new([
        "",
        "seconds",
        "min–max",
        "visits per s",
        "MB of log per s",
        "processor s",
        "peak MiB",
        "MB written",
    ]);
    for (name, rounds) in STEPS.into_iter().zip(&steps) {
        let of = |figure: fn(&Usage) -> f64| Samples::new(rounds.iter().map(figure).collect());
        let seconds = of(|usage| usage.seconds)?;
        let per_second = |amount: f64| format!("{:.0}", amount / seconds.median());
        table.row([
            name.to_owned(),
            seconds.middle(1),
            seconds.range(1),
            per_second(plan.visits.into()),
            per_second(mb),
            of(|usage| usage.cpu)?.middle(1),
            of(|usage| usage.peak)?.middle(0),
            of(|usage| usage.written / 1e6)?.middle(1),
        ]);
    }
    print!("{table}");
    let import = steps[2].iter().map(|usage| usage.seconds).collect();
    println!("{}", Samples::new(import)?.noise("the import"));
    Ok(())
}

/// One round of all steps.
fn once(plan: &Plan, kept: &Path, folder: &Path) -> Result<[Usage; STEPS.len()]> {
    let (file, backup) = (folder.join("visits.csv.gz"), folder.join("all.backup"));
    let new = folder.join("imported");
    let step = |data: &Path, words: &[&str], path: Option<&Path>| {
        let mut command = instance::command(&plan.binary, data);
        command.args(words).args(path).stdout(Stdio::null());
        usage::of_command(&mut command).with_context(|| format!("slugline {}", words.join(" ")))
    };
    let thrown = step(kept, &["visits", "export", "-", "--format", "csv"], None)?;
    let export = step(kept, &["visits", "export"], Some(&file))?;
    let import = step(&new, &["visits", "import"], Some(&file))?;
    let counting = {
        let instance = Instance::start(&plan.binary, &new)?;
        let seconds = rest::wait_for(instance.pid())?;
        let usage = instance.end()?;
        Usage { seconds, ..usage }
    };
    let write = step(kept, &["backup"], Some(&backup))?;
    let verify = step(kept, &["backup", "verify"], Some(&backup))?;
    Ok([thrown, export, import, counting, write, verify])
}

fn megabytes(bytes: u64) -> f64 {
    u32::try_from(bytes >> 10).map_or(f64::INFINITY, |kib| f64::from(kib) * 1_024.0 / 1e6)
}
