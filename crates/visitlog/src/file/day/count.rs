//! Computes the totals of a day in a pass over its chunks.

use slugline_analytics::{
    columns::{Family, text_of},
    moments::{QUARTERS, VisitorSums, quarter_of},
    utc::day_of,
};
use slugline_domain::{Bots, Dimension, SplitMix64};

use super::{
    entries::Visits,
    segment::Segment,
    values::{Seen, ValueCounts},
};
use crate::{
    file::{
        chunk::Chunk,
        day_totals::{Columns, Encoded, span},
        error::EngineError,
        salted_days,
        snapshot::Snapshot,
    },
    format::{
        block::{Block, Column},
        chunk::{ChunkError, Encoder},
        selection::{Selection, index, number},
        values::Values,
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
    let rows = u32::try_from(counts.rows).unwrap_or(u32::MAX);
    let mut sums = SegmentSums::default();
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
                sums.add(rows);
                counts.values.add_visitor(rows);
            }
        }
    }
    let mut encoders = Segment::EACH.map(|_| Encoder::new(span(day, rows)));
    for (segment, sums) in Segment::EACH.into_iter().zip(sums.of_each()) {
        let quarters = counts.quarters_of(segment);
        let encoder = &mut encoders[segment.index()];
        quarters.encode(segment, apart.then_some(sums), encoder);
    }
    let as_index = usize::try_from(counts.rows).unwrap_or(usize::MAX);
    counts.values.encode((as_index, apart), &mut encoders);
    let records = encoders.map(|encoder| {
        let (directory, parts) = encoder.finish();
        Columns { directory, parts }
    });
    Ok(Some(Encoded { rows, records }))
}

/// Passes the rows of a day's chunks to `see`, without texts.
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
        let block = Block::essential(&chunk, &Selection::All)?;
        let is_of_day = |row: usize| day_of(block.time.at(row)) == day;
        if !(0..block.rows).all(is_of_day) {
            return Err(chunk.damaged(ChunkError::Value { column: "ts" }));
        }
        see(block, &chunk)?;
    }
    Ok(())
}

/// The sums of visitors who are only people, who are only bots, and who are both.
#[derive(Debug, Default)]
struct SegmentSums {
    people: VisitorSums,
    bots: VisitorSums,
    /// Of visitors who are both, in each segment.
    of_shared: [VisitorSums; Segment::EACH.len()],
}

impl SegmentSums {
    /// Adds one visitor with all its rows, in order of time.
    fn add(&mut self, rows: &[Seen]) {
        let number = |row: &Seen| (row.quarter, row.interval);
        let bots = rows.iter().filter(|row| row.is_bot).count();
        if bots == 0 {
            return self.people.add(rows.iter().map(number));
        }
        if bots == rows.len() {
            return self.bots.add(rows.iter().map(number));
        }
        let of = |is_bot: bool| rows.iter().filter(move |row| row.is_bot == is_bot);
        let [all, people, bots] = &mut self.of_shared;
        all.add(rows.iter().map(number));
        people.add(of(false).map(number));
        bots.add(of(true).map(number));
    }

    /// The sums of each segment.
    fn of_each(self) -> [VisitorSums; Segment::EACH.len()] {
        let [mut all, mut people, mut bots] = self.of_shared;
        all += &self.people;
        all += &self.bots;
        people += &self.people;
        bots += &self.bots;
        [all, people, bots]
    }
}

/// Visits of a segment by quarter, and the variance of those that chance kept.
#[derive(Clone, Debug)]
struct Quarters {
    visits: Vec<u64>,
    by_chance: Vec<u64>,
}

impl Default for Quarters {
    fn default() -> Self {
        Self {
            visits: vec![0; QUARTERS],
            by_chance: vec![0; QUARTERS],
        }
    }
}

impl Quarters {
    fn add(&mut self, other: &Self) {
        for quarter in 0..QUARTERS {
            self.visits[quarter] += other.visits[quarter];
            let sum = &mut self.by_chance[quarter];
            *sum = sum.saturating_add(other.by_chance[quarter]);
        }
    }

