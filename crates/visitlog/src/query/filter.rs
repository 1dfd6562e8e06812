//! The conditions on rows.

use std::{
    collections::{BTreeSet, HashSet},
    hash::Hash,
};

use rusqlite::Connection;
use slugline_analytics::{
    bounds::truncate,
    columns::{self, Family, TEXTS},
    utc,
    visitor::VisitorHash,
};
use slugline_domain::{Bots, Choice, Degrees, Dimension, VisitFilter};

use super::concealment::{Concealment, RowVisibility};
use crate::{
    file::{
        chunk::Chunk, day::segment::Segment, erasure, error::EngineError, links, snapshot::Snapshot,
    },
    format::{
        block::{Block, Column},
        dictionary::Texts,
        selection::{Selection, index},
    },
};

/// Conditions. A row has to meet all of them.
#[derive(Debug, Default)]
pub(crate) struct RowFilter {
    /// First and last millisecond, inclusive.
    from_ms: Option<i64>,
    until_ms: Option<i64>,
    links: Option<Wanted<i64>>,
    /// The conditions on links leave erased visits out, and nothing else.
    only_erased: bool,
    /// By the index of the column in [`TEXTS`].
    texts: Vec<(usize, Wanted<String>)>,
    visitors: Vec<Wanted<u64>>,
    concealment: Option<Concealment>,
}

/// A set of values. A row has to have one of them, or none of them.
#[derive(Debug)]
struct Wanted<T> {
    values: HashSet<T>,
    included: bool,
}

impl<T: Eq + Hash> Wanted<T> {
    fn admits(&self, value: &T) -> bool {
        self.values.contains(value) == self.included
    }
}

/// The entries of a family that meet the conditions.
enum Admitted {
    All,
    None,
    Some(Vec<bool>),
}

impl RowFilter {
    /// Looks the numbers of the links up, and leaves marked visits out.
    pub(crate) fn resolve(db: &Connection, filter: &VisitFilter) -> Result<Self, rusqlite::Error> {
        let mut resolved = Self {
            from_ms: filter.from.map(|second| second.start().get()),
            until_ms: filter.until.map(|second| second.start().get() + 999),
            concealment: Concealment::of(filter.destinations),
            ..Self::default()
        };
        let (wanted, included) = parts(&filter.links);
        let mut values = links::find_all(db, wanted)?;
        if !included {
            resolved.only_erased = values.is_empty();
            // A link in the question has another number than an erased one, if it has any.
            values.extend(erasure::marked(db)?);
        }
        if included || !values.is_empty() {
            resolved.links = Some(Wanted { values, included });
        }
        for (dimension, choice) in &filter.values {
            resolved.add(*dimension, choice);
        }
        Ok(resolved)
    }

    fn add(&mut self, dimension: Dimension, choice: &Choice<String>) {
        let (values, included) = parts(choice);
        let Some(column) = columns::column_of(dimension) else {
            let hashes = values.iter().filter_map(|token| VisitorHash::parse(token));
            let values = hashes.map(|hash| hash.0).collect();
            self.visitors.push(Wanted { values, included });
            return;
        };
        let texts = values.iter().filter_map(|value| {
            if dimension.is_degrees() {
                let degrees: f64 = value.parse().ok()?;
                return Some(Degrees::nearest(degrees).to_string());
            }
            // Stored texts are cut at their bounds. So are the texts of the question, or a long URL
            // would never match itself.
            Some(truncate(value, TEXTS[column].max_bytes).to_owned())
        });
        let values = texts.collect();
        self.texts.push((column, Wanted { values, included }));
    }

    /// First and last millisecond that a row may have.
    pub(crate) fn time_range(&self) -> (i64, i64) {
        (
            self.from_ms.unwrap_or(i64::MIN),
            self.until_ms.unwrap_or(i64::MAX),
        )
    }

    /// The first and the last UTC day that are wholly in the time range.
    pub(crate) fn whole_days(&self) -> Option<(i64, i64)> {
        utc::whole_days(self.time_range())
    }

