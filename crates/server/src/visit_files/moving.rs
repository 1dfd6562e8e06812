//! `slugline visits move`: the visits of the embedded log, to ClickHouse.

use std::{path::PathBuf, sync::Arc};

use anyhow::{Context, bail};
use slugline_clickhouse::History;
use slugline_system::{OsRandom, SystemClock};
use slugline_visitlog::move_history;

use super::{clickhouse, existing, tell, through_spool};
use crate::{backup::journal, settings::Settings};

/// Moves all visits of the embedded log, each once, also if it was stopped before.
///
/// # Errors
/// No ClickHouse is set up, the embedded log is in use or damaged, or ClickHouse takes nothing.
/// Visits that have left the log are in ClickHouse or in the spool, and running this again goes on.
pub(crate) async fn run(settings: &Settings, from: Option<&str>) -> anyhow::Result<()> {
    /// Visits from one message to the next.
    const STEP: u64 = 1_000_000;

    let Some(target) = clickhouse(settings) else {
        bail!(
            "SLUGLINE_ANALYTICS_URL does not name a ClickHouse, such as \
             clickhouse+http://user:password@host:8123/slugline"
        );
    };
    let log = from.map_or_else(|| settings.embedded_log(), PathBuf::from);
    let log = existing(log)?;
    let _in_use = journal::use_files(settings)?;
    let mut told = 0;
    let mut so_far = 0;
    let mut hear = |visits| {
        so_far = visits;
        if visits / STEP > told {
            told = visits / STEP;
            tell(&format!("{visits} visits have left the log"));
        }
    };
    let moved = match History::open(
        through_spool(settings, target),
        Arc::new(SystemClock),
        Arc::new(OsRandom),
    )
    .await
    {
        Ok(into) => move_history(&log, &into, &OsRandom, &mut hear),
        Err(error) => Err(error.into()),
    };
    let moved = moved.with_context(|| {
        format!(
            "{so_far} visits have left {} this time; mend the cause and run this again, and the \
             others follow, each once",
            log.display()
        )
    })?;
    tell(&format!(
        "moved {} visits from {} to ClickHouse",
        moved.visits,
        log.display()
    ));
    if moved.damaged.is_empty() {
        return Ok(());
    }
    bail!(
        "some visits stay in the log, because it is damaged: {}; run `slugline doctor --rebuild` \
         on it, with SLUGLINE_ANALYTICS_URL naming the file, and then this again",
        moved.damaged.join("; ")
    );
}
