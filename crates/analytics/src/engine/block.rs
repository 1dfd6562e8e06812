//! Rows in memory, column by column.

use rusqlite::Connection;

use super::{
    chunk::{self, ChunkError, Span, decode_rows},
    column::Column,
    dictionaries::Ids,
    dimension::Table,
    error::EngineError,
    selection::{Selection, index},
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
        ChunkHead::COLUMNS.to_owned() + ", " + &names(columns)
    }

    /// Reads columns of a chunk.
    pub(super) fn read(row: &rusqlite::Row<'_>, columns: &[Column]) -> Result<Self, EngineError> {
        let head = ChunkHead::read(row)?;
        let mut block = Self {
            rows: index(head.span.rows),
            ..Self::default()
        };
        block.load_all(row, 5, head, columns, &Selection::All)?;
        Ok(block)
    }

    /// Reads some rows of more columns of a chunk.
    pub(super) fn add(
        &mut self,
        db: &Connection,
        head: ChunkHead,
        columns: &[Column],
        rows: &Selection,
    ) -> Result<(), EngineError> {
        if columns.is_empty() {
            return Ok(());
        }
        let sql = format!("SELECT {} FROM chunk WHERE id = ?1", names(columns));
        let mut statement = db.prepare_cached(&sql)?;
        let mut found = statement.query([head.id])?;
        let row = found.next()?.ok_or(EngineError::Incomplete)?;
        self.load_all(row, 0, head, columns, rows)
    }

    fn load_all(
        &mut self,
        row: &rusqlite::Row<'_>,
        first: usize,
        head: ChunkHead,
        columns: &[Column],
        rows: &Selection,
    ) -> Result<(), EngineError> {
        for (position, &column) in columns.iter().enumerate() {
            let value = row.get_ref(first + position)?;
            let loaded = match value.as_blob_or_null().map_err(rusqlite::Error::from)? {
                Some(blob) => self.load(head.span, column, blob, rows),
                None => self.load_absent(column, rows),
            };
            loaded.map_err(|source| head.damaged(source))?;
        }
        Ok(())
    }

    /// Fills a column that chunks of the time before it do not have.
    fn load_absent(&mut self, column: Column, rows: &Selection) -> Result<(), ChunkError> {
        let length = match rows {
            Selection::All => self.rows,
            Selection::Rows(chosen) => chosen.len(),
        };
        let name = column.name();
        let unknown = column
            .unknown()
            .ok_or(ChunkError::Absent { column: name })?;
        let values = vec![unknown; length];
        match column {
            Column::Target => self.target = values,
            Column::Referer => self.referer = values,
            Column::Place => self.place = values,
            Column::Client => self.client = values,
            Column::Language => self.language = values,
            Column::Time | Column::Interval | Column::Coherent | Column::Visitor => {}
        }
        Ok(())
    }

    /// Reads some rows of one column of a chunk.
    pub(super) fn load(
        &mut self,
        span: Span,
        column: Column,
        blob: &[u8],
        rows: &Selection,
    ) -> Result<(), ChunkError> {
        match column {
            Column::Time => {
                let name = column.name();
                if span.min_ts.checked_add(u32::MAX.into()).is_none() {
                    return Err(ChunkError::Value { column: name });
                }
                let offsets: Vec<u32> = decode_rows(span, column, blob, rows)?;
                self.time = offsets
                    .into_iter()
                    .map(|offset| span.min_ts + i64::from(offset))
                    .collect();
            }
            Column::Interval => self.interval = decode_rows(span, column, blob, rows)?,
            Column::Coherent => self.coherent = decode_rows(span, column, blob, rows)?,
            Column::Target => self.target = decode_rows(span, column, blob, rows)?,
            Column::Visitor => self.visitor = decode_rows(span, column, blob, rows)?,
            Column::Referer => self.referer = decode_rows(span, column, blob, rows)?,
            Column::Place => self.place = decode_rows(span, column, blob, rows)?,
            Column::Client => self.client = decode_rows(span, column, blob, rows)?,
            Column::Language => self.language = decode_rows(span, column, blob, rows)?,
        }
        Ok(())
    }

    /// Leaves some rows.
    pub(super) fn keep(&mut self, rows: &Selection) {
        if let Selection::Rows(chosen) = rows {
            self.rows = chosen.len();
        }
        rows.apply(&mut self.time);
        rows.apply(&mut self.interval);
        rows.apply(&mut self.coherent);
        rows.apply(&mut self.target);
        rows.apply(&mut self.visitor);
        rows.apply(&mut self.referer);
        rows.apply(&mut self.place);
        rows.apply(&mut self.client);
        rows.apply(&mut self.language);
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

/// What a chunk's row says about its columns.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChunkHead {
    pub(super) id: i64,
    pub(super) span: Span,
}

impl ChunkHead {
    /// What stands between `SELECT` and `FROM chunk` for [`ChunkHead::read`].
    pub(super) const COLUMNS: &str = "id, format, n, min_ts, max_ts";

    /// Reads it from a row that begins with these columns.
    pub(super) fn read(row: &rusqlite::Row<'_>) -> Result<Self, EngineError> {
        let head = Self {
            id: row.get(0)?,
            span: Span {
                rows: row.get(2)?,
                min_ts: row.get(3)?,
                max_ts: row.get(4)?,
            },
        };
        let format: i64 = row.get(1)?;
        if format != i64::from(chunk::FORMAT) {
            return Err(head.damaged(ChunkError::Format { found: format }));
        }
        Ok(head)
    }

    fn damaged(self, source: ChunkError) -> EngineError {
        EngineError::Chunk {
            id: self.id,
            source,
        }
    }
}

fn names(columns: &[Column]) -> String {
    let names: Vec<&str> = columns.iter().map(|column| column.name()).collect();
    names.join(", ")
}