    /// The segment that the conditions describe, besides those on the texts of column `of` and on
    /// erased links; `None` if no segment is of exactly these visits.
    pub(crate) fn segment(&self, of: Option<usize>) -> Option<Segment> {
        if self.is_about_links() || !self.visitors.is_empty() {
            return None;
        }
        let mut found = Segment::All;
        for (column, wanted) in &self.texts {
            if Some(*column) == of {
                continue;
            }
            let segment = wanted.segment(*column)?;
            if found != Segment::All && found != segment {
                return None;
            }
            found = segment;
        }
        Some(found)
    }

    fn is_about_links(&self) -> bool {
        self.links.is_some() && !self.only_erased
    }

    /// The days among some whose chunks may have visits that are being erased. Totals of other days
    /// have none of them.
    pub(crate) fn days_with_erased(
        &self,
        snapshot: &Snapshot<'_>,
        days: (i64, i64),
    ) -> Result<HashSet<i64>, EngineError> {
        match &self.links {
            Some(wanted) if self.only_erased => erasure::days(snapshot, days, &wanted.values),
            Some(_) | None => Ok(HashSet::new()),
        }
    }

    /// Returns whether a text meets the conditions on its column.
    pub(crate) fn admits_text(&self, column: usize, text: &str) -> bool {
        let mut wanted = self.texts.iter().filter(|(of, _)| *of == column);
        wanted.all(|(_, wanted)| wanted.values.contains(text) == wanted.included)
    }

    /// Returns whether some texts of a column may be hidden.
    pub(crate) fn conceals(&self, column: usize) -> bool {
        let concealment = self.concealment.as_ref();
        concealment.is_some_and(|concealment| concealment.concerns(column))
    }

    /// The columns of texts that a question about some columns reads, and the parts in which it
    /// sees rows.
    pub(crate) fn parts(
        &self,
        asked: impl Iterator<Item = usize>,
    ) -> (Vec<usize>, &[RowVisibility]) {
        let mut texts: Vec<usize> = asked
            .chain(self.texts.iter().map(|(column, _)| *column))
            .collect();
        let concealment = self.concealment.as_ref();
        let concealment = concealment
            .filter(|concealment| texts.iter().any(|column| concealment.concerns(*column)));
        let parts = match concealment {
            None => &[RowVisibility::All][..],
            Some(concealment) => {
                texts.push(concealment.protection());
                &[RowVisibility::Shown, RowVisibility::Hidden]
            }
        };
        texts.sort_unstable();
        texts.dedup();
        (texts, parts)
    }

    /// Keeps the rows of a part of a block that meet the conditions, and returns their selection.
    /// Loads the columns of the conditions from the block's chunk, as far as needed; a block
    /// without a chunk has them already, and its rows are of the right time.
    pub(crate) fn narrow(
        &self,
        block: &mut Block,
        chunk: Option<&Chunk<'_>>,
        part: RowVisibility,
    ) -> Result<Selection, EngineError> {
        let mut rows = Selection::All;
        let leave = |block: &mut Block, rows: &mut Selection, chosen: Selection| {
            block.keep(&chosen);
            rows.keep(&chosen);
            block.rows > 0
        };
        if let Some(wanted) = &self.links {
            let chosen = match chunk {
                Some(chunk) => wanted.select(chunk)?,
                None => block.link.select(|link| wanted.admits(&link)),
            };
            if !leave(block, &mut rows, chosen) {
                return Ok(rows);
            }
        }
        if let (Some(concealment), RowVisibility::Shown | RowVisibility::Hidden) =
            (&self.concealment, part)
        {
            let chosen = concealment.select(part, block, chunk, &rows)?;
            if !leave(block, &mut rows, chosen) {
                return Ok(rows);
            }
            concealment.hide(block, part);
        }
        for family in Family::ALL {
            let is_of_family = |(column, _): &(usize, _)| TEXTS[*column].family == family;
            if let Some(chunk) = chunk
                && family.is_derived()
                && self.texts.iter().any(is_of_family)
            {
                block.load_derived(chunk, family, &rows)?;
            }
            let chosen = match self.admitted(block, chunk, family)? {
                Admitted::All => continue,
                Admitted::None => Selection::Rows(Vec::new()),
                Admitted::Some(entries) => {
                    if let Some(chunk) = chunk {
                        block.load_codes(chunk, family, &rows)?;
                    }
                    let admits = |entry| entries.get(index(entry)).copied().unwrap_or(false);
                    block.codes(family).select(admits)
                }
            };
            if !leave(block, &mut rows, chosen) {
                return Ok(rows);
            }
        }
        if !self.visitors.is_empty() {
            if let Some(chunk) = chunk {
                block.load(chunk, Column::Visitor, &rows)?;
            }
            let admits = |visitor| self.visitors.iter().all(|wanted| wanted.admits(&visitor));
            let chosen = block.visitor.select(admits);
            if !leave(block, &mut rows, chosen) {
                return Ok(rows);
            }
        }
        if let Some(chunk) = chunk {
            let (from, until) = self.time_range();
            let span = chunk.span();
            if span.min_ts < from || until < span.max_ts {
                block.load(chunk, Column::Time, &rows)?;
                let chosen = block.time.select(|time| (from..=until).contains(&time));
                leave(block, &mut rows, chosen);
            }
        }
        Ok(rows)
    }

