//! `cargo xtask arch`: compares the crates' dependencies, and the imports within each crate,
//! with the plan.

mod budget;
mod circles;
mod modules;
mod source;
mod uses;

use std::{collections::BTreeSet, path::Path};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use xtask::process;

/// Fails, with one line per finding, if a manifest breaks the plan.
pub(crate) fn run() -> Result<()> {
    let metadata =
        process::stdout(process::cargo().args(["metadata", "--format-version", "1", "--no-deps"]))?;
    let metadata = serde_json::from_slice(&metadata).context("cargo metadata is not JSON")?;
    let members = members(&metadata).context("cargo metadata has another shape than expected")?;
    let mut findings = findings(&members);
    findings.extend(findings_within(&metadata)?);
    for finding in &findings {
        eprintln!("{finding}");
    }
    if !findings.is_empty() {
        bail!(
            "{} findings against the floor plan in xtask/src/arch.rs",
            findings.len()
        );
    }
    println!("{} crates follow the floor plan", members.len());
    Ok(())
}

/// The other crates of ours that one crate may depend on.
struct Floor {
    room: &'static str,
    /// The most lines of production code. A change that adds more deletes as many elsewhere. No
    /// room for tests has a number.
    lines: usize,
    uses: &'static [&'static str],
    /// Further crates that its tests may use.
    tests_use: &'static [&'static str],
}

/// The plan: every dependency allowed between our crates, the lowest crates first.
///
/// Only this table defines it in code. Dependencies point down: `storage`, `analytics`,
/// `outbound`, `legacy` and `application` share a level and do not depend on each other,
/// adapters do not depend on each other, and only `server` depends on everything. A new crate
/// gets a row, and a new dependency needs a reason in `docs/adr/`. A room is a package name
/// without `slugline-`; the package `slugline` is `server`.
#[rustfmt::skip]
const PLAN: &[Floor] = &[
    Floor { room: "domain", lines: 8295, uses: &[], tests_use: &[] },
    Floor { room: "system", lines: 100, uses: &["domain"], tests_use: &[] },
    Floor { room: "testkit", lines: 0, uses: &["domain"], tests_use: &[] },
    Floor { room: "migrations", lines: 200, uses: &[], tests_use: &[] },
    Floor { room: "storage", lines: 6920, uses: &["domain", "migrations"], tests_use: &["testkit"] },
    Floor { room: "analytics", lines: 5130, uses: &["domain"], tests_use: &["testkit"] },
    Floor { room: "visitlog", lines: 9170, uses: &["domain", "analytics"], tests_use: &["system", "testkit"] },
    // Its tests move the visits of an embedded log.
    Floor { room: "clickhouse", lines: 3200, uses: &["domain", "analytics"], tests_use: &["testkit", "visitlog"] },
    Floor { room: "outbound", lines: 1720, uses: &["domain"], tests_use: &["testkit"] },
    Floor { room: "legacy", lines: 700, uses: &["domain"], tests_use: &["testkit"] },
    // Its example and its tests run the use cases over SQLite.
    Floor { room: "application", lines: 7715, uses: &["domain"], tests_use: &["storage", "system", "testkit"] },
    Floor { room: "problem", lines: 900, uses: &["domain", "application"], tests_use: &[] },
    Floor { room: "contract", lines: 8900, uses: &["domain", "application", "problem"], tests_use: &["testkit"] },
    // Redirects stand on it without the wire of links and statistics.
    Floor { room: "httpkit", lines: 1530, uses: &["domain", "application", "problem"], tests_use: &["testkit"] },
    Floor { room: "rest", lines: 3000, uses: &["domain", "application", "contract", "httpkit"], tests_use: &["storage", "testkit"] },
    Floor { room: "mcp", lines: 1600, uses: &["domain", "application", "contract", "httpkit"], tests_use: &["testkit"] },
    Floor { room: "redirect", lines: 2145, uses: &["domain", "application", "httpkit"], tests_use: &["storage", "system", "testkit"] },
    Floor { room: "oauth", lines: 1150, uses: &["domain", "application", "httpkit"], tests_use: &["testkit"] },
    Floor { room: "dashboard", lines: 700, uses: &["httpkit"], tests_use: &[] },
    Floor { room: "server", lines: 9580, tests_use: &["testkit"], uses: &[
        "domain", "system", "storage", "analytics", "visitlog", "clickhouse", "outbound", "legacy", "application", "contract",
        "httpkit", "rest", "mcp", "redirect", "oauth", "dashboard",
    ] },
    Floor { room: "xtask", lines: 2915, uses: &[], tests_use: &[] },
    Floor { room: "bench", lines: 0, uses: &["xtask"], tests_use: &[] },
];

