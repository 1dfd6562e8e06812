//! The modules of `web`, joined into one file for the frame and one for each
//! page: fifty requests of a kilobyte each take seconds on a slow phone.
//!
//! It knows the syntax that the modules here are written in, not all of the
//! language: an import or a list of exports is one line, and nothing is exported
//! by default. Vendored modules are left as they are.

use std::{collections::BTreeMap, fmt::Write as _, str};

/// Files by their path from the folder of the crate.
type Files = BTreeMap<String, Vec<u8>>;

/// Where joined modules find each other. A symbol keeps it apart from the names
/// that extensions of a browser add.
const REGISTRY: &str = "globalThis[Symbol.for('slugline modules')] ??= {}";

/// A file of joined modules.
pub(crate) struct Bundle {
    pub(crate) source: String,
    /// Own modules that it holds.
    pub(crate) modules: Vec<String>,
    /// Vendored modules that it imports, and those that they import.
    pub(crate) vendored: Vec<String>,
}

/// Joins a module with everything that it imports, but for what is loaded
/// before it. What is imported by `import()` stays apart.
pub(crate) fn bundle(files: &Files, entry: &str, before: &[String]) -> Bundle {
    let mut walk = Walk {
        files,
        modules: before.to_vec(),
        vendored: Vec::new(),
        under_way: Vec::new(),
    };
    walk.visit(entry);
    let Walk {
        modules, vendored, ..
    } = walk;
    let modules = modules[before.len()..].to_vec();
    let mut head = String::new();
    let mut body = format!("const modules = {REGISTRY};\n");
    let mut exported = Vec::new();
    for path in &modules {
        let module = Module::read(files, path);
        for line in &module.vendor_imports {
            writeln!(head, "{}", beside_entry(line, path, entry)).expect("strings take it");
        }
        let names = module.exports.join(", ");
        // Only the start of the page waits at its top level.
        let (open, close) = if names.is_empty() {
            ("await (async () =>", "();")
        } else {
            ("(() =>", "();")
        };
        writeln!(
            body,
            "modules['{path}'] ??= {open} {{\n{}return {{ {names} }};\n}}){close}",
            module.code
        )
        .expect("strings take it");
        if path == entry {
            exported = module.exports;
        }
    }
    if !exported.is_empty() {
        let names = exported.join(", ");
        writeln!(body, "export const {{ {names} }} = modules['{entry}'];")
            .expect("strings take it");
    }
    Bundle {
        source: head + &body,
        modules,
        vendored,
    }
}

/// Finds modules in the order in which they have to run.
struct Walk<'f> {
    files: &'f Files,
    modules: Vec<String>,
    vendored: Vec<String>,
    under_way: Vec<String>,
}

impl Walk<'_> {
    fn visit(&mut self, path: &str) {
        assert!(
            !self.under_way.iter().any(|open| open == path),
            "{path} imports itself in a circle: {:?}",
            self.under_way
        );
        let found = if path.starts_with("vendor/") {
            &self.vendored
        } else {
            &self.modules
        };
        if found.iter().any(|known| known == path) {
            return;
        }
        self.under_way.push(path.to_owned());
        for import in imports(text(self.files, path)) {
            self.visit(&resolve(path, import));
        }
        self.under_way.pop();
        if path.starts_with("vendor/") {
            self.vendored.push(path.to_owned());
        } else {
            self.modules.push(path.to_owned());
        }
    }
}

/// A module of ours, taken apart.
#[derive(Default)]
struct Module {
    vendor_imports: Vec<String>,
    exports: Vec<String>,
    /// Everything else, with imports as look-ups.
    code: String,
}

impl Module {
    fn read(files: &Files, path: &str) -> Self {
        let mut module = Self::default();
        for line in text(files, path).lines() {
            module.add(path, line);
        }
        module
    }

    fn add(&mut self, path: &str, line: &str) {
        if line.starts_with("import ") {
            let import = imports(line).next();
            let import = import.unwrap_or_else(|| panic!("{path}: an import is one line: {line}"));
            let target = resolve(path, import);
            if target.starts_with("vendor/") {
                self.vendor_imports.push(line.to_owned());
                return;
            }
            let (names, _) = between(line);
            let names = names.replace(" as ", ": ");
            writeln!(self.code, "const {{{names}}} = modules['{target}'];")
                .expect("strings take it");
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

/// What stands between braces.
fn between(line: &str) -> (&str, &str) {
    let (_, rest) = line
        .split_once('{')
        .unwrap_or_else(|| panic!("names in braces: {line}"));
    rest.split_once('}')
        .unwrap_or_else(|| panic!("names in braces: {line}"))
}

/// An import of `module`, as it stands in a file at the place of `entry`.
fn beside_entry(line: &str, module: &str, entry: &str) -> String {
    let import = imports(line).next().expect("is an import");
    let up = "../".repeat(entry.matches('/').count());
    line.replace(import, &format!("{up}{}", resolve(module, import)))
}

fn text<'f>(files: &'f Files, path: &str) -> &'f str {
    let source = files
        .get(path)
        .unwrap_or_else(|| panic!("{path} is imported but is not there"));
    str::from_utf8(source).expect("modules are UTF-8")
}

/// What follows `from` at the end of a statement.
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
