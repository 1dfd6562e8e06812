//! Visits that were stored before the log recorded when it sampled.
//!
//! The rows tell less than a record would. A day counts as one on which nothing was sampled if no
//! row of it was, and no minute of it, or of the day before, came near the targets of sampling: a
//! target is spent at the earliest in a minute with more than half of its rows.

use std::{collections::HashMap, num::NonZeroU32, time::Duration};

use rusqlite::{Connection, TransactionBehavior};
use slugline_analytics::{
    SamplingTargets,
    sampled::{
        Span,
        table::{replace_unproved, unproved_until},
    },
    utc::{MILLIS_PER_DAY, day_of},
};
use slugline_domain::{SamplingInterval, UnixMillis, UnixSeconds, VisitFilter};

use super::{filter::RowFilter, plan::Plan};
use crate::{
    file::{deadline::Deadline, error::EngineError, snapshot::Snapshot, tail},
    format::column::Column,
};

/// The time for one day.
const PATIENCE: Duration = Duration::from_mins(10);

const MILLIS_PER_MINUTE: i64 = 60_000;

/// Looks at the visits of older versions once, and records the days on which visits may have been
/// sampled. It assumes that the targets were never below today's and the default ones. If it fails,
/// answers about all of that time stay inexact, and the next start tries again.
pub(crate) fn prove(db: &mut Connection, targets: SamplingTargets) -> Result<(), EngineError> {
    let Some(last) = unproved_until(db)? else {
        return Ok(());
    };
    // Later visits have a record, also on the same day.
    let until_last = |span: Span| Span {
        until: span.until.min(last),
        ..span
    };
    let most = Most::below(targets);
    let mut spans = Vec::new();
    let mut suspects = 0;
    for day in days(db)? {
        let found = look(db, day)?;
        if !found.is_suspect(most) {
            continue;
        }
        suspects += 1;
        // Sampling may go on after midnight.
        for day in [day, day + 1] {
            spans.push(until_last(Span {
                interval: None,
                ..Span::day_of(start_of(day), SamplingInterval::EVERY)
            }));
        }
        if found.interval_max > SamplingInterval::EVERY {
            spans.push(until_last(Span::day_of(start_of(day), found.interval_max)));
        }
    }
    if suspects > 0 {
        tracing::info!(
            days = suspects,
            "an older version may have sampled visits of so many days; answers about them, and \
             about the days after them, are not exact"
        );
    }
    spans.retain(|span| span.from <= span.until);
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    replace_unproved(&tx, &spans)?;
    tx.commit()?;
    Ok(())
}

/// The most rows of a minute that prove that nothing was sampled.
#[derive(Clone, Copy, Debug)]
struct Most {
    per_link: u32,
    overall: u32,
}

impl Most {
    fn below(targets: SamplingTargets) -> Self {
        let default = SamplingTargets::default();
        let half = |target: Option<NonZeroU32>, default: Option<NonZeroU32>| {
            let targets = [target, default].into_iter().flatten();
            targets.min().map_or(0, |target| target.get() / 2)
        };
        Self {
            per_link: half(targets.per_link, default.per_link),
            overall: half(targets.overall, default.overall),
        }
    }
}

/// The evidence in the rows of a day.
#[derive(Clone, Copy, Debug)]
struct Day {
    interval_max: SamplingInterval,
    /// The most rows of a minute, of one link and of all.
    most: Most,
    is_damaged: bool,
}

impl Day {
    fn is_suspect(&self, most: Most) -> bool {
        self.is_damaged
            || self.interval_max > SamplingInterval::EVERY
            || self.most.per_link > most.per_link
            || self.most.overall > most.overall
    }
}

/// The days that have visits, in order.
fn days(db: &Connection) -> Result<Vec<i64>, EngineError> {
    let mut days: Vec<i64> = db
        .prepare("SELECT DISTINCT day FROM chunk")?
        .query_map([], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    days.extend(tail::times(db)?.into_iter().map(day_of));
    days.sort_unstable();
    days.dedup();
    Ok(days)
}

fn look(db: &Connection, day: i64) -> Result<Day, EngineError> {
    let snapshot = Snapshot::take(db, Deadline::after(PATIENCE))?;
    let second = |ms: i64| UnixSeconds::new(ms.div_euclid(1_000)).ok();
    let start = start_of(day).get();
    let filter = RowFilter::resolve(
        db,
        &VisitFilter::default()
            .with_from(second(start))
            .with_until(second(start.saturating_add(MILLIS_PER_DAY - 1))),
    )?;
    let mut minutes: HashMap<(i64, i64), u32> = HashMap::new();
    let mut largest = 1;
    let columns = [Column::Time, Column::Link, Column::Interval];
    snapshot.scan(&Plan::of_rows(&filter), &columns, |block| {
        for row in 0..block.rows {
            let minute = block.time.at(row).div_euclid(MILLIS_PER_MINUTE);
            *minutes.entry((minute, block.link.at(row))).or_default() += 1;
            largest = largest.max(block.interval.at(row));
        }
        Ok(())
    })?;
    let mut overall: HashMap<i64, u32> = HashMap::new();
    for (&(minute, _), rows) in &minutes {
        *overall.entry(minute).or_default() += rows;
    }
    Ok(Day {
        interval_max: SamplingInterval::new(largest).unwrap_or(SamplingInterval::EVERY),
        most: Most {
            per_link: minutes.into_values().max().unwrap_or(0),
            overall: overall.into_values().max().unwrap_or(0),
        },
        is_damaged: snapshot.damaged_rows() > 0,
    })
}

fn start_of(day: i64) -> UnixMillis {
    UnixMillis::new(day.saturating_mul(MILLIS_PER_DAY))
}