    /// The entries of a family that meet the conditions.
    fn admitted(
        &self,
        block: &Block,
        chunk: Option<&Chunk<'_>>,
        family: Family,
    ) -> Result<Admitted, EngineError> {
        let mut admitted = Admitted::All;
        for (column, wanted) in &self.texts {
            if TEXTS[*column].family != family {
                continue;
            }
            let texts_here = block.texts_here(*column);
            let entries = if let (None, Some(chunk)) = (texts_here, chunk) {
                let texts = wanted.values.iter().map(String::as_str);
                let (found, of) = chunk.find(*column, texts)?;
                wanted.entries(&found, &of)
            } else {
                let texts = block.texts(*column);
                wanted.entries(&wanted.find(texts), &texts.of)
            };
            admitted = match (admitted, entries) {
                (Admitted::None, _) | (_, Admitted::None) => return Ok(Admitted::None),
                (Admitted::All, one) | (one, Admitted::All) => one,
                (Admitted::Some(mut both), Admitted::Some(other)) => {
                    for (one, other) in both.iter_mut().zip(other) {
                        *one &= other;
                    }
                    Admitted::Some(both)
                }
            };
        }
        Ok(admitted)
    }
}

/// The values of a choice, and whether it includes them.
fn parts<T>(choice: &Choice<T>) -> (&BTreeSet<T>, bool) {
    match choice {
        Choice::AnyOf(values) => (values, true),
        Choice::NoneOf(values) => (values, false),
    }
}

impl Wanted<i64> {
    fn select(&self, chunk: &Chunk<'_>) -> Result<Selection, EngineError> {
        match self.values.iter().next() {
            // Most questions with conditions are about one link.
            Some(&only) if self.included && self.values.len() == 1 => chunk.rows_of(only),
            _ => Ok(chunk.links()?.select(|link| self.admits(&link))),
        }
    }
}

impl Wanted<String> {
    /// The segment of the visits with these texts in a column.
    fn segment(&self, column: usize) -> Option<Segment> {
        let are_kinds = column == columns::text_of(Dimension::BrowserType)
            && self.values.len() == Bots::KINDS.len()
            && Bots::KINDS.iter().all(|kind| self.values.contains(*kind));
        are_kinds.then(|| {
            Segment::of(if self.included {
                Bots::Only
            } else {
                Bots::Exclude
            })
        })
    }

    /// Tells for each text whether it is one of the values.
    fn find(&self, texts: &Texts) -> Vec<bool> {
        let texts = texts.dictionary.iter();
        texts.map(|text| self.values.contains(text)).collect()
    }

    /// The entries whose text meets the condition. `found` tells for each text whether it is one of
    /// the values, and `of` has the number of each entry's text.
    fn entries(&self, found: &[bool], of: &[u32]) -> Admitted {
        let meets = |number: u32| {
            let found = found.get(index(number)).copied().unwrap_or(false);
            found == self.included
        };
        if of.is_empty() {
            return if meets(0) {
                Admitted::All
            } else {
                Admitted::None
            };
        }
        let entries: Vec<bool> = of.iter().map(|&number| meets(number)).collect();
        if entries.iter().all(|&meets| meets) {
            Admitted::All
        } else if entries.contains(&true) {
            Admitted::Some(entries)
        } else {
            Admitted::None
        }
    }
}
