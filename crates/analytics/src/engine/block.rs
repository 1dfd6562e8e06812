//! Rows in memory, column by column.

use super::{
    chunk::{self, ChunkError, Span},
    column::Column,
    dictionaries::Ids,
    dimension::Table,
    error::EngineError,
};
use crate::row::Row;

/// Some rows. Columns that were not asked for are empty.
#[derive(Debug, Default)]
pub(super) struct Block {
    pub(super) rows: usize,
    /// Milliseconds since 1970.
    pub(super) time: Vec<i64>,
    pub(super) interval: Vec<u32>,
    /// 1 where the row says something about the number of visitors.
    pub(super) coherent: Vec<u8>,
    pub(super) target: Vec<u32>,
    pub(super) visitor: Vec<u64>,
    pub(super) referer: Vec<u32>,
    pub(super) place: Vec<u32>,
    pub(super) client: Vec<u32>,
    pub(super) language: Vec<u32>,
}

impl Block {
    /// Adds a row, with every column.
    pub(super) fn push(&mut self, row: &Row<'_>, ids: Ids) {
        self.rows += 1;
        self.time.push(row.at.get());
        self.interval.push(row.sampled.interval.get());
        self.coherent.push(row.sampled.coherent.into());
        self.target.push(ids.target);
        self.visitor.push(row.visitor.0);
        self.referer.push(ids.referer);
        self.place.push(ids.place);
        self.client.push(ids.client);
        self.language.push(ids.language);
    }

    /// The column that refers to a dictionary.
    pub(super) fn ids(&self, table: Table) -> &[u32] {
        match table {
            Table::Targets => &self.target,
            Table::Clients => &self.client,
            Table::Places => &self.place,
            Table::Referers => &self.referer,
            Table::Languages => &self.language,
        }
    }

    /// The same, to be changed.
    pub(super) fn ids_mut(&mut self, table: Table) -> &mut Vec<u32> {
        match table {
            Table::Targets => &mut self.target,
            Table::Clients => &mut self.client,
            Table::Places => &mut self.place,
            Table::Referers => &mut self.referer,
            Table::Languages => &mut self.language,
        }
    }

    /// What stands between `SELECT` and `FROM chunk` for [`Block::read`]. The
    /// first column is the chunk's number.
    pub(super) fn selection(columns: &[Column]) -> String {
        columns.iter().fold(
            "id, format, n, min_ts, max_ts".to_owned(),
            |names, column| names + ", " + column.name(),
        )
    }

    /// Reads columns of a chunk.
    pub(super) fn read(row: &rusqlite::Row<'_>, columns: &[Column]) -> Result<Self, EngineError> {
        let id: i64 = row.get(0)?;
        let damaged = |source| EngineError::Chunk { id, source };
        let format: i64 = row.get(1)?;
        if format != i64::from(chunk::FORMAT) {
            return Err(damaged(ChunkError::Format { found: format }));
        }
        let span = Span {
            rows: row.get(2)?,
            min_ts: row.get(3)?,
            max_ts: row.get(4)?,
        };
        let mut block = Self {
            rows: usize::try_from(span.rows).expect("32 bits fit a pointer's size"),
            ..Self::default()
        };
        for (index, &column) in columns.iter().enumerate() {
            let blob = row
                .get_ref(5 + index)?
                .as_blob()
                .map_err(rusqlite::Error::from)?;
            block.load(span, column, blob).map_err(damaged)?;
        }
        Ok(block)
    }

    /// Reads one column of a chunk.
    pub(super) fn load(
        &mut self,
        span: Span,
        column: Column,
        blob: &[u8],
    ) -> Result<(), ChunkError> {
        match column {
            Column::Time => {
                let offsets: Vec<u32> = chunk::decode(span, column, blob)?;
                self.time = offsets
                    .into_iter()
                    .map(|offset| span.min_ts + i64::from(offset))
                    .collect();
            }
            Column::Interval => self.interval = chunk::decode(span, column, blob)?,
            Column::Coherent => self.coherent = chunk::decode(span, column, blob)?,
            Column::Target => self.target = chunk::decode(span, column, blob)?,
            Column::Visitor => self.visitor = chunk::decode(span, column, blob)?,
            Column::Referer => self.referer = chunk::decode(span, column, blob)?,
            Column::Place => self.place = chunk::decode(span, column, blob)?,
            Column::Client => self.client = chunk::decode(span, column, blob)?,
            Column::Language => self.language = chunk::decode(span, column, blob)?,
        }
        Ok(())
    }

    /// The values of one column at some rows, as they stand in a chunk whose
    /// first moment is `min_ts`.
    pub(super) fn values(&self, column: Column, rows: &[usize], min_ts: i64) -> Vec<u64> {
        fn widen<T: Copy + Into<u64>>(values: &[T], rows: &[usize]) -> Vec<u64> {
            rows.iter().map(|&row| values[row].into()).collect()
        }
        match column {
            Column::Time => rows
                .iter()
                .map(|&row| self.time[row].abs_diff(min_ts))
                .collect(),
            Column::Interval => widen(&self.interval, rows),
            Column::Coherent => widen(&self.coherent, rows),
            Column::Target => widen(&self.target, rows),
            Column::Visitor => widen(&self.visitor, rows),
            Column::Referer => widen(&self.referer, rows),
            Column::Place => widen(&self.place, rows),
            Column::Client => widen(&self.client, rows),
            Column::Language => widen(&self.language, rows),
        }
    }
}
