//! Conditions, turned into sets of dictionary ids before any row is read.

use std::collections::HashSet;

use rusqlite::Connection;
use slugline_domain::{Dimension, LinkId, VisitFilter};

use super::{
    block::Block,
    column::Column,
    dimension::{self, Home, Table},
    id_set::{self, IdSet},
};
use crate::{enrich::bounds::truncate, visitor::VisitorHash};

/// The conditions on a row. `None` is no condition.
#[derive(Debug, Default)]
pub(super) struct RowFilter {
    /// First and last millisecond, inclusive.
    from_ms: Option<i64>,
    until_ms: Option<i64>,
    targets: Option<IdSet>,
    clients: Option<IdSet>,
    places: Option<IdSet>,
    referers: Option<IdSet>,
    languages: Option<IdSet>,
    visitors: Option<HashSet<u64>>,
}

impl RowFilter {
    /// Looks the values of a filter up in the dictionaries.
    pub(super) fn resolve(db: &Connection, filter: &VisitFilter) -> Result<Self, rusqlite::Error> {
        let mut resolved = Self {
            from_ms: filter.from.map(|second| second.start().get()),
            until_ms: filter.until.map(|second| second.start().get() + 999),
            ..Self::default()
        };
        if !filter.links.is_empty() {
            let wanted: HashSet<&str> = filter.links.iter().map(LinkId::as_str).collect();
            let entries = Table::Targets.entries();
            resolved.targets = Some(id_set::matching(db, entries, "link_id", &wanted)?);
        }
        for (dimension, values) in &filter.values {
            if !values.is_empty() {
                resolved.add(db, *dimension, values)?;
            }
        }
        Ok(resolved)
    }

    /// The columns that the conditions are about.
    pub(super) fn columns(&self) -> impl Iterator<Item = Column> {
        [
            (
                Column::Time,
                self.from_ms.is_some() || self.until_ms.is_some(),
            ),
            (Column::Target, self.targets.is_some()),
            (Column::Client, self.clients.is_some()),
            (Column::Place, self.places.is_some()),
            (Column::Referer, self.referers.is_some()),
            (Column::Language, self.languages.is_some()),
            (Column::Visitor, self.visitors.is_some()),
        ]
        .into_iter()
        .filter_map(|(column, needed)| needed.then_some(column))
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

    /// First and last millisecond that a row may have.
    pub(super) fn time_range(&self) -> (i64, i64) {
        (
            self.from_ms.unwrap_or(i64::MIN),
            self.until_ms.unwrap_or(i64::MAX),
        )
    }

    /// The rows of a block that meet all conditions.
    pub(super) fn select(&self, block: &Block) -> Vec<usize> {
        let mut rows: Vec<usize> = (0..block.rows).collect();
        if let Some(from) = self.from_ms {
            rows.retain(|&row| block.time[row] >= from);
        }
        if let Some(until) = self.until_ms {
            rows.retain(|&row| block.time[row] <= until);
        }
        for (ids, table) in [
            (&self.targets, Table::Targets),
            (&self.clients, Table::Clients),
            (&self.places, Table::Places),
            (&self.referers, Table::Referers),
            (&self.languages, Table::Languages),
        ] {
            let column = block.ids(table);
            if let Some(ids) = ids {
                rows.retain(|&row| ids.contains(column[row]));
            }
        }
        if let Some(visitors) = &self.visitors {
            rows.retain(|&row| visitors.contains(&block.visitor[row]));
        }
        rows
    }

    fn add(
        &mut self,
        db: &Connection,
        dimension: Dimension,
        values: &[String],
    ) -> Result<(), rusqlite::Error> {
        match dimension::home(dimension) {
            Home::Text {
                table,
                column,
                max_bytes,
            } => {
                // Stored texts were cut at their bounds. So are those asked
                // for, or a long URL would never find itself.
                let wanted = values.iter().map(|text| truncate(text, max_bytes));
                let ids = id_set::matching(db, table.entries(), column, &wanted.collect())?;
                self.narrow(table, &ids);
            }
            Home::Degrees { column } => {
                let numbers = values.iter().filter_map(|text| text.parse().ok());
                let texts: Vec<String> = numbers.map(id_set::two_decimals).collect();
                let wanted = texts.iter().map(String::as_str);
                let table = Table::Places;
                let ids = id_set::matching(db, table.entries(), column, &wanted.collect())?;
                self.narrow(table, &ids);
            }
            Home::Visitor => self.narrow_visitors(values),
        }
        Ok(())
    }

    fn narrow(&mut self, table: Table, ids: &IdSet) {
        let condition = match table {
            Table::Targets => &mut self.targets,
            Table::Clients => &mut self.clients,
            Table::Places => &mut self.places,
            Table::Referers => &mut self.referers,
            Table::Languages => &mut self.languages,
        };
        match condition {
            Some(present) => present.intersect(ids),
            none => *none = Some(ids.clone()),
        }
    }

    fn narrow_visitors(&mut self, tokens: &[String]) {
        let wanted: HashSet<u64> = tokens
            .iter()
            .filter_map(|token| VisitorHash::parse(token))
            .map(|hash| hash.0)
            .collect();
        match &mut self.visitors {
            Some(visitors) => visitors.retain(|visitor| wanted.contains(visitor)),
            none => *none = Some(wanted),
        }
    }
}