/// The crates whose modules stand on floors, each with the modules at its root, the lowest first.
/// A module that its row does not name stands above them all.
#[rustfmt::skip]
const FLOORS: &[(&str, &[&str])] = &[
    ("visitlog", &["format", "file", "query"]),
    ("application", &[
        "caller", "access", "secret_text", "hashing", "attempts", "heatmap", "known_tokens", "error", "named_domains",
        "budgets", "passwords", "migration", "resolver", "domains", "gatekeeper", "links", "stats", "tokens", "auth",
    ]),
];

/// The only crates that may use each external technology, in tests too.
///
/// A technology with one user can be replaced in one place.
const HOMES: &[(&str, &[&str])] = &[
    ("actix-http", &["httpkit", "server"]),
    (
        "actix-web",
        &[
            "httpkit",
            "rest",
            "mcp",
            "redirect",
            "oauth",
            "dashboard",
            "server",
            "bench",
        ],
    ),
    ("aide", &["rest"]),
    ("anyhow", &["server", "xtask", "bench"]),
    ("argon2", &["application"]),
    ("clap", &["server", "xtask", "bench"]),
    ("csv", &["contract"]),
    (
        "flate2",
        &[
            "contract",
            "rest",
            "dashboard",
            "server",
            "analytics",
            "xtask",
        ],
    ),
    ("getrandom", &["system"]),
    ("hyper", &["outbound"]),
    ("icu_casemap", &["domain"]),
    ("icu_normalizer", &["domain"]),
    ("icu_properties", &["mcp"]),
    ("indicatif", &["server"]),
    ("jsonrpsee", &["mcp"]),
    ("jsonschema", &["server"]),
    ("pbkdf2", &["application"]),
    ("maxminddb", &["analytics", "xtask"]),
    ("opentelemetry", &["server"]),
    ("redis", &["legacy"]),
    (
        "rusqlite",
        &["analytics", "visitlog", "clickhouse", "storage", "testkit"],
    ),
    ("rustls", &["outbound"]),
    // In `server` for examples and tests that add an operation or a tool.
    (
        "schemars",
        &["problem", "contract", "rest", "mcp", "server"],
    ),
    ("sea-orm", &["storage", "migrations"]),
    ("sqlx", &["storage"]),
    ("tracing-opentelemetry", &["server"]),
    ("ua-parser", &["analytics"]),
    ("unicode-security", &["domain"]),
];

/// The only external crates that the lowest crate may use: no I/O, no serialization, no
/// runtime. Its tests may use others.
const GROUND: &[&str] = &[
    "async-trait",
    "icu_casemap",
    "icu_normalizer",
    "percent-encoding",
    "thiserror",
    "unicode-security",
    "url",
];

#[derive(Debug)]
struct Member {
    room: String,
    dependencies: Vec<Dependency>,
}

#[derive(Debug)]
struct Dependency {
    name: String,
    ours: bool,
    tests_only: bool,
}

fn members(metadata: &Value) -> Option<Vec<Member>> {
    metadata
        .get("packages")?
        .as_array()?
        .iter()
        .map(member)
        .collect()
}

fn member(package: &Value) -> Option<Member> {
    let dependencies = package.get("dependencies")?.as_array()?;
    Some(Member {
        room: room(package.get("name")?.as_str()?).to_owned(),
        dependencies: dependencies.iter().map(dependency).collect::<Option<_>>()?,
    })
}

fn dependency(entry: &Value) -> Option<Dependency> {
    // Only a workspace crate has neither a registry nor a repository.
    let ours = entry.get("source")?.is_null();
    let name = entry.get("name")?.as_str()?;
    Some(Dependency {
        name: if ours { room(name) } else { name }.to_owned(),
        ours,
        tests_only: entry.get("kind")?.as_str() == Some("dev"),
    })
}

