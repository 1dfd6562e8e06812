//! Takes back an import.

use std::{
    io::{self, Write},
    path::Path,
};

use slugline_application::{BatchResult, Error};
use slugline_contract::Problem;

use super::{LinksLeft, open, report};
use crate::{databases, progress, settings::Settings};

/// Links that are removed at a time. Their changes share commits.
const AT_A_TIME: usize = 100;

/// Removes the links that the runs of a report made and nobody changed since. They go to the trash.
///
/// # Errors
/// [`LinksLeft`], or the reason it stopped.
pub(crate) fn run(settings: &Settings, report: &Path) -> anyhow::Result<()> {
    databases::refuse_missing(settings)?;
    let ids: Vec<_> = report::made(report)?.into_iter().collect();
    let links = open(settings)?;
    let line = progress::line("removed", Some(u64::try_from(ids.len())?));
    let (mut removed, mut left) = (0_usize, 0_usize);
    for ids in ids.chunks(AT_A_TIME) {
        let ids = ids.iter().cloned().collect();
        let undo = links.service.delete_unchanged(&ids);
        for BatchResult { key, outcome } in links.runtime.block_on(undo).map_err(Problem::from)? {
            match outcome {
                Ok(_) => removed += 1,
                Err(Error::Outdated(_)) => {
                    left += 1;
                    line.suspend(|| writeln!(io::stderr(), "{key}: changed since, so it stays"))?;
                }
                Err(error) => return Err(Problem::from(error).into()),
            }
        }
        line.inc(u64::try_from(ids.len())?);
    }
    line.finish_and_clear();
    writeln!(
        io::stderr(),
        "removed {removed} links, which the trash keeps; left {left} that were changed since"
    )?;
    match left {
        0 => Ok(()),
        left => Err(LinksLeft(left, "taken back").into()),
    }
}
