//! Computes the totals of a day in a pass over its chunks.

use slugline_analytics::{
    columns::Family,
    moments::{QUARTERS, VisitorSums, quarter_of},
    utc::day_of,
};

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
        column::Column,
        mixed::mixed,
        selection::{Selection, index, number},
    },
};

/// Names of columns.
pub(crate) const VISITS: &str = "visits";
pub(crate) const VISITORS: &str = "visitors";
pub(crate) const VISIT_VARIANCE: &str = "visit_variance";
pub(crate) const VISITOR_VARIANCE: &str = "visitor_variance";

/// The rows whose visitors are in memory at the same time: some 20 MB.
const ROWS_AT_A_TIME: u64 = 1 << 19;

/// Counts the rows of a day's chunks; `None` if there are none. A damaged chunk is an error: totals
/// without its rows would be wrong, and no answer would say so.
pub(crate) fn count(snapshot: &Snapshot<'_>, day: i64) -> Result<Option<Encoded>, EngineError> {
    let apart = salted_days::is_apart(snapshot.db(), day)?;
    let mut counts = Counts::default();
    each_block(snapshot, day, |block, chunk| counts.add(block, chunk))?;
    if counts.rows == 0 {
        return Ok(None);
    }
    let mut sums = VisitorSums::default();
    if apart {
        let shares = counts.coherent / ROWS_AT_A_TIME + 1;
        for share in 0..shares {
            let mut seen = Vec::new();
            each_block(snapshot, day, |block, chunk| {
                counts.collect(block, chunk, (share, shares), &mut seen)
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
    encoder.numbers(VISITS, &counts.visits);
    if apart {
        for (quarter, variance) in (0..).zip(counts.by_chance) {
            sums.add_chance(quarter, variance);
        }
        let (visitors, variance) = sums.numbers();
        encoder.numbers(VISITORS, &visitors);
        if let Some([of_visits, of_visitors]) = variance {
            encoder.numbers(VISIT_VARIANCE, &of_visits);
            encoder.numbers(VISITOR_VARIANCE, &of_visitors);
        }
    }
    counts.values.encode(index(rows), apart, &mut encoder);
    let (directory, parts) = encoder.finish();
    Ok(Some(Encoded {
        rows,
        directory,
        parts,
    }))
}

/// Passes the blocks of all rows of a day's chunks to `see`, without texts.
fn each_block(
    snapshot: &Snapshot<'_>,
    day: i64,
    mut see: impl FnMut(Block, &Chunk<'_>) -> Result<(), EngineError>,
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
        let block = Block::essential(&chunk)?;
        let is_of_day = |row: usize| day_of(block.time.at(row)) == day;
        if !(0..block.rows).all(is_of_day) {
            return Err(EngineError::Chunk {
                id: chunk.id,
                source: ChunkError::Value { column: "ts" },
            });
        }
        see(block, &chunk)?;
    }
    Ok(())
}

/// The numbers that the first pass counts.
#[derive(Debug)]
struct Counts {
    rows: u64,
    /// The number of coherent rows, which count for visitors.
    coherent: u64,
    visits: Vec<u64>,
    /// The variance of visits that chance kept, by quarter.
    by_chance: Vec<u64>,
    values: ValueCounts,
}

impl Default for Counts {
    fn default() -> Self {
        Self {
            rows: 0,
            coherent: 0,
            visits: vec![0; QUARTERS],
            by_chance: vec![0; QUARTERS],
            values: ValueCounts::default(),
        }
    }
}

impl Counts {
    /// Counts a block of the first pass.
    fn add(&mut self, mut block: Block, chunk: &Chunk<'_>) -> Result<(), EngineError> {
        self.rows += number(block.rows);
        for row in 0..block.rows {
            let quarter = usize::from(quarter_of(block.time.at(row)));
            let interval = u64::from(block.interval.at(row));
            self.visits[quarter] += interval;
            if block.coherent.at(row) == 1 {
                self.coherent += 1;
            } else {
                let variance = interval * interval.saturating_sub(1);
                self.by_chance[quarter] = self.by_chance[quarter].saturating_add(variance);
            }
        }
        for family in Family::ALL {
            // The entries are used at once: another family's texts may change their numbers.
            if let Some(entries) = self.entries(&mut block, chunk, family)? {
                let visits = block.visits_of_entries(family);
                self.values.add(family, &entries, &visits);
            }
        }
        Ok(())
    }

    /// Collects the coherent rows of a share of all visitors.
    fn collect(
        &mut self,
        mut block: Block,
        chunk: &Chunk<'_>,
        (share, shares): (u64, u64),
        seen: &mut Vec<Seen>,
    ) -> Result<(), EngineError> {
        let mut entries = [const { None }; Family::ALL.len()];
        for family in Family::ALL {
            entries[family.index()] = self.entries(&mut block, chunk, family)?;
        }
        for row in 0..block.rows {
            let visitor = block.visitor.at(row);
            if block.coherent.at(row) == 1 && mixed(visitor) % shares == share {
                let of_family = |family: Family| {
                    let entries = entries[family.index()].as_ref()?;
                    entries.get(index(block.codes(family).at(row))).copied()
                };
                seen.push(Seen {
                    visitor,
                    quarter: quarter_of(block.time.at(row)),
                    interval: block.interval.at(row),
                    entries: Family::ALL.map(|family| of_family(family).unwrap_or(0)),
                });
            }
        }
        Ok(())
    }

    /// The number in [`ValueCounts`] of each entry of a family in a block; `None` if none of the
    /// family's columns is counted any more. The texts of only one family are in memory at a time.
    fn entries(
        &mut self,
        block: &mut Block,
        chunk: &Chunk<'_>,
        family: Family,
    ) -> Result<Option<Vec<u32>>, EngineError> {
        for column in self.values.counted(family) {
            block.load(chunk, Column::Text(column), &Selection::All)?;
        }
        let entries = self.values.entries(block, family);
        for &column in family.columns() {
            block.texts[column] = None;
        }
        Ok(entries)
    }
}
