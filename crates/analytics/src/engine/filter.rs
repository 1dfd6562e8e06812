//! Conditions, turned into sets of dictionary ids before any row is read.

use std::collections::{BTreeSet, HashSet};

use rusqlite::Connection;
use slugline_domain::{Choice, Dimension, LinkId, VisitFilter};

use super::{
    block::Block,
    column::Column,
    dimension::{self, Home, Table},
    id_choice::IdChoice,
    id_set::{self, IdSet},
    selection::Selection,
};
use crate::{enrich::bounds::truncate, visitor::VisitorHash};

/// The conditions on a row. `None` is no condition.
#[derive(Debug, Default)]
pub(super) struct RowFilter {
    /// First and last millisecond, inclusive.
    from_ms: Option<i64>,
    until_ms: Option<i64>,
    targets: Option<IdChoice>,
    clients: Option<IdChoice>,
    places: Option<IdChoice>,
    referers: Option<IdChoice>,
    languages: Option<IdChoice>,
    visitors: Vec<Visitors>,
}

impl RowFilter {
    /// Looks the values of a filter up in the dictionaries.
    pub(super) fn resolve(db: &Connection, filter: &VisitFilter) -> Result<Self, rusqlite::Error> {
        let mut resolved = Self {
            from_ms: filter.from.map(|second| second.start().get()),
            until_ms: filter.until.map(|second| second.start().get() + 999),
            ..Self::default()
        };
        if !filter.links.is_everything() {
            let (ids, included) = parts(&filter.links);
            let wanted = ids.iter().map(LinkId::as_str).collect();
            let ids = id_set::matching(db, Table::Targets, "link_id", &wanted)?;
            resolved.narrow(Table::Targets, IdChoice::new(ids, included));
        }
        for (dimension, choice) in &filter.values {
            resolved.add(db, *dimension, choice)?;
        }
        Ok(resolved)
    }

    /// The conditions that are left for rows of which first and last moment,
    /// in milliseconds and inclusive, are known.
    pub(super) fn within(&self, first: i64, last: i64) -> Conditions<'_> {
        Conditions {
            filter: self,
            from_ms: self.from_ms.filter(|&from| first < from),
            until_ms: self.until_ms.filter(|&until| until < last),
        }
    }

    /// Whether rows with this entry of a dictionary can meet the conditions.
    pub(super) fn admits(&self, table: Table, id: u32) -> bool {
        let condition = match table {
            Table::Targets => &self.targets,
            Table::Clients => &self.clients,
            Table::Places => &self.places,
            Table::Referers => &self.referers,
            Table::Languages => &self.languages,
        };
        condition.as_ref().is_none_or(|ids| ids.contains(id))
    }

    /// The targets of which rows have to have one, if that matters.
    pub(super) fn targets(&self) -> Option<&IdSet> {
        self.targets.as_ref().and_then(IdChoice::included)
    }

    /// First and last millisecond that a row may have.
    pub(super) fn time_range(&self) -> (i64, i64) {
        (
            self.from_ms.unwrap_or(i64::MIN),
            self.until_ms.unwrap_or(i64::MAX),
        )
    }

    fn add(
        &mut self,
        db: &Connection,
        dimension: Dimension,
        choice: &Choice<String>,
    ) -> Result<(), rusqlite::Error> {
        let (values, included) = parts(choice);
        match dimension::home(dimension) {
            Home::Text {
                table,
                column,
                max_bytes,
            } => {
                // Stored texts were cut at their bounds. So are those asked
                // for, or a long URL would never find itself.
                let wanted = values.iter().map(|text| truncate(text, max_bytes));
                let ids = id_set::matching(db, table, column, &wanted.collect())?;
                self.narrow(table, IdChoice::new(ids, included));
            }
            Home::Degrees { column } => {
                let numbers = values.iter().filter_map(|text| text.parse().ok());
                let texts: Vec<String> = numbers.map(id_set::two_decimals).collect();
                let wanted = texts.iter().map(String::as_str);
                let table = Table::Places;
                let ids = id_set::matching(db, table, column, &wanted.collect())?;
                self.narrow(table, IdChoice::new(ids, included));
            }
            Home::Visitor => {
                let hashes = values.iter().filter_map(|token| VisitorHash::parse(token));
                self.visitors.push(Visitors {
                    hashes: hashes.map(|hash| hash.0).collect(),
                    included,
                });
            }
        }
        Ok(())
    }

    fn narrow(&mut self, table: Table, ids: IdChoice) {
        let condition = match table {
            Table::Targets => &mut self.targets,
            Table::Clients => &mut self.clients,
            Table::Places => &mut self.places,
            Table::Referers => &mut self.referers,
            Table::Languages => &mut self.languages,
        };
        match condition {
            Some(present) => present.narrow(ids),
            none => *none = Some(ids),
        }
    }
}

/// Visitors to include or to exclude.
#[derive(Debug)]
struct Visitors {
    hashes: HashSet<u64>,
    included: bool,
}

/// The values of a choice, and whether it includes them.
fn parts<T>(choice: &Choice<T>) -> (&BTreeSet<T>, bool) {
    match choice {
        Choice::AnyOf(values) => (values, true),
        Choice::NoneOf(values) => (values, false),
    }
}

/// The conditions on rows of a certain time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Conditions<'f> {
    filter: &'f RowFilter,
    from_ms: Option<i64>,
    until_ms: Option<i64>,
}

impl Conditions<'_> {
    /// The columns that they are about.
    pub(super) fn columns(self) -> impl Iterator<Item = Column> {
        let filter = self.filter;
        [
            (Column::Target, filter.targets.is_some()),
            (Column::Client, filter.clients.is_some()),
            (Column::Place, filter.places.is_some()),
            (Column::Referer, filter.referers.is_some()),
            (Column::Language, filter.languages.is_some()),
            (Column::Visitor, !filter.visitors.is_empty()),
            (
                Column::Time,
                self.from_ms.is_some() || self.until_ms.is_some(),
            ),
        ]
        .into_iter()
        .filter_map(|(column, needed)| needed.then_some(column))
    }

    /// The rows of a block that meet all of them.
    pub(super) fn select(self, block: &Block) -> Selection {
        let filter = self.filter;
        let mut rows = Selection::All;
        for (ids, table) in [
            (&filter.targets, Table::Targets),
            (&filter.clients, Table::Clients),
            (&filter.places, Table::Places),
            (&filter.referers, Table::Referers),
            (&filter.languages, Table::Languages),
        ] {
            let Some(ids) = ids else {
                continue;
            };
            let column = block.ids(table);
            match ids.included().and_then(IdSet::only) {
                // Most questions with conditions are about one link.
                Some(only) => rows.narrow(column, |id| id == only),
                None => rows.narrow(column, |id| ids.contains(id)),
            }
        }
        for Visitors { hashes, included } in &filter.visitors {
            rows.narrow(&block.visitor, |visitor| {
                hashes.contains(&visitor) == *included
            });
        }
        if let Some(from) = self.from_ms {
            rows.narrow(&block.time, |time| time >= from);
        }
        if let Some(until) = self.until_ms {
            rows.narrow(&block.time, |time| time <= until);
        }
        rows
    }
}
