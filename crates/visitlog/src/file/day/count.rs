//! Computes the totals of a day in a pass over its chunks.

use slugline_analytics::{columns::Family, utc::day_of};
use slugline_domain::SamplingInterval;

use super::values::{Seen, ValueCounts};
use crate::{
    file::{
        chunk::Chunk,
        day_totals::{Encoded, span},
        error::EngineError,
        salted_days,
        snapshot::Snapshot,
    },
    format::{
        block::Block,
        chunk::{ChunkError, Encoder},
        mixed::mixed,
        moments::{QUARTERS, VisitorSums, quarter_of},
        selection::{index, number},
    },
};

/// Names of columns.
pub(crate) const VISITS: &str = "visits";
pub(crate) const VISITORS: &str = "visitors";
pub(crate) const INTERVAL_MAX: &str = "interval_max";

/// The rows whose visitors are in memory at the same time: some 20 MB.
const ROWS_AT_A_TIME: u64 = 1 << 19;

/// Counts the rows of a day's chunks; `None` if there are none. A damaged chunk is an error: totals
/// without its rows would be wrong, and no answer would say so.
pub(crate) fn count(snapshot: &Snapshot<'_>, day: i64) -> Result<Option<Encoded>, EngineError> {
    let apart = salted_days::is_apart(snapshot.db(), day)?;
    let mut counts = Counts::default();
    each_block(snapshot, day, |block| counts.add(block))?;
    if counts.rows == 0 {
        return Ok(None);
    }
    let mut sums = VisitorSums::default();
    if apart {
        let shares = counts.coherent / ROWS_AT_A_TIME + 1;
        for share in 0..shares {
            let mut seen = Vec::new();
            each_block(snapshot, day, |block| {
                counts.collect(block, (share, shares), &mut seen);
            })?;
            seen.sort_unstable_by_key(|row| (row.visitor, row.quarter));
            for rows in seen.chunk_by(|one, next| one.visitor == next.visitor) {
                snapshot.check()?;
                sums.add(rows.iter().map(|row| (row.quarter, row.interval)));
                counts.values.add_visitor(rows);
            }
        }
    }
    let rows = u32::try_from(counts.rows).unwrap_or(u32::MAX);
    let mut encoder = Encoder::new(span(day, rows));
    encoder.numbers(INTERVAL_MAX, &[counts.interval_max.get().into()]);
    encoder.numbers(VISITS, &counts.visits);
    if apart {
        encoder.numbers(VISITORS, &sums.numbers());
    }
    counts.values.encode(index(rows), apart, &mut encoder);
    let (directory, parts) = encoder.finish();
    Ok(Some(Encoded {
        rows,
        directory,
        parts,
    }))
}

/// Passes the blocks of all rows of a day's chunks to `see`.
fn each_block(
    snapshot: &Snapshot<'_>,
    day: i64,
    mut see: impl FnMut(&Block),
) -> Result<(), EngineError> {
    let sql = format!(
        "SELECT {} FROM chunk WHERE day = ?1 ORDER BY id",
        Chunk::COLUMNS
    );
    let mut statement = snapshot.db().prepare_cached(&sql)?;
    let mut chunks = statement.query([day])?;
    while let Some(row) = chunks.next()? {
        snapshot.check()?;
        let chunk = Chunk::read(snapshot.db(), row)?;
        let mut block = Block::whole(&chunk)?;
        block.derive();
        let is_of_day = |row: usize| day_of(block.time.at(row)) == day;
        if !(0..block.rows).all(is_of_day) {
            return Err(EngineError::Chunk {
                id: chunk.id,
                source: ChunkError::Value { column: "ts" },
            });
        }
        see(&block);
    }
    Ok(())
}

/// The numbers that the first pass counts.
#[derive(Debug)]
struct Counts {
    rows: u64,
    /// The number of coherent rows, which count for visitors.
    coherent: u64,
    interval_max: SamplingInterval,
    visits: Vec<u64>,
    values: ValueCounts,
}

impl Default for Counts {
    fn default() -> Self {
        Self {
            rows: 0,
            coherent: 0,
            interval_max: SamplingInterval::EVERY,
            visits: vec![0; QUARTERS],
            values: ValueCounts::default(),
        }
    }
}

impl Counts {
    fn add(&mut self, block: &Block) {
        self.rows += number(block.rows);
        self.interval_max = self.interval_max.max(block.largest_interval());
        for row in 0..block.rows {
            let quarter = quarter_of(block.time.at(row));
            self.visits[usize::from(quarter)] += u64::from(block.interval.at(row));
            self.coherent += u64::from(block.coherent.at(row) == 1);
        }
        self.values.add(block);
    }

    /// Collects the coherent rows of a share of all visitors.
    fn collect(&mut self, block: &Block, (share, shares): (u64, u64), seen: &mut Vec<Seen>) {
        let entries = Family::ALL.map(|family| self.values.entries(block, family));
        let codes = Family::ALL.map(|family| block.codes(family));
        for row in 0..block.rows {
            let visitor = block.visitor.at(row);
            if block.coherent.at(row) == 1 && mixed(visitor) % shares == share {
                seen.push(Seen {
                    visitor,
                    quarter: quarter_of(block.time.at(row)),
                    interval: block.interval.at(row),
                    entries: std::array::from_fn(|family| {
                        let entry = codes[family].at(row);
                        entries[family].get(index(entry)).copied().unwrap_or(0)
                    }),
                });
            }
        }
    }
}
