//! Reads a chunk's columns from the file.

use rusqlite::{Connection, OptionalExtension};
use slugline_analytics::{
    bounds,
    columns::{Family, TEXTS, TextColumn},
};

use super::error::EngineError;
use crate::format::{
    block::Block,
    chunk::{self, ChunkError, Directory, Entry, Pieces, Span, part_id},
    dictionary::Texts,
    front_coded::NoText,
    link_runs::{LinkRuns, spread},
    packed::Number,
    selection::{Selection, index, short},
    values::Values,
};

/// A chunk in a file.
#[derive(Debug)]
pub(crate) struct Chunk<'c> {
    db: &'c Connection,
    pub(crate) id: i64,
    pub(crate) directory: Directory,
}

impl<'c> Chunk<'c> {
    /// The columns to select for [`Chunk::read`].
    pub(crate) const COLUMNS: &'static str = "id, format, n, min_ts, max_ts, directory";

    /// Reads it from a row that begins with these columns.
    pub(crate) fn read(db: &'c Connection, row: &rusqlite::Row<'_>) -> Result<Self, EngineError> {
        let id = row.get(0)?;
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
        let directory = row.get_ref(5)?.as_blob().map_err(rusqlite::Error::from)?;
        let directory = Directory::parse(span, directory).map_err(damaged)?;
        Ok(Self { db, id, directory })
    }

    pub(crate) fn span(&self) -> Span {
        self.directory.span
    }

    /// The links of its rows.
    pub(crate) fn links(&self) -> Result<LinkRuns, EngineError> {
        let links: Values<u64> = self.all("links")?;
        let links = links.map(u64::cast_signed).into_list(self.count("links"));
        let ends = self.ends()?;
        if links.len() == ends.len() && links.is_sorted() {
            Ok(LinkRuns { links, ends })
        } else {
            Err(self.damaged(ChunkError::Value { column: "links" }))
        }
    }

    /// The ends of the links' runs: for each link, the index after its last row.
    fn ends(&self) -> Result<Vec<u32>, EngineError> {
        let column = "link_ends";
        let ends: Values<u32> = self.all(column)?;
        let ends = ends.into_list(self.count(column));
        let last = ends.last().copied().unwrap_or(0);
        if ends.is_sorted() && last == self.span().rows {
            Ok(ends)
        } else {
            Err(self.damaged(ChunkError::Value { column }))
        }
    }

    /// The rows of one link. Most chunks have none; of such a chunk this reads only the list of
    /// links.
    pub(crate) fn rows_of(&self, link: i64) -> Result<Selection, EngineError> {
        let links = self.numbers_column("links")?;
        let position = self.with_data(links, "links", |data| {
            Ok(chunk::numbers("links", links, data)?.find(link.cast_unsigned()))
        })?;
        let Some(position) = position else {
            return Ok(Selection::Rows(Vec::new()));
        };
        let column = "link_ends";
        let ends = self.numbers_column(column)?;
        if links.count() != ends.count() {
            return Err(self.damaged(ChunkError::Value { column }));
        }
        let (start, end) = self.with_data(ends, column, |data| {
            let packed = chunk::numbers(column, ends, data)?;
            let start = position
                .checked_sub(1)
                .map_or(0, |before| packed.at(before));
            Ok((start, packed.at(position)))
        })?;
        match (u32::try_from(start), u32::try_from(end)) {
            (Ok(start), Ok(end)) if start <= end && end <= self.span().rows => {
                Ok(Selection::Rows((start..end).collect()))
            }
            (Ok(_) | Err(_), _) => Err(self.damaged(ChunkError::Value { column })),
        }
    }

    /// The entries of the family of targets in some rows. Most links have one entry, so the chunk
    /// stores the number of further entries so far. For all rows, this also returns the ends of the
    /// runs, unless the chunk stores none.
    pub(crate) fn targets(
        &self,
        rows: &Selection,
    ) -> Result<(Values<u32>, Option<Vec<u32>>), EngineError> {
        let beside: Values<u32> = self.rows(Family::VisitedLink.name(), rows)?;
        let ends = self.ends()?;
        let links = spread(&ends, rows, short);
        if beside == Values::Same(0) {
            return Ok((links, (*rows == Selection::All).then_some(ends)));
        }
        let count = rows.count(index(self.span().rows));
        let entry = |row| links.at(row).saturating_add(beside.at(row));
        Ok((Values::Each((0..count).map(entry).collect()), None))
    }