    /// Writes visits, and the sums of visitors if there are any.
    fn encode(self, segment: Segment, sums: Option<VisitorSums>, encoder: &mut Encoder) {
        let name = |name| segment.column(name);
        encoder.numbers(&name(VISITS), &self.visits);
        let Some(mut sums) = sums else {
            return;
        };
        for (quarter, variance) in (0..).zip(self.by_chance) {
            sums.add_chance(quarter, variance);
        }
        let (visitors, variance) = sums.numbers();
        encoder.numbers(&name(VISITORS), &visitors);
        if let Some([of_visits, of_visitors]) = variance {
            encoder.numbers(&name(VISIT_VARIANCE), &of_visits);
            encoder.numbers(&name(VISITOR_VARIANCE), &of_visitors);
        }
    }
}

/// The numbers that the first pass counts.
#[derive(Debug, Default)]
struct Counts {
    rows: u64,
    /// The number of coherent rows, which count for visitors.
    coherent: u64,
    people: Quarters,
    bots: Quarters,
    values: ValueCounts,
}

impl Counts {
    fn quarters_of(&self, segment: Segment) -> Quarters {
        let mut quarters = Quarters::default();
        if segment != Segment::Bots {
            quarters.add(&self.people);
        }
        if segment != Segment::People {
            quarters.add(&self.bots);
        }
        quarters
    }

    /// Counts a block of the first pass.
    fn add(&mut self, mut block: Block, chunk: &Chunk<'_>) -> Result<(), EngineError> {
        self.rows += number(block.rows);
        let is_bot = is_bot(&mut block, chunk)?;
        let bots = is_bot.select(|is_bot| is_bot);
        for row in 0..block.rows {
            let quarter = usize::from(quarter_of(block.time.at(row)));
            let interval = u64::from(block.interval.at(row));
            let of = if is_bot.at(row) {
                &mut self.bots
            } else {
                &mut self.people
            };
            of.visits[quarter] += interval;
            if block.coherent.at(row) == 1 {
                self.coherent += 1;
            } else {
                let variance = interval * interval.saturating_sub(1);
                of.by_chance[quarter] = of.by_chance[quarter].saturating_add(variance);
            }
        }
        for family in Family::ALL {
            // The entries are used at once: another family's texts may change their numbers.
            if let Some(entries) = self.entries(&mut block, chunk, family)? {
                let all = block.visits_of_entries(family).into_iter();
                let of_bots = visits_of(&block, family, &bots);
                let visits = all.zip(of_bots).map(|(all, bots)| Visits { all, bots });
                self.values.add(family, &entries, visits);
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
        let is_bot = is_bot(&mut block, chunk)?;
        let mut entries = [const { None }; Family::ALL.len()];
        for family in Family::ALL {
            entries[family.index()] = self.entries(&mut block, chunk, family)?;
        }
        for row in 0..block.rows {
            let visitor = block.visitor.at(row);
            // Visitors of an import may have numbers in a row.
            if block.coherent.at(row) == 1 && SplitMix64::mixed(visitor) % shares == share {
                let of_family = |family: Family| {
                    let entries = entries[family.index()].as_ref()?;
                    entries.get(index(block.codes(family).at(row))).copied()
                };
                seen.push(Seen {
                    visitor,
                    quarter: quarter_of(block.time.at(row)),
                    interval: block.interval.at(row),
                    is_bot: is_bot.at(row),
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

/// Tells of each row of a chunk whether a bot made the visit.
fn is_bot(block: &mut Block, chunk: &Chunk<'_>) -> Result<Values<bool>, EngineError> {
    let (found, of) = chunk.find(text_of(Dimension::BrowserType), Bots::KINDS.into_iter())?;
    let is_bot = |text: u32| found.get(index(text)).copied().unwrap_or(false);
    if of.is_empty() {
        return Ok(Values::Same(is_bot(0)));
    }
    let of: Vec<bool> = of.into_iter().map(is_bot).collect();
    if !of.contains(&true) {
        return Ok(Values::Same(false));
    }
    block.load_codes(chunk, Family::Client, &Selection::All)?;
    let codes = block.codes(Family::Client).clone();
    Ok(codes.map(|entry| of.get(index(entry)).copied().unwrap_or(false)))
}

/// The visits of each entry of a family in some rows.
fn visits_of(block: &Block, family: Family, rows: &Selection) -> Vec<u64> {
    let Selection::Rows(rows) = rows else {
        return block.visits_of_entries(family);
    };
    let mut visits = vec![0; block.entries(family)];
    let codes = block.codes(family);
    for &row in rows {
        let row = index(row);
        visits[index(codes.at(row))] += u64::from(block.interval.at(row));
    }
    visits
}
