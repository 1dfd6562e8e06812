//! The visits as files, some days at a time: all of a large log would not fit onto the disk.

use std::{fs, path::Path};

use anyhow::Result;

use super::list::END;
use crate::bench::instance::{self, Binary};
use xtask::process;

const DAYS: u32 = 90;

/// The most visits of a file, some 4 GB.
const VISITS_OF_A_FILE: u32 = 8_000_000;

/// Exports the visits of an embedded log and passes each file on.
pub(super) fn each(
    binary: &Binary,
    log: &Path,
    visits: u32,
    scratch: &Path,
    mut pass_on: impl FnMut(&Path) -> Result<()>,
) -> Result<()> {
    let file = scratch.join("visits.csv");
    for (from, until) in spans(visits) {
        let mut export = instance::command(binary, log);
        export.args(["visits", "export", "--replace"]);
        export.args(["--start-at", &from.to_string()]);
        export.args(["--end-at", &(until - 1).to_string()]);
        process::run_quietly(export.arg(&file))?;
        pass_on(&file)?;
        fs::remove_file(&file)?;
    }
    Ok(())
}

/// Spans of whole days.
fn spans(visits: u32) -> Vec<(u32, u32)> {
    let files = visits.div_ceil(VISITS_OF_A_FILE).min(DAYS);
    let first = END - DAYS * 86_400;
    let begin = |file: u32| first + file * DAYS / files * 86_400;
    (0..files)
        .map(|file| (begin(file), begin(file + 1)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_whole_days_and_leave_none_out() {
        for visits in [1_000, 30_000_000, 100_000_000, u32::MAX] {
            let spans = spans(visits);
            assert_eq!(spans[0].0, END - DAYS * 86_400);
            assert_eq!(spans.last().unwrap().1, END);
            for both in spans.windows(2) {
                assert_eq!(both[0].1, both[1].0);
            }
            for (from, until) in spans {
                assert!(from < until && from % 86_400 == 0);
            }
        }
    }
}
