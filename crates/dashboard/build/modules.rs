//! The modules of `web`, joined into one file for the frame and one for each
//! page: fifty requests of a kilobyte each take seconds on a slow phone.
//!
//! It knows the syntax that the modules here are written in, not all of the
//! language: an import or a list of exports is one line, and nothing is exported
//! by default. Comments are left out.

use std::{collections::BTreeMap, fmt::Write as _, str};

use super::vendored;

/// Files by their path from the folder of the crate.
type Files = BTreeMap<String, Vec<u8>>;

/// The object through which joined modules find each other. A symbol keeps it apart from the names
/// that extensions of a browser add.
const REGISTRY: &str = "globalThis[Symbol.for('slugline modules')] ??= {}";

/// A file of joined modules.
pub(crate) struct Bundle {
    pub(crate) source: String,
    /// Modules that it holds.
    pub(crate) modules: Vec<String>,
    /// Modules that these import by `import()`.
    pub(crate) later: Vec<String>,
}

/// Joins a module with everything that it imports, but for what is loaded
/// before it and what it imports later, by `import()`.
pub(crate) fn bundle(files: &Files, entry: &str, before: &[String]) -> Bundle {
    let mut walk = Walk {
        files,
        modules: before.to_vec(),
        under_way: Vec::new(),
    };
    walk.visit(entry);
    let modules = walk.modules[before.len()..].to_vec();
    let mut source = format!("const modules = {REGISTRY};\n");
    let mut later = Vec::new();
    for path in &modules {
        if is_vendored(path) {
            let body = vendored::body(path, text(files, path), |import| resolve(path, import));
            writeln!(source, "modules['{path}'] ??= (() => {{\n{body}}})();")
                .expect("strings take it");
            continue;
        }
        let module = Module::read(files, path);
        later.extend(imported_later(path, &module.code, entry));
        let names = module.exports.join(", ");
        // Only the start of the page waits at its top level.
        let open = if names.is_empty() {
            "await (async () =>"
        } else {
            "(() =>"
        };
        writeln!(
            source,
            "modules['{path}'] ??= {open} {{\n{}return {{ {names} }};\n}})();",
            module.code
        )
        .expect("strings take it");
        if path == entry && !names.is_empty() {
            writeln!(source, "export const {{ {names} }} = modules['{entry}'];")
                .expect("strings take it");
        }
    }
    Bundle {
        source,
        modules,
        later,
    }
}

/// The modules of ours that code imports by `import('…')`. Such a path counts from the
/// file that the code ends up in.
fn imported_later(module: &str, code: &str, entry: &str) -> Vec<String> {
    let paths = code.split("import('").skip(1);
    let paths = paths
        .filter_map(|rest| rest.split_once('\''))
        .map(|(path, _)| path);
    let paths: Vec<String> = paths
        .map(|path| {
            let found = resolve(module, path);
            assert_eq!(
                found,
                resolve(entry, path),
                "{module} imports {path} later, so it has to be in the folder of {entry}"
            );
            found
        })
        .collect();
    paths
        .into_iter()
        .filter(|path| !is_vendored(path))
        .collect()
}

fn is_vendored(path: &str) -> bool {
    path.starts_with("vendor/")
}

/// Finds modules in the order in which they have to run.
struct Walk<'f> {
    files: &'f Files,
    modules: Vec<String>,
    under_way: Vec<String>,
}

impl Walk<'_> {
    fn visit(&mut self, path: &str) {
        assert!(
            !self.under_way.iter().any(|open| open == path),
            "{path} imports itself in a circle: {:?}",
            self.under_way
        );
        if self.modules.iter().any(|known| known == path) {
            return;
        }
        self.under_way.push(path.to_owned());
        for import in imports(text(self.files, path)) {
            self.visit(&resolve(path, import));
        }
        self.under_way.pop();
        self.modules.push(path.to_owned());
    }
}

/// A module of ours, taken apart.
#[derive(Default)]
struct Module {
    exports: Vec<String>,
    /// Everything else, with imports as look-ups.
    code: String,
}

impl Module {
    fn read(files: &Files, path: &str) -> Self {
        let mut module = Self::default();
        for line in without_comments(text(files, path)).lines() {
            module.add(path, line);
        }
        module
    }

