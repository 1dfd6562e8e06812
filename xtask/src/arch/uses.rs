//! Which file of a crate uses which other, and what it takes from there.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

use super::source::Module;

/// For each pair of files, user first, the names that the one takes from the other.
pub(super) type Uses = BTreeMap<(PathBuf, PathBuf), BTreeSet<String>>;

/// Finds the file behind each path of the modules.
///
/// A name that a `use` hands on counts for the file that defines it. So a `mod.rs` that only
/// declares modules and hands their names on is neither a user nor used.
pub(super) fn uses(modules: &[Module]) -> Uses {
    let mut uses = Uses::new();
    for (at, module) in modules.iter().enumerate() {
        for path in &module.paths {
            let Some((home, name)) = definition(modules, at, path) else {
                continue;
            };
            let pair = (module.file.clone(), modules[home].file.clone());
            if pair.0 != pair.1 {
                uses.entry(pair).or_default().insert(name.to_owned());
            }
        }
    }
    uses
}

/// The most imports that may lie between a name and its definition, so that two that name each
/// other end.
const HOPS_MAX: usize = 16;

/// The module that defines what a path names, and the name there. `None` for a path into
/// another crate, and for a module as a whole: the paths that begin with it count.
fn definition<'a>(
    modules: &'a [Module],
    at: usize,
    path: &'a [String],
) -> Option<(usize, &'a str)> {
    match find(modules, at, path, false, HOPS_MAX)? {
        Found::Module(_) => None,
        Found::Name(home, name) => Some((home, name)),
    }
}

enum Found<'a> {
    Module(usize),
    Name(usize, &'a str),
}

/// Follows a path from a module. `within` is true once the path has entered a module of the
/// crate; before that, an unknown name belongs to another crate or to the scope of a function.
fn find<'a>(
    modules: &'a [Module],
    at: usize,
    path: &'a [String],
    within: bool,
    hops: usize,
) -> Option<Found<'a>> {
    let Some((first, rest)) = path.split_first() else {
        return Some(Found::Module(at));
    };
    let module = &modules[at];
    let hops = hops.checked_sub(1)?;
    let next = match first.as_str() {
        "crate" => Some(0),
        "self" => Some(at),
        "super" => Some(module.parent?),
        name => module.children.get(name).copied(),
    };
    if let Some(next) = next {
        return find(modules, next, rest, true, hops);
    }
    match module.aliases.get(first) {
        // `use url::Url` names the crate, not itself.
        Some(behind) if behind != path => match find(modules, at, behind, false, hops) {
            Some(Found::Module(home)) => find(modules, home, rest, true, hops),
            // A derive macro of another crate has the name of an item here.
            None if within => Some(Found::Name(at, first)),
            found => found,
        },
        _ if within => Some(Found::Name(at, first)),
        _ => None,
    }
}
