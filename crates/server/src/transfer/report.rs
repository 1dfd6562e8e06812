//! The fate of each link of an import, for a person and for `--undo`.
//!
//! A report is a file of JSON lines that grows with each run. Before links are written, a line `making` names
//! the ids that no link has yet, so that the report knows of every link that the run can have made, also if
//! the process dies before it says what became of them.

use std::{
    collections::BTreeSet,
    fs::{File, OpenOptions},
    io::{self, BufRead, BufReader, Write},
    path::Path,
};

use anyhow::Context;
use serde_json::{Value, json};
use slugline_domain::LinkId;

/// The file of a report; nothing without one.
pub(super) struct Report(Option<File>);

impl Report {
    /// Opens the file, or makes it, and begins a run.
    pub(super) fn begin(path: Option<&Path>, of: &str, dry_run: bool) -> anyhow::Result<Self> {
        let opened = path.map(|path| {
            let file = OpenOptions::new().append(true).create(true).open(path);
            file.with_context(|| format!("the report {} cannot be written", path.display()))
        });
        let mut report = Self(opened.transpose()?);
        if let Some(file) = &mut report.0
            && file.metadata()?.len() > 0
        {
            // The last line of a run that died has no end.
            writeln!(file)?;
        }
        report.say(&json!({"import": of, "dryRun": dry_run}))?;
        Ok(report)
    }

    pub(super) fn is_kept(&self) -> bool {
        self.0.is_some()
    }

    pub(super) fn say(&mut self, line: &Value) -> io::Result<()> {
        let file = self.0.as_mut();
        file.map_or(Ok(()), |file| {
            file.write_all(format!("{line}\n").as_bytes())
        })
    }
}

/// Returns the ids of the links that the runs of a report made, or may have made before they died.
pub(super) fn made(path: &Path) -> anyhow::Result<BTreeSet<LinkId>> {
    let file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
    let (mut made, mut is_dry) = (BTreeSet::new(), None);
    let id = |id: &Value| LinkId::parse(id.as_str()?).ok();
    for line in BufReader::new(file).split(b'\n') {
        // A process that died left a part of its last line, perhaps half a character.
        let line: Value = serde_json::from_slice(&line?).unwrap_or_default();
        is_dry = line["dryRun"].as_bool().or(is_dry);
        if is_dry != Some(false) {
            continue;
        }
        let making = line["making"].as_array();
        made.extend(making.into_iter().flatten().filter_map(id));
        match (id(&line["id"]), line["outcome"].as_str()) {
            (Some(id), Some("made")) => drop(made.insert(id)),
            (Some(id), Some(outcome)) if outcome != "same" => drop(made.remove(&id)),
            _ => {}
        }
    }
    is_dry.with_context(|| format!("{} is no report of an import", path.display()))?;
    Ok(made)
}