    fn add(&mut self, path: &str, line: &str) {
        if line.starts_with("import ") {
            let import = imports(line).next();
            let import = import.unwrap_or_else(|| panic!("{path}: an import is one line: {line}"));
            let target = resolve(path, import);
            let names = match line.strip_prefix("import {") {
                Some(_) => format!("{{{}}}", between(line).0.replace(" as ", ": ")),
                None => format!("{{ default: {} }}", word_after(line, "import ")),
            };
            writeln!(self.code, "const {names} = modules['{target}'];").expect("strings take it");
        } else if let Some(list) = line.strip_prefix("export {") {
            let names = list.trim_end_matches(';').trim_end_matches('}');
            let names = names.split(',').map(|name| name.trim().to_owned());
            self.exports.extend(names);
        } else if let Some(declaration) = line.strip_prefix("export ") {
            self.exports.push(declared(path, declaration));
            writeln!(self.code, "{declaration}").expect("strings take it");
        } else {
            writeln!(self.code, "{line}").expect("strings take it");
        }
    }
}

/// The name of `const a = …`, `async function a(…` or `class A …`.
fn declared(path: &str, declaration: &str) -> String {
    let mut rest = declaration;
    for keyword in ["async ", "function ", "const ", "class "] {
        rest = rest.strip_prefix(keyword).unwrap_or(rest);
    }
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let name: String = rest.chars().take_while(|c| is_part(*c)).collect();
    assert!(
        !name.is_empty() && rest.len() < declaration.len(),
        "{path}: an export has one name: {declaration}"
    );
    name
}

/// The text between braces.
fn between(line: &str) -> (&str, &str) {
    let (_, rest) = line
        .split_once('{')
        .unwrap_or_else(|| panic!("names in braces: {line}"));
    rest.split_once('}')
        .unwrap_or_else(|| panic!("names in braces: {line}"))
}

/// The first word behind another.
fn word_after<'l>(line: &'l str, before: &str) -> &'l str {
    let mut words = line[before.len()..].split(' ');
    words.next().expect("something follows")
}

/// Comments are for those who read the source. They begin a line, or are types
/// within one.
fn without_comments(source: &str) -> String {
    let mut left = String::with_capacity(source.len());
    let mut inside = false;
    for line in source.lines() {
        let code = line.trim_start();
        inside |= code.starts_with("/**") && !code.contains("*/");
        let is_comment = inside || code.starts_with("//") || is_whole_comment(code);
        inside &= !code.contains("*/");
        if !is_comment {
            left.push_str(&without_types(line));
            left.push('\n');
        }
    }
    left
}

fn is_whole_comment(code: &str) -> bool {
    code.starts_with("/**") && code.find("*/").is_some_and(|end| end + 2 == code.len())
}

/// `(/** @type {any} */ (event))` is `((event))`.
fn without_types(line: &str) -> String {
    let mut parts = line.split("/** @");
    let mut left = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (_, rest) = part
            .split_once("*/")
            .unwrap_or_else(|| panic!("a type ends in its line: {line}"));
        left.push_str(rest);
    }
    left
}

fn text<'f>(files: &'f Files, path: &str) -> &'f str {
    let source = files
        .get(path)
        .unwrap_or_else(|| panic!("{path} is imported but is not there"));
    str::from_utf8(source).expect("modules are UTF-8")
}

/// The modules that statements name after `from`.
fn imports(source: &str) -> impl Iterator<Item = &str> {
    source.split(['\n', ';']).filter_map(|statement| {
        let statement = statement.trim();
        let begins = ["import", "export"];
        if !begins.iter().any(|begin| statement.starts_with(begin)) {
            return None;
        }
        let (_, rest) = statement.rsplit_once("from")?;
        let rest = rest.trim();
        let quote = rest
            .chars()
            .next()
            .filter(|first| matches!(first, '\'' | '"'))?;
        rest.strip_prefix(quote)?.strip_suffix(quote)
    })
}

/// `./b.js` seen from `web/a.js` is `web/b.js`.
fn resolve(module: &str, import: &str) -> String {
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