fn room(package: &str) -> &str {
    match package {
        "slugline" => "server",
        other => other.strip_prefix("slugline-").unwrap_or(other),
    }
}

fn findings(members: &[Member]) -> Vec<String> {
    let mut findings = rows_without_member(members);
    for member in members {
        match PLAN.iter().find(|floor| floor.room == member.room) {
            Some(floor) => findings.extend(forbidden_edges(member, floor)),
            None => findings.push(format!("{}: has no row in the floor plan", member.room)),
        }
        findings.extend(strayed_technologies(member));
    }
    let ground = members.iter().filter(|member| member.room == "domain");
    findings.extend(ground.flat_map(ground_additions));
    findings
}

/// The findings about the imports within each crate.
fn findings_within(metadata: &Value) -> Result<Vec<String>> {
    let mut findings = Vec::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let room = room(
            package["name"]
                .as_str()
                .context("a package without a name")?,
        );
        findings.extend(above_budget(package, room)?);
        let row = FLOORS.iter().find(|(name, _)| *name == room);
        let floors = row.map_or(&[][..], |(_, floors)| floors);
        findings.extend(modules::findings(package, floors)?);
    }
    Ok(findings)
}

/// The finding about a crate with more lines than its row of the plan allows.
fn above_budget(package: &Value, room: &str) -> Result<Option<String>> {
    let row = PLAN
        .iter()
        .find(|floor| floor.room == room && floor.lines > 0);
    let manifest = package["manifest_path"].as_str().map(Path::new);
    let Some((row, folder)) = row.zip(manifest.and_then(Path::parent)) else {
        return Ok(None);
    };
    let (lines, most) = (budget::lines(folder)?, row.lines);
    let finding = || format!("{room}: {lines} lines of production code, and its budget is {most}");
    Ok((lines > most).then(finding))
}

fn rows_without_member(members: &[Member]) -> Vec<String> {
    let present: BTreeSet<&str> = members.iter().map(|member| member.room.as_str()).collect();
    PLAN.iter()
        .filter(|floor| !present.contains(floor.room))
        .map(|floor| format!("{}: stands in the floor plan but is no crate", floor.room))
        .collect()
}

fn forbidden_edges(member: &Member, floor: &Floor) -> Vec<String> {
    let allowed = |dependency: &Dependency| {
        let name = dependency.name.as_str();
        floor.uses.contains(&name) || (dependency.tests_only && floor.tests_use.contains(&name))
    };
    let forbidden = |dependency: &&Dependency| dependency.ours && !allowed(dependency);
    member
        .dependencies
        .iter()
        .filter(forbidden)
        .map(|edge| edge_finding(edge, floor))
        .collect()
}

fn edge_finding(edge: &Dependency, floor: &Floor) -> String {
    let dev = if edge.tests_only { " in its tests" } else { "" };
    format!(
        "{} -> {}: not in the floor plan{dev}; {} may use {}, and in its tests also {}",
        floor.room,
        edge.name,
        floor.room,
        list(floor.uses),
        list(floor.tests_use)
    )
}

fn strayed_technologies(member: &Member) -> Vec<String> {
    let homes_of = |name: &str| HOMES.iter().find(|(technology, _)| *technology == name);
    let strayed = |dependency: &Dependency| {
        let (technology, homes) = homes_of(&dependency.name)?;
        let (room, homes_list) = (&member.room, list(homes));
        let at_home = homes.contains(&room.as_str());
        (!at_home).then(|| format!("{room} -> {technology}: its home is {homes_list}"))
    };
    member.dependencies.iter().filter_map(strayed).collect()
}

fn ground_additions(member: &Member) -> Vec<String> {
    let added = |dependency: &&Dependency| {
        let shipped_from_outside = !dependency.ours && !dependency.tests_only;
        shipped_from_outside && !GROUND.contains(&dependency.name.as_str())
    };
    let finding = |dependency: &Dependency| {
        let (name, allowed) = (&dependency.name, list(GROUND));
        format!("domain -> {name}: the ground floor may use {allowed}")
    };
    let dependencies = member.dependencies.iter();
    dependencies.filter(added).map(finding).collect()
}