    /// Returns whether the chunk has a family's fingerprints, and whether reading them takes less
    /// time than reading the texts of one of its columns.
    pub(crate) fn are_keys_cheaper(&self, column: usize) -> bool {
        const AS_LONG_AS_A_TEXT: usize = 4;
        let texts = self.directory.texts(TEXTS[column].name);
        let texts = texts.map_or(0, Entry::count);
        let keys = self.count(TEXTS[column].family.keys());
        keys > 0 && keys < texts * AS_LONG_AS_A_TEXT
    }

    /// Reads all fingerprints beside the texts of a block of all rows.
    pub(crate) fn check_keys(&self, block: &Block) -> Result<(), EngineError> {
        let with_keys = Family::STORED
            .into_iter()
            .filter(|family| self.directory.numbers(family.keys()).is_some());
        for family in with_keys {
            self.keys(family, block.entries(family))?;
        }
        Ok(())
    }

    /// The fingerprints of the entries of a family, which has at least this many.
    pub(crate) fn keys(&self, family: Family, entries: usize) -> Result<Vec<u64>, EngineError> {
        let column = family.keys();
        let keys: Values<u64> = self.all(column)?;
        let count = self.count(column);
        if entries <= count {
            Ok(keys.into_list(count))
        } else {
            Err(self.damaged(ChunkError::Value { column }))
        }
    }

    /// The bytes that the texts which strangers choose can have at most.
    pub(crate) fn most_bytes_of_strangers(&self) -> usize {
        let of_strangers = TEXTS
            .iter()
            .filter(|text| text.max_bytes <= bounds::USER_AGENT_MAX_BYTES);
        let bytes = of_strangers.map(|text| {
            let texts = self.directory.texts(text.name);
            texts.map_or(0, Entry::count) * text.max_bytes
        });
        bytes.sum()
    }

    /// The texts of the column with this index in [`TEXTS`].
    pub(crate) fn texts(&self, column: usize) -> Result<Texts, EngineError> {
        let name = TEXTS[column].name;
        let Some(entry) = self.directory.texts(name) else {
            return Ok(Texts::unknown(column));
        };
        let dictionary = self.with_data(entry, name, |data| {
            let texts = chunk::texts(name, entry, data)?.all();
            texts.ok_or(ChunkError::Text { column: name })
        })?;
        let of = self.text_numbers(column)?;
        let largest = of.iter().max().copied().map_or(0, index);
        if largest < dictionary.len() {
            Ok(Texts { of, dictionary })
        } else {
            Err(self.damaged(ChunkError::Value { column: name }))
        }
    }

    /// The texts of some entries, which are in order. The result numbers them by their indexes in
    /// `entries`.
    pub(crate) fn some_texts(&self, column: usize, entries: &[u32]) -> Result<Texts, EngineError> {
        let name = TEXTS[column].name;
        let Some(texts) = self.directory.texts(name) else {
            return Ok(Texts::unknown(column));
        };
        let mut of = match self.directory.numbers(name) {
            Some(numbers) => self.with_data(numbers, name, |data| {
                let packed = chunk::numbers(name, numbers, data)?;
                let number = |&entry: &u32| {
                    let entry = Some(index(entry)).filter(|&entry| entry < numbers.count());
                    u32::try_from(packed.at(entry?)).ok()
                };
                let all: Option<Vec<u32>> = entries.iter().map(number).collect();
                all.ok_or(ChunkError::Value { column: name })
            })?,
            None => Vec::new(),
        };
        let mut positions = if of.is_empty() { vec![0] } else { of.clone() };
        positions.sort_unstable();
        positions.dedup();
        let dictionary = self.with_data(texts, name, |data| {
            let some = chunk::texts(name, texts, data)?.some(&positions);
            some.ok_or(ChunkError::Text { column: name })
        })?;
        for number in &mut of {
            *number = short(positions.partition_point(|position| position < number));
        }
        Ok(Texts { of, dictionary })
    }

