//! The regular expressions of `uap-core`.
//!
//! `data/uap-core/regexes.yaml` is the project's own file, unchanged;
//! `docs/adr/` says how to update it. It uses a small part of YAML: three lists
//! of entries, each a few texts in single quotes. This module reads that part
//! line by line and rejects any other line, which a test would notice. So no
//! YAML library is needed.

use std::{
    borrow::Cow,
    sync::{LazyLock, OnceLock},
};

use ua_parser::{device, os, user_agent};

use super::filter::{Filter, Source};

/// The families that the expressions find; empty if they find none.
#[derive(Debug, Default)]
pub(super) struct Found<'u> {
    pub(super) family: Cow<'u, str>,
    pub(super) os: Cow<'u, str>,
    /// The family of devices: `iPhone`, `Samsung SM-S918B`, `Spider` for bots.
    pub(super) device: Cow<'u, str>,
    pub(super) brand: Cow<'u, str>,
    pub(super) model: Cow<'u, str>,
}

/// Matches the expressions. The first call in a process reads them. Each is
/// compiled when the first text comes that it may match: all of them compiled
/// would take 40 MB. The time of a call is proportional to the text, because
/// the crate `regex` does not backtrack.
pub(super) fn find(user_agent: &str) -> Found<'_> {
    let program = LISTS
        .programs
        .first(user_agent, |it| it.extract(user_agent));
    let system = LISTS.systems.first(user_agent, |it| it.extract(user_agent));
    let device = LISTS.devices.first(user_agent, |it| it.extract(user_agent));
    let (device, brand, model) = device.map_or_else(Default::default, |found| {
        (found.device, found.brand, found.model)
    });
    Found {
        family: program.map_or_else(Cow::default, |found| found.family),
        os: system.map_or_else(Cow::default, |found| found.os),
        device,
        brand: brand.unwrap_or_default(),
        model: model.unwrap_or_default(),
    }
}

static LISTS: LazyLock<Lists> = LazyLock::new(|| {
    let file = include_str!("../../data/uap-core/regexes.yaml");
    Lists::read(file).expect("a test has read the same file")
});

/// The three lists of the file.
struct Lists {
    programs: List<user_agent::Extractor<'static>>,
    systems: List<os::Extractor<'static>>,
    devices: List<device::Extractor<'static>>,
}

impl Lists {
    fn read(file: &'static str) -> Result<Self, String> {
        let (mut programs, mut systems, mut devices) = (Vec::new(), Vec::new(), Vec::new());
        for entry in entries(file)? {
            match entry.list {
                "user_agent_parsers" => programs.push(entry),
                "os_parsers" => systems.push(entry),
                "device_parsers" => devices.push(entry),
                other => return Err(format!("unknown list {other}")),
            }
        }
        Ok(Self {
            programs: List::new(programs, Entry::program)?,
            systems: List::new(systems, Entry::system)?,
            devices: List::new(devices, Entry::device)?,
        })
    }
}

/// Expressions; the first one that matches decides.
struct List<E> {
    filter: Filter,
    entries: Vec<(Entry, OnceLock<E>)>,
    compile: fn(&Entry) -> Result<E, String>,
}

impl<E> List<E> {
    fn new(entries: Vec<Entry>, compile: fn(&Entry) -> Result<E, String>) -> Result<Self, String> {
        let sources = entries.iter().map(Entry::source);
        Ok(Self {
            filter: Filter::new(sources)?,
            entries: entries
                .into_iter()
                .map(|entry| (entry, OnceLock::new()))
                .collect(),
            compile,
        })
    }

    /// The result of the first expression that matches and yields one.
    fn first<'l, F>(&'l self, text: &str, find: impl FnMut(&'l E) -> Option<F>) -> Option<F> {
        let candidates = self.filter.candidates(text).into_iter();
        candidates.map(|index| self.compiled(index)).find_map(find)
    }

    fn compiled(&self, index: usize) -> &E {
        let (entry, compiled) = &self.entries[index];
        compiled.get_or_init(|| (self.compile)(entry).expect("a test has compiled the same entry"))
    }
}

/// One entry of a list: names and texts.
struct Entry {
    list: &'static str,
    members: Vec<(&'static str, Cow<'static, str>)>,
}