fn list(names: &[&str]) -> String {
    if names.is_empty() {
        "nothing".to_owned()
    } else {
        names.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A workspace with every room of the plan, and the given dependencies as `(room,
    /// dependency, kind)`.
    fn workspace(edges: &[(&str, &str, Option<&str>)]) -> Value {
        let package = |room: &str| {
            let edges = edges.iter().filter(|(from, ..)| *from == room);
            let dependencies: Vec<Value> = edges.map(|(_, to, kind)| entry(to, *kind)).collect();
            json!({ "name": package_name(room), "dependencies": dependencies })
        };
        let packages: Vec<Value> = PLAN.iter().map(|floor| package(floor.room)).collect();
        json!({ "packages": packages })
    }

    fn package_name(room: &str) -> String {
        match room {
            "server" => "slugline".to_owned(),
            "xtask" => "xtask".to_owned(),
            other => format!("slugline-{other}"),
        }
    }

    fn entry(name: &str, kind: Option<&str>) -> Value {
        let ours = name.starts_with("slugline");
        let source = if ours { Value::Null } else { json!("registry") };
        json!({ "name": name, "source": source, "kind": kind })
    }

    fn check(metadata: &Value) -> Vec<String> {
        findings(&members(metadata).expect("the shape of cargo metadata"))
    }

    #[test]
    fn edges_of_the_plan_are_accepted() {
        let edges = [
            ("rest", "slugline-contract", None),
            ("rest", "slugline-testkit", Some("dev")),
            ("server", "slugline-storage", Some("build")),
            ("domain", "url", None),
            ("domain", "rstest", Some("dev")),
            ("rest", "aide", None),
        ];
        assert_eq!(check(&workspace(&edges)), Vec::<String>::new());
    }

    #[test]
    fn forbidden_edge_is_named_with_what_is_allowed() {
        let findings = check(&workspace(&[("analytics", "slugline-storage", None)]));
        assert_eq!(
            findings,
            ["analytics -> storage: not in the floor plan; \
              analytics may use domain, and in its tests also testkit"]
        );
    }

    #[test]
    fn test_edge_is_forbidden_outside_tests() {
        assert_eq!(
            check(&workspace(&[("storage", "slugline-testkit", Some("dev"))])).len(),
            0
        );
        assert_eq!(
            check(&workspace(&[("storage", "slugline-testkit", None)])).len(),
            1
        );
    }

    #[test]
    fn member_without_row_is_found() {
        let mut metadata = workspace(&[]);
        let packages = metadata["packages"].as_array_mut().expect("packages");
        packages.push(json!({ "name": "slugline-common", "dependencies": [] }));
        assert_eq!(check(&metadata), ["common: has no row in the floor plan"]);
    }

    #[test]
    fn row_without_member_is_found() {
        let mut metadata = workspace(&[]);
        metadata["packages"]
            .as_array_mut()
            .expect("packages")
            .remove(0);
        assert_eq!(
            check(&metadata),
            ["domain: stands in the floor plan but is no crate"]
        );
    }

    #[test]
    fn technology_out_of_its_home_is_found_even_in_tests() {
        let findings = check(&workspace(&[("server", "redis", Some("dev"))]));
        assert_eq!(findings, ["server -> redis: its home is legacy"]);
    }

    #[test]
    fn ground_floor_takes_nothing_else_from_outside() {
        let findings = check(&workspace(&[("domain", "serde", None)]));
        assert_eq!(
            findings,
            [
                "domain -> serde: the ground floor may use async-trait, icu_casemap, \
                 icu_normalizer, percent-encoding, thiserror, unicode-security, url"
            ]
        );
    }

    #[test]
    fn homes_are_rooms_of_the_plan() {
        let rooms: Vec<&str> = PLAN.iter().map(|floor| floor.room).collect();
        let homes = HOMES.iter().flat_map(|(_, homes)| *homes);
        let arrows = PLAN
            .iter()
            .flat_map(|floor| floor.uses.iter().chain(floor.tests_use));
        for named in homes.chain(arrows) {
            assert!(rooms.contains(named), "{named} is no room");
        }
    }

    #[test]
    fn arrows_point_down() {
        let rooms: Vec<&str> = PLAN.iter().map(|floor| floor.room).collect();
        for (height, floor) in PLAN.iter().enumerate() {
            for used in floor.uses.iter().chain(floor.tests_use) {
                assert!(rooms[..height].contains(used), "{} -> {used}", floor.room);
            }
        }
    }
}
