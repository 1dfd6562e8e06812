//! Start time with many links, and memory.

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    path::Path,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Result, bail, ensure};

use super::{
    dataset, export,
    follower::follow_all,
    goal::{self, Limit},
    guard::{Guard, free_address},
    instance::{self, Binary, Instance},
    memory::Memory,
    nginx::{Nginx, Redirects},
    plan::Plan,
    samples::Samples,
    table::Table,
};

const STARTS: u32 = 10;
/// The number of links at the first memory reading, and nginx's number of links.
const SOME_LINKS: u32 = 100_000;
/// The time until an instance without requests is idle.
const REST: Duration = Duration::from_secs(1);

pub(crate) fn run(plan: &Plan) -> Result<()> {
    starts(plan)?;
    memory(plan)
}

fn starts(plan: &Plan) -> Result<()> {
    let mut sides = Vec::new();
    for binary in plan.sluglines() {
        let data = dataset::folder(plan, binary, plan.links)?;
        // The first start creates the access log; an operator's instance already has one.
        time_of_a_start(binary, &data)?;
        sides.push((binary, data, Vec::new()));
    }
    for _ in 0..STARTS {
        for (binary, data, times) in &mut sides {
            times.push(time_of_a_start(binary, data)? * 1e3);
        }
    }
    println!(
        "\nstart: {} links, default settings, from exec to the first redirect, {STARTS} starts\n",
        plan.links
    );
    let mut table = Table::new(["milliseconds", "median", "min–max"]);
    let mut of_sides = Vec::new();
    for (binary, _, times) in sides {
        let times = Samples::new(times)?;
        table.row([binary.name.to_owned(), times.middle(1), times.range(1)]);
        of_sides.push(times);
    }
    print!("{table}");
    if let [ours, others @ ..] = &of_sides[..] {
        let bound = Limit::AtMost(20.0);
        goal::report("start to the first redirect", bound, "ms", ours.median());
        if let [baseline, ..] = others {
            goal::change("start to the first redirect", "time", ours, baseline);
        }
    }
    Ok(())
}

/// Seconds from the start of the program to the end of the first redirect. The system chooses
/// the CPU, as it does for an operator.
fn time_of_a_start(binary: &Binary, data: &Path) -> Result<f64> {
    let address = free_address()?;
    let mut command = instance::command(binary, data);
    command.env("SLUGLINE_LISTEN", address.to_string());
    let began = Instant::now();
    let process = Guard::start(&mut command)?;
    while !is_redirected(address)? {
        ensure!(
            began.elapsed() < Duration::from_mins(1),
            "no redirect after a minute"
        );
        thread::sleep(Duration::from_micros(500));
    }
    let seconds = began.elapsed().as_secs_f64();
    drop(process);
    Ok(seconds)
}

/// True if a link is answered with a redirect; false while no server listens.
fn is_redirected(address: SocketAddr) -> Result<bool> {
    let Ok(mut stream) = TcpStream::connect(address) else {
        return Ok(false);
    };
    let slug = export::slug(0);
    write!(
        stream,
        "GET /{slug} HTTP/1.1\r\nHost: bench.example\r\n\r\n"
    )?;
    let mut status = [0; 10];
    stream.read_exact(&mut status)?;
    if !status.starts_with(b"HTTP/1.1 3") {
        bail!("the first visit was not redirected");
    }
    Ok(true)
}

fn memory(plan: &Plan) -> Result<()> {
    let some = SOME_LINKS.min(plan.links);
    println!("\nmemory: default settings\n");
    let mut table = Table::new(["MiB", "resident", "peak"]);
    let mut row = |name: String, memory: Memory| {
        let [resident, peak] = [memory.resident, memory.peak].map(|mib| format!("{mib:.1}"));
        table.row([name, resident, peak]);
    };
    let mut ours = None;
    for binary in plan.sluglines() {
        let figures = memory_of(plan, binary, some)?;
        let [idle, after_some, after_all] = figures;
        let name = binary.name;
        row(format!("{name}: no links, at rest"), idle);
        row(format!("{name}: {some} links were followed"), after_some);
        row(
            format!("{name}: {} links were followed", plan.links),
            after_all,
        );
        ours.get_or_insert(figures);
    }
    let folder = plan.scratch("start")?;
    let nginx = Nginx::start(&folder.join("nginx"), Redirects::Map(some), plan.cpus)?;
    let (master, worker) = nginx.memory()?;
    row(format!("nginx: master, {some} links in its map"), master);
    row("nginx: its worker, which shares most of it".into(), worker);
    print!("{table}");
    if let Some([idle, after_some, after_all]) = ours {
        let goal = |what: &str, bound, memory: Memory| {
            goal::report(what, Limit::AtMost(bound), "MiB", memory.resident);
        };
        goal("resident memory at rest", 25.0, idle);
        goal(
            &format!("after {some} links were followed"),
            60.0,
            after_some,
        );
        goal(
            &format!("after {} links were followed", plan.links),
            150.0,
            after_all,
        );
    }
    Ok(())
}

/// The memory when idle without links; then, among all links, after some were followed once,
/// and after the others were too.
fn memory_of(plan: &Plan, binary: &Binary, some: u32) -> Result<[Memory; 3]> {
    let empty = plan.scratch(&format!("empty-{}", binary.name))?;
    let instance = Instance::start(binary, &empty)?;
    thread::sleep(REST);
    let idle = Memory::of(instance.pid())?;
    instance.stop()?;

    let instance = Instance::start(binary, &dataset::folder(plan, binary, plan.links)?)?;
    let address = instance.address()?;
    let follow = |links| {
        follow_all(address, links)?;
        Memory::of(instance.pid())
    };
    let figures = [idle, follow(0..some)?, follow(some..plan.links)?];
    instance.stop()?;
    Ok(figures)
}
