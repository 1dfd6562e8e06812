//! `--map`: the slugs that links get in place of those that they cannot have.

use std::{
    collections::HashMap,
    fs::{self, File},
    io::{self, Write},
    path::Path,
};

use anyhow::Context;

/// New slugs by old ones, and the file that proposals go to.
#[derive(Default)]
pub(super) struct SlugMap {
    new: HashMap<String, String>,
    proposals: Option<File>,
}

impl SlugMap {
    /// Reads lines such as `old,new`. A dry run makes the file if it is not there, and writes proposals.
    pub(super) fn open(path: Option<&Path>, dry_run: bool) -> anyhow::Result<Self> {
        let Some(path) = path else {
            return Ok(Self::default());
        };
        let told = || format!("--map {}", path.display());
        let mut map = Self::default();
        if dry_run && !path.exists() {
            map.proposals = Some(File::create_new(path).with_context(told)?);
            return Ok(map);
        }
        let text = fs::read_to_string(path).with_context(told)?;
        for line in text.trim_start_matches('\u{feff}').lines() {
            let pair = line.trim().rsplit_once(',');
            let (old, new) =
                pair.with_context(|| format!("{}: {line:?} is not OLD,NEW", told()))?;
            map.new.insert(old.to_owned(), new.to_owned());
        }
        Ok(map)
    }

    /// Returns the slug that a link gets.
    pub(super) fn renamed(&self, slug: String) -> String {
        self.new.get(&slug).cloned().unwrap_or(slug)
    }

    /// Proposes a slug in place of one that no link can have.
    pub(super) fn propose(&mut self, slug: &str) -> io::Result<()> {
        let Some(file) = &mut self.proposals else {
            return Ok(());
        };
        let words = slug.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        file.write_all(format!("{slug},{}\n", words.join("-")).as_bytes())
    }
}
