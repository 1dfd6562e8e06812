//! Which modules a page needs before it can show anything.

use std::{
    collections::{BTreeMap, BTreeSet},
    str,
};

/// The module and everything that it imports, directly or not. What is imported
/// by `import()` comes later, when a page is opened.
pub(crate) fn needed_at_once(files: &BTreeMap<String, Vec<u8>>, module: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut waiting = vec![module.to_owned()];
    while let Some(path) = waiting.pop() {
        let source = files
            .get(&path)
            .unwrap_or_else(|| panic!("{path} is imported but is not there"));
        let source = str::from_utf8(source).expect("modules are UTF-8");
        if found.insert(path.clone()) {
            waiting.extend(imports(source).map(|import| beside(&path, import)));
        }
    }
    found
}

/// What follows `from` or `import` at the end of a statement, as the modules
/// here are written: one statement ends on one line.
fn imports(source: &str) -> impl Iterator<Item = &str> {
    source.split(['\n', ';']).filter_map(|statement| {
        let statement = statement.trim();
        let begins = ["import", "export", "}"];
        if !begins.iter().any(|begin| statement.starts_with(begin)) {
            return None;
        }
        let rest = match statement.rsplit_once("from") {
            Some((_, rest)) => rest,
            None => statement.strip_prefix("import ")?,
        };
        let rest = rest.trim();
        let quote = rest
            .chars()
            .next()
            .filter(|first| matches!(first, '\'' | '"'))?;
        rest.strip_prefix(quote)?.strip_suffix(quote)
    })
}

/// `./b.js` seen from `web/a.js` is `web/b.js`.
fn beside(module: &str, import: &str) -> String {
    let mut parts: Vec<&str> = module.split('/').collect();
    parts.pop();
    for part in import.split('/') {
        match part {
            "." => {}
            ".." => {
                parts.pop();
            }
            name => parts.push(name),
        }
    }
    parts.join("/")
}
