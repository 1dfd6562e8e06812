//! The modules of a crate: their files, the names that they import and the paths in their code.
//!
//! Code of tests is left out. The crates glob only in tests, so a glob imports nothing here.

use std::{
    collections::BTreeMap,
    fs, mem,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use syn::{
    Attribute, ImplItemFn, ItemFn, ItemImpl, ItemMod, ItemUse, Macro, UseTree, Visibility,
    visit::{self, Visit},
};

/// A path as the code spells it, such as `["super", "links", "find"]`.
pub(super) type Names = Vec<String>;

/// A module of a crate, in a file of its own or within its parent's.
#[derive(Debug, Default)]
pub(super) struct Module {
    pub(super) parent: Option<usize>,
    pub(super) file: PathBuf,
    pub(super) children: BTreeMap<String, usize>,
    /// Names that a `use` makes known here, each with the path behind it.
    pub(super) aliases: BTreeMap<String, Names>,
    /// The paths in the code. A `pub use` is none: it hands a name on.
    pub(super) paths: Vec<Names>,
    /// The folder of the files of the modules below.
    folder: PathBuf,
}

/// Reads all modules of the crate with this root file, the root first.
pub(super) fn modules(root: &Path) -> Result<Vec<Module>> {
    let mut reader = Reader::default();
    let folder = root.parent().context("a source file lies in a folder")?;
    reader.add(None, root.to_owned(), folder.to_owned());
    reader.unread.push(0);
    while let Some(at) = reader.unread.pop() {
        reader.at = at;
        let file = &reader.modules[at].file;
        let text = fs::read_to_string(file).with_context(|| format!("{}", file.display()))?;
        let code = syn::parse_file(&text);
        let code = code.with_context(|| format!("{} is not Rust", file.display()))?;
        reader.visit_file(&code);
    }
    Ok(reader.modules)
}

#[derive(Default)]
struct Reader {
    modules: Vec<Module>,
    /// The module whose code is being read.
    at: usize,
    /// Modules whose files are still to be read.
    unread: Vec<usize>,
}

impl Reader {
    fn add(&mut self, parent: Option<usize>, file: PathBuf, folder: PathBuf) -> usize {
        self.modules.push(Module {
            parent,
            file,
            folder,
            ..Module::default()
        });
        self.modules.len() - 1
    }

    fn import(&mut self, start: &Names, tree: &UseTree, public: bool) {
        let below = |name: &dyn ToString| [start.as_slice(), &[name.to_string()]].concat();
        let (name, path) = match tree {
            UseTree::Path(path) => return self.import(&below(&path.ident), &path.tree, public),
            UseTree::Group(group) => {
                let trees = group.items.iter();
                return trees.for_each(|tree| self.import(start, tree, public));
            }
            UseTree::Glob(_) => return,
            UseTree::Name(name) if name.ident == "self" => (start.last().cloned(), start.clone()),
            UseTree::Name(name) => (Some(name.ident.to_string()), below(&name.ident)),
            UseTree::Rename(name) if name.ident == "self" => {
                (Some(name.rename.to_string()), start.clone())
            }
            UseTree::Rename(name) => (Some(name.rename.to_string()), below(&name.ident)),
        };
        let module = &mut self.modules[self.at];
        if !public {
            module.paths.push(path.clone());
        }
        module.aliases.extend(name.map(|name| (name, path)));
    }
}

impl Visit<'_> for Reader {
    fn visit_item_mod(&mut self, item: &ItemMod) {
        if is_for_tests(&item.attrs) {
            return;
        }
        let name = item.ident.to_string();
        let parent = &self.modules[self.at];
        let folder = parent.folder.join(&name);
        let file = match item.content {
            Some(_) => parent.file.clone(),
            None => Some(folder.with_extension("rs"))
                .filter(|beside| beside.exists())
                .unwrap_or_else(|| folder.join("mod.rs")),
        };
        let child = self.add(Some(self.at), file, folder);
        self.modules[self.at].children.insert(name, child);
        if item.content.is_some() {
            let outer = mem::replace(&mut self.at, child);
            visit::visit_item_mod(self, item);
            self.at = outer;
        } else {
            self.unread.push(child);
        }
    }

    fn visit_item_use(&mut self, item: &ItemUse) {
        let public = !matches!(item.vis, Visibility::Inherited);
        if !is_for_tests(&item.attrs) {
            self.import(&Names::new(), &item.tree, public);
        }
    }

    fn visit_item_fn(&mut self, item: &ItemFn) {
        if !is_for_tests(&item.attrs) {
            visit::visit_item_fn(self, item);
        }
    }

    fn visit_item_impl(&mut self, item: &ItemImpl) {
        if !is_for_tests(&item.attrs) {
            visit::visit_item_impl(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &ImplItemFn) {
        if !is_for_tests(&item.attrs) {
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_path(&mut self, path: &syn::Path) {
        if path.leading_colon.is_none() {
            let names = path.segments.iter().map(|part| part.ident.to_string());
            self.modules[self.at].paths.push(names.collect());
        }
        visit::visit_path(self, path);
    }

    /// Reads the arguments of a macro as words, because only the macro knows their grammar.
    fn visit_macro(&mut self, call: &Macro) {
        let text = call.tokens.to_string().replace(" :: ", "::");
        let words = text.split(|c: char| !(c.is_alphanumeric() || "_:".contains(c)));
        let paths = words.map(|word| word.split("::").map(str::to_owned).collect());
        self.modules[self.at].paths.extend(paths);
        visit::visit_macro(self, call);
    }
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    let says_test = |attribute: &Attribute| {
        let condition = attribute.parse_args::<syn::Ident>();
        attribute.path().is_ident("cfg") && condition.is_ok_and(|name| name == "test")
    };
    attributes.iter().any(says_test)
}
