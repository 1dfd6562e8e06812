//! `cargo xtask arch`: compares the crates' dependencies, and the imports within each crate,
//! with the plan.

mod budget;
mod circles;
mod modules;
mod source;
mod uses;

use anyhow::{Context, Result};
use cargo_metadata::{DependencyKind, Package};

use xtask::process;

/// Fails, with one line per finding, if a manifest breaks the plan.
pub(crate) fn run() -> Result<()> {
    let packages = process::metadata("--no-deps")?.packages;
    let members: Vec<_> = packages.iter().map(Member::from).collect();
    let mut found = findings(&members);
    for package in &packages {
        found.extend(findings_within(package)?);
    }
    process::none(&found, "against the floor plan in xtask/src/arch.rs")?;
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
    Floor { room: "domain", lines: 8346, uses: &[], tests_use: &[] },
    Floor { room: "system", lines: 100, uses: &["domain"], tests_use: &[] },
    Floor { room: "testkit", lines: 0, uses: &["domain"], tests_use: &[] },
    Floor { room: "migrations", lines: 200, uses: &[], tests_use: &[] },
    Floor { room: "storage", lines: 6920, uses: &["domain", "migrations"], tests_use: &["testkit"] },
    Floor { room: "analytics", lines: 5115, uses: &["domain"], tests_use: &["testkit"] },
    Floor { room: "visitlog", lines: 9162, uses: &["domain", "analytics"], tests_use: &["system", "testkit"] },
    // Its tests move the visits of an embedded log.
    Floor { room: "clickhouse", lines: 3200, uses: &["domain", "analytics"], tests_use: &["testkit", "visitlog"] },
    Floor { room: "outbound", lines: 1720, uses: &["domain"], tests_use: &["testkit"] },
    Floor { room: "legacy", lines: 760, uses: &["domain"], tests_use: &["testkit"] },
    // Its example and its tests run the use cases over SQLite.
    Floor { room: "application", lines: 7745, uses: &["domain"], tests_use: &["storage", "system", "testkit"] },
    Floor { room: "problem", lines: 900, uses: &["domain", "application"], tests_use: &[] },
    Floor { room: "contract", lines: 9375, uses: &["domain", "application", "problem"], tests_use: &["testkit"] },
    // Redirects stand on it without the wire of links and statistics.
    Floor { room: "httpkit", lines: 1530, uses: &["domain", "application", "problem"], tests_use: &["testkit"] },
    Floor { room: "rest", lines: 3010, uses: &["domain", "application", "contract", "httpkit"], tests_use: &["storage", "testkit"] },
    Floor { room: "mcp", lines: 1600, uses: &["domain", "application", "contract", "httpkit"], tests_use: &["testkit"] },
    Floor { room: "redirect", lines: 2145, uses: &["domain", "application", "httpkit"], tests_use: &["storage", "system", "testkit"] },
    Floor { room: "oauth", lines: 1150, uses: &["domain", "application", "httpkit"], tests_use: &["testkit"] },
    Floor { room: "dashboard", lines: 700, uses: &["httpkit"], tests_use: &[] },
    Floor { room: "server", lines: 9860, tests_use: &["testkit"], uses: &[
        "domain", "system", "storage", "analytics", "visitlog", "clickhouse", "outbound", "legacy", "application", "contract",
        "httpkit", "rest", "mcp", "redirect", "oauth", "dashboard",
    ] },
    Floor { room: "xtask", lines: 2699, uses: &[], tests_use: &[] },
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
    ("cargo_metadata", &["xtask"]),
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
        &[
            "analytics",
            "visitlog",
            "clickhouse",
            "storage",
            "legacy",
            "testkit",
        ],
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

struct Member {
    room: String,
    dependencies: Vec<Dependency>,
}

struct Dependency {
    name: String,
    ours: bool,
    tests_only: bool,
}

impl From<&Package> for Member {
    fn from(package: &Package) -> Self {
        let dependency = |entry: &cargo_metadata::Dependency| Dependency {
            name: room(&entry.name).to_owned(),
            // Only a workspace crate has neither a registry nor a repository.
            ours: entry.source.is_none(),
            tests_only: entry.kind == DependencyKind::Development,
        };
        Self {
            room: room(&package.name).to_owned(),
            dependencies: package.dependencies.iter().map(dependency).collect(),
        }
    }
}

fn room(package: &str) -> &str {
    match package {
        "slugline" => "server",
        other => other.strip_prefix("slugline-").unwrap_or(other),
    }
}

fn findings(members: &[Member]) -> Vec<String> {
    let mut findings = Vec::new();
    for floor in PLAN {
        if !members.iter().any(|member| member.room == floor.room) {
            let room = floor.room;
            findings.push(format!("{room}: stands in the floor plan but is no crate"));
        }
    }
    for member in members {
        let edges = member.dependencies.iter();
        match PLAN.iter().find(|floor| floor.room == member.room) {
            Some(floor) => findings.extend(edges.filter_map(|edge| finding(edge, floor))),
            None => findings.push(format!("{}: has no row in the floor plan", member.room)),
        }
    }
    findings
}

/// The finding about a dependency that the plan lacks.
fn finding(edge: &Dependency, floor: &Floor) -> Option<String> {
    let (room, name) = (floor.room, edge.name.as_str());
    let home = HOMES.iter().find(|(technology, _)| *technology == name);
    let why = match home {
        _ if edge.ours => {
            let in_tests = edge.tests_only && floor.tests_use.contains(&name);
            if in_tests || floor.uses.contains(&name) {
                return None;
            }
            let dev = if edge.tests_only { " in its tests" } else { "" };
            let (uses, tests_use) = (list(floor.uses), list(floor.tests_use));
            format!(
                "not in the floor plan{dev}; {room} may use {uses}, and in its tests also {tests_use}"
            )
        }
        Some((_, homes)) if !homes.contains(&room) => format!("its home is {}", list(homes)),
        _ if room == "domain" && !edge.tests_only && !GROUND.contains(&name) => {
            format!("the ground floor may use {}", list(GROUND))
        }
        _ => return None,
    };
    Some(format!("{room} -> {name}: {why}"))
}

/// The findings about the imports and the size of a crate.
fn findings_within(package: &Package) -> Result<Vec<String>> {
    let room = room(&package.name);
    let row = FLOORS.iter().find(|(name, _)| *name == room);
    let floors = row.map_or(&[][..], |(_, floors)| floors);
    let mut findings = modules::findings(package, floors)?;
    let folder = package.manifest_path.parent();
    let lines = budget::lines(folder.context("a manifest lies in a folder")?.as_std_path())?;
    for Floor { lines: most, .. } in PLAN.iter().filter(|floor| floor.room == room) {
        if *most > 0 && lines > *most {
            findings.push(format!(
                "{room}: {lines} lines of production code, and its budget is {most}"
            ));
        }
    }
    Ok(findings)
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
    use super::*;

    /// A workspace with every room of the plan, and the given dependencies as `(room,
    /// dependency, whether only its tests need it)`.
    fn workspace(edges: &[(&str, &str, bool)]) -> Vec<Member> {
        let member = |floor: &Floor| {
            let edges = edges.iter().filter(|(from, ..)| *from == floor.room);
            let dependencies = edges.map(|&(_, to, tests_only)| Dependency {
                name: room(to).to_owned(),
                ours: to.starts_with("slugline"),
                tests_only,
            });
            Member {
                room: floor.room.to_owned(),
                dependencies: dependencies.collect(),
            }
        };
        PLAN.iter().map(member).collect()
    }

    #[test]
    fn edges_of_the_plan_are_accepted() {
        let edges = [
            ("rest", "slugline-contract", false),
            ("rest", "slugline-testkit", true),
            ("server", "slugline-storage", false),
            ("domain", "url", false),
            ("domain", "rstest", true),
            ("rest", "aide", false),
        ];
        assert_eq!(findings(&workspace(&edges)), Vec::<String>::new());
    }

    #[test]
    fn forbidden_edge_is_named_with_what_is_allowed() {
        let findings = findings(&workspace(&[("analytics", "slugline-storage", false)]));
        assert_eq!(
            findings,
            ["analytics -> storage: not in the floor plan; \
              analytics may use domain, and in its tests also testkit"]
        );
    }

    #[test]
    fn test_edge_is_forbidden_outside_tests() {
        for tests_only in [true, false] {
            let edge = ("storage", "slugline-testkit", tests_only);
            assert_eq!(findings(&workspace(&[edge])).is_empty(), tests_only);
        }
    }

    #[test]
    fn member_without_row_and_row_without_member_are_found() {
        let mut members = workspace(&[]);
        members[0].room = "common".to_owned();
        let found = [
            "domain: stands in the floor plan but is no crate",
            "common: has no row in the floor plan",
        ];
        assert_eq!(findings(&members), found);
    }

    #[test]
    fn technology_out_of_its_home_is_found_even_in_tests() {
        let findings = findings(&workspace(&[("server", "redis", true)]));
        assert_eq!(findings, ["server -> redis: its home is legacy"]);
    }

    #[test]
    fn ground_floor_takes_nothing_else_from_outside() {
        let findings = findings(&workspace(&[("domain", "serde", false)]));
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