impl Entry {
    fn take(&self, name: &str) -> Option<Cow<'static, str>> {
        let found = self.members.iter().find(|(member, _)| *member == name);
        found.map(|(_, text)| text.clone())
    }

    fn regex(&self) -> Cow<'static, str> {
        self.take("regex").unwrap_or_default()
    }

    fn source(&self) -> Source<'_> {
        let regex = self.members.iter().find(|(member, _)| *member == "regex");
        Source {
            regex: regex.map_or("", |(_, text)| text),
            ignores_case: self.take("regex_flag").is_some(),
        }
    }

    /// Leaves out versions, which the log does not store.
    fn program(&self) -> Result<user_agent::Extractor<'static>, String> {
        let parser = user_agent::Parser {
            regex: self.regex(),
            family_replacement: self.take("family_replacement"),
            ..user_agent::Parser::default()
        };
        let builder = user_agent::Builder::new()
            .push(parser)
            .map_err(|error| error.to_string())?;
        builder.build().map_err(|error| error.to_string())
    }

    fn system(&self) -> Result<os::Extractor<'static>, String> {
        let parser = os::Parser {
            regex: self.regex(),
            os_replacement: self.take("os_replacement"),
            ..os::Parser::default()
        };
        let builder = os::Builder::new()
            .push(parser)
            .map_err(|error| error.to_string())?;
        builder.build().map_err(|error| error.to_string())
    }

    fn device(&self) -> Result<device::Extractor<'static>, String> {
        let parser = device::Parser {
            regex: self.regex(),
            regex_flag: match self.take("regex_flag").as_deref() {
                None => None,
                Some("i") => Some(device::Flag::IgnoreCase),
                Some(other) => return Err(format!("unknown flag {other}")),
            },
            device_replacement: self.take("device_replacement"),
            brand_replacement: self.take("brand_replacement"),
            model_replacement: self.take("model_replacement"),
        };
        let builder = device::Builder::new()
            .push(parser)
            .map_err(|error| error.to_string())?;
        builder.build().map_err(|error| error.to_string())
    }
}

/// The entries of all lists, in order: the first expression that matches
/// decides.
fn entries(file: &'static str) -> Result<Vec<Entry>, String> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut list = "";
    for (number, line) in (1..).zip(file.lines()) {
        let unknown = || format!("line {number} has an unknown form: {line}");
        let content = line.trim();
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        if let Some(name) = line.strip_suffix(':') {
            list = name;
        } else if let Some(first) = line.strip_prefix("  - ") {
            let members = vec![member(first).ok_or_else(unknown)?];
            entries.push(Entry { list, members });
        } else if let Some(next) = line.strip_prefix("    ") {
            let entry = entries.last_mut().ok_or_else(unknown)?;
            entry.members.push(member(next).ok_or_else(unknown)?);
        } else {
            return Err(unknown());
        }
    }
    Ok(entries)
}

/// `name: 'text'`, where two quotes in the text stand for one.
fn member(text: &'static str) -> Option<(&'static str, Cow<'static, str>)> {
    let (name, value) = text.split_once(": ")?;
    let value = value.trim();
    if value == "null" {
        return Some((name, "".into()));
    }
    let quoted = value.strip_prefix('\'')?.strip_suffix('\'')?;
    let unquoted = quoted.replace("''", "");
    let text = if quoted.contains("''") {
        quoted.replace("''", "'").into()
    } else {
        quoted.into()
    };
    (!unquoted.contains('\'')).then_some((name, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_file_is_understood() {
        let entries = entries(include_str!("../../data/uap-core/regexes.yaml")).unwrap();
        let count = |list| entries.iter().filter(|entry| entry.list == list).count();
        assert_eq!(count("user_agent_parsers"), 362);
        assert_eq!(count("os_parsers"), 201);
        assert_eq!(count("device_parsers"), 633);
        assert!(entries.iter().all(|entry| !entry.regex().is_empty()));
    }

    #[test]
    fn every_expression_compiles() {
        fn compile_all<E>(list: &List<E>) {
            for (entry, _) in &list.entries {
                if let Err(error) = (list.compile)(entry) {
                    panic!("{}: {error}", entry.regex());
                }
            }
        }
        compile_all(&LISTS.programs);
        compile_all(&LISTS.systems);
        compile_all(&LISTS.devices);
    }

    #[test]
    fn texts_are_read_with_their_quotes() {
        assert_eq!(member("a: 'b: c'").unwrap(), ("a", "b: c".into()));
        assert_eq!(member("a: 'it''s'").unwrap(), ("a", "it's".into()));
        assert_eq!(member("a: null").unwrap(), ("a", "".into()));
        for other in ["a: b", "a: 'b", "a: 'b'c'", "a: \"b\"", "a"] {
            assert_eq!(member(other), None, "{other}");
        }
    }

    #[test]
    fn lines_of_other_forms_are_errors() {
        for file in [
            "list:\n- regex: 'a'",
            "list:\n    regex: 'a'",
            "a: 'b'",
            "list:\n  - x",
        ] {
            assert!(entries(file).is_err(), "{file}");
        }
        let error = Lists::read("other:\n  - regex: 'a'").err().unwrap();
        assert_eq!(error, "unknown list other");
    }
}
