//! README and the pages in `docs`: how long they are, where their links lead, and what their
//! commands do.

mod commands;
mod pages;
mod visitors;

use std::fs;

use crate::support::repository;

/// A page, by its path in the repository.
struct Page {
    path: String,
    text: String,
}

impl Page {
    fn read(path: &str) -> Self {
        let text = fs::read_to_string(repository(path));
        Self {
            path: path.to_owned(),
            text: text.unwrap_or_else(|error| panic!("{path}: {error}")),
        }
    }
}

/// README and every page of `docs`, decisions included.
fn pages() -> Vec<Page> {
    let mut paths = vec!["README.md".to_owned()];
    for folder in ["docs", "docs/adr"] {
        for entry in fs::read_dir(repository(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|kind| kind == "md") {
                let name = path.file_name().unwrap().display();
                paths.push(format!("{folder}/{name}"));
            }
        }
    }
    paths.sort();
    paths.iter().map(|path| Page::read(path)).collect()
}