    /// For each text of a column: is it in the given set? For each entry of the column's family:
    /// the index of its text; empty if all entries have the first text.
    pub(crate) fn find<'t>(
        &self,
        column: usize,
        wanted: impl Iterator<Item = &'t str>,
    ) -> Result<(Vec<bool>, Vec<u32>), EngineError> {
        let TextColumn { name, unknown, .. } = TEXTS[column];
        let mut wanted = wanted;
        let Some(texts) = self.directory.texts(name) else {
            return Ok((vec![wanted.any(|text| text == unknown)], Vec::new()));
        };
        let found = self.with_data(texts, name, |data| {
            let coded = chunk::texts(name, texts, data)?;
            let mut found = vec![false; texts.count()];
            for text in wanted {
                let position = coded
                    .find(text)
                    .map_err(|NoText| ChunkError::Text { column: name })?;
                if let Some(position) = position {
                    found[index(position)] = true;
                }
            }
            Ok(found)
        })?;
        Ok((found, self.text_numbers(column)?))
    }

    fn text_numbers(&self, column: usize) -> Result<Vec<u32>, EngineError> {
        let name = TEXTS[column].name;
        match self.directory.numbers(name) {
            Some(numbers) => {
                let of: Values<u32> = self.all(name)?;
                Ok(of.into_list(numbers.count()))
            }
            None => Ok(Vec::new()),
        }
    }

    /// The numbers of some rows in a column with a number for each row.
    pub(crate) fn rows<T: Number>(
        &self,
        name: &'static str,
        rows: &Selection,
    ) -> Result<Values<T>, EngineError> {
        self.row_numbers(name)?;
        self.numbers(name, rows)
    }

    /// A column with a number for each row.
    pub(crate) fn row_numbers(&self, column: &'static str) -> Result<&Entry, EngineError> {
        let entry = self.numbers_column(column)?;
        let (found, expected) = (entry.count(), index(self.span().rows));
        if found == expected {
            return Ok(entry);
        }
        Err(self.damaged(ChunkError::Length {
            column,
            found,
            expected,
        }))
    }

    fn all<T: Number>(&self, name: &'static str) -> Result<Values<T>, EngineError> {
        self.numbers(name, &Selection::All)
    }

    fn numbers<T: Number>(
        &self,
        name: &'static str,
        rows: &Selection,
    ) -> Result<Values<T>, EngineError> {
        let entry = self.numbers_column(name)?;
        if let Selection::Rows(rows) = rows
            && let (Some(&first), Some(&last)) = (rows.first(), rows.last())
            && let Some(pieces) = entry.pieces_of(first, last)
            && let Some(values) = self.numbers_in(entry, name, &pieces, rows)?
        {
            return Ok(values);
        }
        self.with_data(entry, name, |data| {
            // Writers make no such columns, so this is damage that the checksum missed.
            let values = chunk::numbers(name, entry, data)?.read(rows);
            values.ok_or(ChunkError::Value { column: name })
        })
    }

    /// Reads some rows of a column from the pieces that contain them; `None` if there is no such
    /// part.
    fn numbers_in<T: Number>(
        &self,
        entry: &Entry,
        name: &'static str,
        pieces: &Pieces,
        rows: &[u32],
    ) -> Result<Option<Values<T>>, EngineError> {
        let id = part_id(self.id, entry.position);
        let Ok(part) = self.db.blob_open("main", "part", "data", id, true) else {
            return Ok(None);
        };
        if part.len() != pieces.all {
            return Err(self.damaged(ChunkError::Size { column: name }));
        }
        let mut sums = vec![0; pieces.sums.len()];
        part.read_at_exact(&mut sums, pieces.sums.start)?;
        let mut data = vec![0; pieces.data.len()];
        part.read_at_exact(&mut data, pieces.data.start)?;
        let numbers = entry.numbers_of(self.span(), name, pieces, (&sums, &data));
        let numbers = numbers.map_err(|source| self.damaged(source))?;
        let before = short(pieces.rows.start);
        let rows = rows.iter().map(|row| row - before).collect();
        let values = numbers.read(&Selection::Rows(rows));
        let values = values.ok_or(ChunkError::Value { column: name });
        values.map(Some).map_err(|source| self.damaged(source))
    }

    fn numbers_column(&self, column: &'static str) -> Result<&Entry, EngineError> {
        let entry = self.directory.numbers(column);
        entry.ok_or_else(|| self.damaged(ChunkError::Absent { column }))
    }

    pub(crate) fn count(&self, name: &str) -> usize {
        self.directory.numbers(name).map_or(0, Entry::count)
    }

    /// Passes a column's data to `read`, from the directory or from a part.
    pub(crate) fn with_data<T>(
        &self,
        entry: &Entry,
        name: &'static str,
        read: impl FnOnce(&[u8]) -> Result<T, ChunkError>,
    ) -> Result<T, EngineError> {
        if let Some(data) = entry.here() {
            return read(data).map_err(|source| self.damaged(source));
        }
        let part = part_id(self.id, entry.position);
        let found = self
            .db
            .prepare_cached("SELECT data FROM part WHERE id = ?1")?
            .query_row([part], |row| {
                let part = row.get_ref(0)?.as_blob()?;
                Ok(entry.data(self.span(), name, part).and_then(read))
            })
            .optional()?;
        let found = found.unwrap_or(Err(ChunkError::Absent { column: name }));
        found.map_err(|source| self.damaged(source))
    }

    pub(crate) fn damaged(&self, source: ChunkError) -> EngineError {
        EngineError::Chunk {
            id: self.id,
            source,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        file::{schema, seal},
        format::{
            block::{Column, Numbers},
            block_builder::BlockBuilder,
        },
        tests::rows::row,
    };

    #[test]
    fn the_rows_of_one_link_are_read_from_the_pieces_that_have_them() {
        const ROWS: u64 = 20_000;
        let folder = tempfile::tempdir().unwrap();
        let db = schema::open_writer(&folder.path().join("a.db")).unwrap();
        let mut draft = BlockBuilder::default();
        for n in 0..ROWS {
            let visitor = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let row = row(i64::try_from(n % 100).unwrap(), visitor);
            let link = i64::try_from(n / 100).unwrap();
            draft.push(Numbers::of(&row, link), &row);
        }
        seal::write(&db, &draft, None).unwrap();
        let sql = format!("SELECT {} FROM chunk", Chunk::COLUMNS);
        let read = |link: i64| {
            db.query_row(&sql, [], |row| {
                let chunk = Chunk::read(&db, row).unwrap();
                let mut block = Block::default();
                let rows = chunk.rows_of(link);
                let read = rows.and_then(|rows| block.load(&chunk, Column::Visitor, &rows));
                Ok(read.map(|()| block.visitor))
            })
            .unwrap()
        };
        let visitors_of = |link: i64| {
            let first = usize::try_from(link).unwrap() * 100;
            let rows = first..first + 100;
            Values::Each(rows.map(|row| draft.numbers(row).visitor).collect())
        };
        // Link 61 is in two pieces, link 199 in the last one, which is shorter.
        for link in [0, 1, 61, 100, 199] {
            assert_eq!(read(link).unwrap(), visitors_of(link));
        }
        let part = "(SELECT id FROM part ORDER BY length(data) DESC LIMIT 1)";
        let sum = 10 * 8;
        for (position, damaged) in [(0, 0), (sum + 8 * 2_050, 40), (sum + 8 * 19_999, 199)] {
            let id = db.query_row(&format!("SELECT {part}"), [], |row| row.get(0));
            let id: i64 = id.unwrap();
            let mut blob = db.blob_open("main", "part", "data", id, false).unwrap();
            let mut before = [0];
            blob.read_at_exact(&mut before, position).unwrap();
            blob.write_at(&[before[0] ^ 1], position).unwrap();
            for link in [0, 40, 100, 199] {
                match read(link) {
                    Ok(visitors) => assert_eq!(visitors, visitors_of(link)),
                    Err(error) => assert!(error.is_damage()),
                }
                assert_eq!(read(link).is_err(), link == damaged, "{link} {position}");
            }
            blob.write_at(&before, position).unwrap();
        }
        db.execute_batch(&format!("UPDATE part SET data = x'00' WHERE id = {part}"))
            .unwrap();
        assert!(read(100).unwrap_err().is_damage());
        db.execute_batch("DELETE FROM part").unwrap();
        assert!(read(100).unwrap_err().is_damage());
    }
}
