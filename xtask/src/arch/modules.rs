//! Compares the imports within each crate with the plan: no circle of files, and no import
//! from a lower floor of modules to a higher one.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use cargo_metadata::{Package, Target};

use super::{
    circles::circles,
    source::modules,
    uses::{Uses, uses},
};

/// One line for each circle, and for each import that runs up, in all crates of a package but its
/// tests, examples and build script.
pub(super) fn findings(package: &Package, floors: &[&str]) -> Result<Vec<String>> {
    let shipped = |target: &&Target| target.is_lib() || target.is_bin() || target.is_proc_macro();
    let roots = package.targets.iter().filter(shipped);
    let findings = roots.map(|root| findings_in(root.src_path.as_std_path(), floors));
    Ok(findings.collect::<Result<Vec<_>>>()?.concat())
}

fn findings_in(root: &Path, floors: &[&str]) -> Result<Vec<String>> {
    let folder = root.parent().context("a source file lies in a folder")?;
    let uses = uses(&modules(root)?);
    let circles = circles(&uses);
    let circles = circles.iter().map(|files| circle_finding(files, &uses));
    Ok(circles.chain(ups(&uses, folder, floors)).collect())
}

fn circle_finding(files: &BTreeSet<&Path>, uses: &Uses) -> String {
    let within = |pair: &(PathBuf, PathBuf)| {
        files.contains(pair.0.as_path()) && files.contains(pair.1.as_path())
    };
    let ties = uses.iter().filter(|(pair, _)| within(pair));
    let ties = ties.map(|((user, home), names)| format!("\n  {}", tie(user, home, names)));
    format!(
        "a circle of {} files:{}",
        files.len(),
        ties.collect::<String>()
    )
}

fn ups(uses: &Uses, folder: &Path, floors: &[&str]) -> Vec<String> {
    // A file of no floor stands above them all.
    let height = |file: &Path| {
        let below = file.strip_prefix(folder).unwrap_or(file).with_extension("");
        let module = below.components().next()?;
        let module = module.as_os_str().to_str()?;
        floors.iter().position(|floor| *floor == module)
    };
    let runs_up = |(user, home): &(PathBuf, PathBuf)| {
        let highest = floors.len();
        height(user).unwrap_or(highest) < height(home).unwrap_or(highest)
    };
    let ups = uses.iter().filter(|(pair, _)| runs_up(pair));
    ups.map(|((user, home), names)| format!("up: {}", tie(user, home, names)))
        .collect()
}

fn tie(user: &Path, home: &Path, names: &BTreeSet<String>) -> String {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let (user, home) = (shown(user), shown(home));
    format!("{user} -> {home}: {}", names.join(", "))
}

fn shown(file: &Path) -> String {
    let root = xtask::process::root();
    file.strip_prefix(root)
        .unwrap_or(file)
        .display()
        .to_string()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// The findings in a crate with these files.
    fn check(files: &[(&str, &str)], floors: &[&str]) -> Vec<String> {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, code) in files {
            let file = folder.path().join(name);
            fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
            fs::write(file, code).expect("a file");
        }
        let root = folder.path().join("lib.rs");
        let findings = findings_in(&root, floors).expect("sources");
        let here = format!("{}/", folder.path().display());
        let findings = findings.iter().map(|finding| finding.replace(&here, ""));
        findings.collect()
    }

    #[test]
    fn a_circle_is_found_behind_names_that_are_handed_on() {
        let files = [
            ("lib.rs", "mod a; mod b; pub use b::Inner as B;"),
            ("a.rs", "use crate::B;\npub fn make() -> B { B }"),
            ("b/mod.rs", "mod inner; pub use self::inner::{Inner};"),
            (
                "b/inner.rs",
                "pub struct Inner; fn f() { super::super::a::make(); }",
            ),
        ];
        let circle =
            "a circle of 2 files:\n  a.rs -> b/inner.rs: Inner\n  b/inner.rs -> a.rs: make";
        assert_eq!(check(&files, &[]), [circle]);
    }

    #[test]
    fn every_way_to_name_a_file_counts() {
        let ways = [
            "use crate::{c::Other, b::{self, Name}};",
            "use super::b; fn f() { b::Name; }",
            "type T = Vec<crate::b::Name>;",
            "fn f() { println!(\"{}\", crate::b::Name); }",
            "fn f() { use crate::b::Name as Another; }",
            "mod inline { use super::super::b::Name; }",
        ];
        for way in ways {
            let files = [
                ("lib.rs", "mod a; mod b; mod c;"),
                ("a.rs", way),
                ("b.rs", "use crate::a::Mine; pub struct Name;"),
                ("c.rs", "pub struct Other;"),
            ];
            let circle = "a circle of 2 files:\n  a.rs -> b.rs: Name\n  b.rs -> a.rs: Mine";
            assert_eq!(check(&files, &[]), [circle], "{way}");
        }
    }

    #[test]
    fn a_derive_macro_of_the_same_name_hides_no_circle() {
        let files = [
            ("lib.rs", "mod a; mod b; pub use a::Error;"),
            (
                "a.rs",
                "use thiserror::Error; use crate::b::B; #[derive(Error)] pub enum Error {}",
            ),
            ("b.rs", "use crate::Error; pub struct B;"),
        ];
        let circle = "a circle of 2 files:\n  a.rs -> b.rs: B\n  b.rs -> a.rs: Error";
        assert_eq!(check(&files, &[]), [circle]);
    }

    #[test]
    fn tests_and_other_crates_do_not_count() {
        let files = [
            (
                "lib.rs",
                "mod a; mod b; use url::a::b; #[cfg(test)] mod tests;",
            ),
            ("a.rs", "use crate::b::B;"),
            (
                "b.rs",
                "pub struct B; impl B { #[cfg(test)] fn f() { crate::a::A; } }
                 #[cfg(test)] mod tests { use crate::a::A; }
                 #[cfg(test)] use crate::a::A;",
            ),
        ];
        assert_eq!(check(&files, &[]), Vec::<String>::new());
    }

    #[test]
    fn an_import_from_a_lower_floor_is_named() {
        let files = [
            ("lib.rs", "mod format; mod file; mod port; use format::F;"),
            ("format.rs", "use crate::file::tail::T; pub struct F;"),
            ("file/mod.rs", "pub mod tail; use crate::format::F;"),
            ("file/tail.rs", "use crate::port::P; pub struct T;"),
            ("port.rs", "pub struct P;"),
        ];
        assert_eq!(
            check(&files, &["format", "file"]),
            [
                "up: file/tail.rs -> port.rs: P",
                "up: format.rs -> file/tail.rs: T"
            ]
        );
    }
}
