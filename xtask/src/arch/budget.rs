//! The budget: the lines of production code that each crate may have.
//!
//! A line counts unless it is blank, a comment or for tests: `tests`, `benches` and `examples`,
//! `tests.rs` and `fuzzing.rs`, and what stands behind `#[cfg(test)]`. Texts for visitors, in
//! `words`, do not count either.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use anyhow::Result;

/// The lines of production code in the folder of a crate.
pub(super) fn lines(folder: &Path) -> Result<usize> {
    let mut files = Vec::new();
    collect(folder, &mut files)?;
    let for_tests: BTreeSet<PathBuf> = files
        .iter()
        .flat_map(|(path, text)| test_modules(path, text))
        .collect();
    let shipped = files.iter().filter(|(path, _)| !for_tests.contains(path));
    Ok(shipped.map(|(_, text)| production_lines(text)).sum())
}

const NOT_COUNTED: [&str; 6] = ["bench", "benches", "examples", "target", "tests", "words"];

/// The source files in a folder and those below it, without files for tests.
fn collect(folder: &Path, files: &mut Vec<(PathBuf, String)>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            if !NOT_COUNTED.contains(&&*name) {
                collect(&path, files)?;
            }
        } else if name.ends_with(".rs") && !["tests.rs", "fuzzing.rs"].contains(&&*name) {
            let text = fs::read_to_string(&path)?;
            files.push((path, text));
        }
    }
    Ok(())
}

/// The files of the modules that a file declares for tests alone.
fn test_modules(path: &Path, text: &str) -> Vec<PathBuf> {
    let mut lines = text.lines();
    let mut found = Vec::new();
    while let Some(line) = lines.next() {
        let declared = is_for_tests(line).then(|| lines.next()).flatten();
        let module = declared.and_then(|line| line.strip_suffix(';')?.split_once("mod "));
        if let Some((_, name)) = module {
            let below = path.with_extension("").join(name).with_extension("rs");
            found.extend([path.with_file_name(name).with_extension("rs"), below]);
        }
    }
    found
}

fn is_for_tests(line: &str) -> bool {
    let line = line.trim();
    line.starts_with("#[cfg(test") || line.starts_with("#[cfg(all(test")
}

fn production_lines(text: &str) -> usize {
    let (mut count, mut open, mut state) = (0, 0, State::Production);
    for line in text.lines().map(str::trim) {
        if state == State::Production && is_for_tests(line) {
            state = State::Announced;
        }
        let braces = |brace| i32::try_from(line.matches(brace).count()).unwrap_or(i32::MAX);
        open += braces('{') - braces('}');
        state = match state {
            State::Tests if open > 0 => continue,
            State::Announced if line.contains('{') && open > 0 => State::Tests,
            State::Announced if !line.contains('{') && !line.ends_with(';') => State::Announced,
            State::Production => {
                count += usize::from(!line.is_empty() && !line.starts_with("//"));
                State::Production
            }
            State::Announced | State::Tests => State::Production,
        };
        open = if state == State::Tests { open } else { 0 };
    }
    count
}

/// Where a line of a file stands.
#[derive(PartialEq)]
enum State {
    Production,
    /// Behind `#[cfg(test)]`, before the item.
    Announced,
    /// In an item for tests.
    Tests,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_lines_comments_and_tests_do_not_count() {
        let text = "//! Doc.\n\nuse a;\n#[cfg(test)]\nuse b;\nfn c() {\n    // Why.\n    d();\n}\n\n\
                    #[cfg(all(test, unix))]\nmod tests {\n    fn e() {\n    }\n}\nfn f() {}\n";
        assert_eq!(production_lines(text), 5);
    }

    #[test]
    fn a_module_for_tests_is_a_file_beside_or_below() {
        let found = test_modules(Path::new("a/b.rs"), "#[cfg(test)]\nmod plans;\nmod list;\n");
        assert_eq!(found, [Path::new("a/plans.rs"), Path::new("a/b/plans.rs")]);
    }
}
