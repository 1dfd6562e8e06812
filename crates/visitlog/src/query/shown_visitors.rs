//! The visitors of each row of a ranking.
//!
//! A second pass counts them, once the shown rows are known. So only these rows need memory for
//! visitors, not each of a hundred thousand user agents.

use std::{borrow::Cow, collections::HashMap};

use slugline_analytics::{
    columns::{TEXTS, TextColumn, column_of},
    number_map::NumberMap,
    visitor::VisitorHash,
};
use slugline_domain::{Degrees, Dimension};

use super::{distinct::DistinctCounts, filter::RowFilter, plan::Plan};
use crate::{
    file::{day::known::KnownDay, error::EngineError, limits::QuestionMemory, snapshot::Snapshot},
    format::{
        block::{Block, Column},
        selection::index,
    },
};

/// Counts the visitors of rows that show these values of a dimension, in their order. Returns
/// whether the counts are estimates.
pub(crate) fn count(
    snapshot: &Snapshot<'_>,
    filter: &RowFilter,
    dimension: Dimension,
    names: &[&str],
) -> Result<(Vec<u64>, bool), EngineError> {
    let mut visitors = match column_of(dimension) {
        None => ShownVisitors::of_visitors(snapshot, filter, names),
        Some(column) => ShownVisitors::of_texts(snapshot, filter, column, names),
    }?;
    let counts = (0..names.len()).map(|shown| {
        let others = visitors.others.get(shown).copied().unwrap_or(0);
        visitors
            .distinct
            .estimate(shown)
            .distinct
            .saturating_add(others)
    });
    Ok((counts.collect(), visitors.distinct.is_sketch()))
}

/// The degrees in a text of a column.
pub(crate) fn degrees(text: &str) -> Degrees {
    text.parse().map_or(Degrees::ZERO, Degrees::nearest)
}

/// The distinct visitors of each shown row, by its number. Each counts with its smallest sampling
/// interval.
#[derive(Debug)]
struct ShownVisitors {
    distinct: DistinctCounts,
    /// Visitors from day totals, none of whom is among these.
    others: Vec<u64>,
}

impl ShownVisitors {
    const COLUMNS: [Column; 3] = [Column::Interval, Column::Coherent, Column::Visitor];

    fn within(memory: QuestionMemory) -> Self {
        Self {
            distinct: DistinctCounts::within(memory.visitors()),
            others: Vec::new(),
        }
    }

    /// Counts the visitors of rows that show texts of a column.
    fn of_texts(
        snapshot: &Snapshot<'_>,
        filter: &RowFilter,
        column: usize,
        names: &[&str],
    ) -> Result<Self, EngineError> {
        let columns = [&Self::COLUMNS[..], &[Column::Text(column)]].concat();
        let TextColumn {
            dimension, family, ..
        } = TEXTS[column];
        let shown: HashMap<&str, usize> = names.iter().copied().zip(0..).collect();
        let mut visitors = Self {
            others: vec![0; names.len()],
            ..Self::within(snapshot.memory())
        };
        let with_visitors = |day: &KnownDay<'_>| day.values(column);
        let plan = Plan::with_days(snapshot, filter, Some(column), with_visitors, |known| {
            for (text, known) in known.texts.iter().zip(known.visitors) {
                if let Some(&shown) = shown.get(&*name(dimension, text)) {
                    let others = &mut visitors.others[shown];
                    *others = others.saturating_add(known);
                }
            }
        })?;
        snapshot.scan(&plan, &columns, |block| {
            let texts = block.texts(column);
            let of_text = texts.dictionary.iter();
            let of_text: Vec<Option<usize>> = of_text
                .map(|text| shown.get(&*name(dimension, text)).copied())
                .collect();
            let of_entry: Vec<Option<usize>> = (0..)
                .take(block.entries(family))
                .map(|entry| of_text[index(texts.number(entry))])
                .collect();
            let codes = block.codes(family);
            visitors.see(block, |row| of_entry[index(codes.at(row))]);
            Ok(())
        })?;
        Ok(visitors)
    }

    /// Counts for rows that show one visitor each. A visitor without a coherent row counts as none,
    /// as in counters.
    fn of_visitors(
        snapshot: &Snapshot<'_>,
        filter: &RowFilter,
        names: &[&str],
    ) -> Result<Self, EngineError> {
        let shown = names.iter().filter_map(|name| VisitorHash::parse(name));
        let shown: NumberMap<usize> = shown.map(|visitor| visitor.0).zip(0..).collect();
        let mut visitors = Self::within(snapshot.memory());
        snapshot.scan(&Plan::of_rows(filter), &Self::COLUMNS, |block| {
            visitors.see(block, |row| shown.get(&block.visitor.at(row)).copied());
            Ok(())
        })?;
        Ok(visitors)
    }

    fn see(&mut self, block: &Block, shown: impl Fn(usize) -> Option<usize>) {
        for row in 0..block.rows {
            if let Some(shown) = shown(row)
                && block.coherent.at(row) == 1
            {
                let (visitor, interval) = (block.visitor.at(row), block.interval.at(row));
                self.distinct.see(shown, visitor, interval);
            }
        }
    }
}

/// The name of a text in a row.
fn name(dimension: Dimension, text: &str) -> Cow<'_, str> {
    if matches!(dimension, Dimension::Latitude | Dimension::Longitude) {
        Cow::Owned(degrees(text).to_string())
    } else {
        Cow::Borrowed(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::values::Values;

    fn block(visitors: std::ops::Range<u32>) -> Block {
        Block {
            rows: visitors.clone().count(),
            interval: Values::Same(1),
            coherent: Values::Same(1),
            visitor: Values::Each(visitors.map(u64::from).collect()),
            ..Block::default()
        }
    }

    #[test]
    fn very_many_visitors_are_an_estimate_and_rows_not_shown_are_not_counted() {
        let mut visitors = ShownVisitors::within(QuestionMemory::default());
        visitors.see(&block(0..1_000), |row| (row < 10).then_some(1));
        assert_eq!(
            [0, 1, 2].map(|shown| visitors.distinct.estimate(shown).distinct),
            [0, 10, 0]
        );
        visitors.see(&block(0..3 << 20), |_| None);
        assert!(!visitors.distinct.is_sketch());

        visitors.see(&block(0..3 << 20), |_| Some(0));
        assert!(visitors.distinct.is_sketch());
        let (truth, found) = (
            f64::from(3 << 20),
            f64::from(u32::try_from(visitors.distinct.estimate(0).distinct).unwrap()),
        );
        assert!((found / truth - 1.0).abs() < 0.1, "{found} of {truth}");
        assert_eq!(visitors.distinct.estimate(1).distinct, 10);
    }

    #[test]
    fn a_visitor_weighs_the_smallest_coherent_interval() {
        let mut visitors = ShownVisitors::within(QuestionMemory::default());
        for (visitor, interval, coherent) in
            [(1, 8, 1), (1, 4, 1), (1, 2, 0), (2, 16, 1), (3, 64, 0)]
        {
            let row = Block {
                interval: Values::Same(interval),
                coherent: Values::Same(coherent),
                ..block(visitor..visitor + 1)
            };
            visitors.see(&row, |_| Some(0));
        }
        assert_eq!(visitors.distinct.estimate(0).distinct, 20);
    }
}
