//! Vendored modules as they are published: on one line, imports first, names of
//! what they export last.

use std::fmt::Write as _;

/// A module, as the body of a function that returns what it exports.
pub(crate) fn body(path: &str, source: &str, resolve: impl Fn(&str) -> String) -> String {
    let source = source.trim_end();
    let source = source
        .rsplit_once("//# sourceMappingURL=")
        .map_or(source, |(code, _)| code);
    let mut head = String::new();
    let mut exported = Vec::new();
    let mut rest = source;
    loop {
        if let Some(import) = rest.strip_prefix("import{") {
            let (names, target, after) = from_clause(path, import);
            let names = names.replace(" as ", ":");
            let target = resolve(target);
            write!(head, "const{{{names}}}=modules['{target}'];").expect("strings take it");
            rest = after;
        } else if let Some(export) = rest.strip_prefix("export{") {
            let (names, target, after) = from_clause(path, export);
            let target = resolve(target);
            exported.extend(
                names
                    .split(',')
                    .map(|name| format!("{name}:modules['{target}'].{name}")),
            );
            rest = after;
        } else {
            break;
        }
    }
    let code = if let Some((code, names)) = rest.rsplit_once("export{") {
        let names = names.trim_end_matches(';').strip_suffix('}');
        let names = names.unwrap_or_else(|| panic!("{path}: exports stand at the end"));
        exported.extend(names.split(',').map(|name| match name.split_once(" as ") {
            Some((own, public)) => format!("{public}:{own}"),
            None => name.to_owned(),
        }));
        code.to_owned()
    } else {
        exported.push("default:main".to_owned());
        rest.replacen("export default function(", "const main=function(", 1)
    };
    assert!(
        !code.contains("export ") && !code.contains("export{"),
        "{path}: an export that the build does not know"
    );
    format!("{head}{code};\nreturn {{ {} }};\n", exported.join(", "))
}

/// Names, where they are from, and what follows.
fn from_clause<'s>(path: &str, source: &'s str) -> (&'s str, &'s str, &'s str) {
    let parts = source.split_once("}from\"").and_then(|(names, rest)| {
        let (target, after) = rest.split_once("\";")?;
        Some((names, target, after))
    });
    parts.unwrap_or_else(|| panic!("{path}: an import that the build does not know"))
}
