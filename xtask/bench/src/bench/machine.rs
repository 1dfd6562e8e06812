//! Describes the machine and the programs in the report.

use std::{env, fs, path::Path, process::Command, thread};

use anyhow::Result;

use super::{
    instance::Binary,
    plan::{self, Options, Plan},
};
use xtask::process;

/// Prints the facts that the figures of this run depend on.
pub(crate) fn describe(plan: &Plan, options: &Options) -> Result<()> {
    let cores = thread::available_parallelism()?;
    println!("\ncommand     {}", command(env::args().skip(1)));
    println!(
        "date        {}",
        said(process::program("date").args(["-u", "+%F"]))
    );
    println!("processor   {}, {cores} CPUs", model());
    println!("placement   {}", plan.cpus.describe());
    println!("kernel      {}", line_of("/proc/sys/kernel/osrelease"));
    println!("load before {}", line_of("/proc/loadavg"));
    println!("data on     {}", filesystem(&plan::kept()?));
    let rustc = said(process::program("rustc").arg("--version"));
    let nginx = said(process::program("nginx").arg("-v"));
    let wrk = said(process::program("wrk").arg("-v"));
    let wrk = wrk.split(" [").next().unwrap_or_default();
    println!("programs    {rustc}; {nginx}; {wrk}");
    for binary in plan.sluglines() {
        let version = said(process::program(&binary.path).arg("--version"));
        let built = match (binary.name, &options.binary) {
            ("slugline", None) | ("static", _) => commit(),
            _ => shown(&binary.path),
        };
        println!(
            "{:<11} {version}, {built}, profile {}",
            binary.name,
            profile_of(binary)
        );
    }
    println!(
        "rounds      {} of {} s for each contender, in turn; medians and ranges are over rounds",
        plan.rounds, plan.seconds
    );
    if plan.links < plan::MANY_LINKS {
        let (links, many) = (plan.links, plan::MANY_LINKS);
        println!("            with {links} links a quick look only: the goals are about {many}");
    }
    Ok(())
}

/// The first line of a command's output, from either stream.
pub(crate) fn said(command: &mut Command) -> String {
    let unknown = || "unknown".to_owned();
    let Ok(output) = command.output() else {
        return unknown();
    };
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    said.lines().next().map_or_else(unknown, str::to_owned)
}

/// The command that repeats this run.
fn command(arguments: impl Iterator<Item = String>) -> String {
    arguments.fold("cargo xtask bench".to_owned(), |command, argument| {
        command + " " + &argument
    })
}

fn model() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    parse_model(&info).unwrap_or("unknown").to_owned()
}

/// Some architectures report no name.
fn parse_model(info: &str) -> Option<&str> {
    let mut lines = info.lines();
    let (_, name) = lines
        .find(|line| line.starts_with("model name"))?
        .split_once(':')?;
    Some(name.trim())
}

fn line_of(file: &str) -> String {
    let text = fs::read_to_string(file).unwrap_or_else(|_| "unknown".into());
    text.trim().to_owned()
}

/// The type of the filesystem that a folder is on, with a warning if it is in memory.
fn filesystem(folder: &Path) -> String {
    let command = &mut process::program("df");
    let answer = process::answer(command.arg("--output=fstype").arg(folder));
    let answer = answer.unwrap_or_default();
    match answer.lines().nth(1) {
        Some("tmpfs") => "tmpfs, which is memory: durable writes cost nothing here".into(),
        Some(other) => other.trim().to_owned(),
        None => "unknown".into(),
    }
}

/// The profile whose folder a binary lies in.
fn profile_of(binary: &Binary) -> &str {
    let folder = binary.path.parent().and_then(Path::file_name);
    match folder.and_then(|name| name.to_str()) {
        Some(name @ ("release" | "dist" | "debug")) => name,
        _ => "unknown",
    }
}

/// A path without this machine's folders.
fn shown(path: &Path) -> String {
    let inside = path.strip_prefix(process::root()).ok();
    let name = path.file_name().map(Path::new);
    inside.or(name).unwrap_or(path).display().to_string()
}

fn commit() -> String {
    let describe = ["describe", "--always", "--dirty"];
    match process::answer(process::program("git").args(describe)) {
        Some(commit) => format!("commit {commit}"),
        None => "of no commit".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processor_has_a_name() {
        let info = "processor\t: 0\nmodel name\t: Some CPU @ 2.0GHz\nmodel name\t: Other\n";
        assert_eq!(parse_model(info), Some("Some CPU @ 2.0GHz"));
        assert_eq!(parse_model("processor\t: 0\n"), None);
    }

    #[test]
    fn command_repeats_the_arguments() {
        let arguments = ["start", "--rounds", "2"].map(str::to_owned);
        let command = command(arguments.into_iter());
        assert_eq!(command, "cargo xtask bench start --rounds 2");
    }

    #[test]
    fn profile_is_the_folder_of_the_binary() {
        let profile = |path: &str| {
            let binary = Binary {
                name: "slugline",
                path: path.into(),
            };
            profile_of(&binary).to_owned()
        };
        assert_eq!(profile("/w/target/dist/slugline"), "dist");
        assert_eq!(profile("/usr/bin/slugline"), "unknown");
    }

    #[test]
    fn commands_speak_on_either_output() {
        let mut command = process::program("sh");
        assert_eq!(said(command.args(["-c", "echo one >&2; exit 1"])), "one");
        assert_eq!(
            said(&mut process::program("no-such-program-here")),
            "unknown"
        );
    }
}
