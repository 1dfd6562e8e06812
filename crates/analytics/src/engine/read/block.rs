//! Rows in memory, column by column.

use rusqlite::{Connection, OptionalExtension};

use super::{
    dictionary::Dictionary,
    selection::{Selection, index, short},
    values::Values,
};
use crate::engine::{
    store::{
        chunk::{self, ChunkError, Directory, Entry, Pieces, Span},
        columns::{Column, Family, TEXTS, TextColumn},
        error::EngineError,
        front_coded::NoText,
        packed::Number,
    },
    write::draft::Numbers,
};

/// Some rows. Columns that were not asked for are empty.
#[derive(Debug, Default)]
pub(crate) struct Block {
    pub(crate) rows: usize,
    /// The moment after which there is no row in this block nor in those that a scan
    /// hands over after it, if that is known.
    pub(crate) no_later_than: Option<i64>,
    /// Milliseconds since 1970.
    pub(crate) time: Values<i64>,
    pub(crate) interval: Values<u32>,
    /// 1 where the row says something about the number of visitors.
    pub(crate) coherent: Values<u8>,
    pub(crate) link: Values<i64>,
    pub(crate) visitor: Values<u64>,
    /// Of each family, the entry that each row has.
    pub(crate) codes: [Option<Values<u32>>; Family::ALL.len()],
    /// Of a family, the rows of each entry, if that is all that was read.
    pub(crate) counts: [Option<Vec<u32>>; Family::ALL.len()],
    /// Of a family, how many entries the rows can have at most.
    pub(crate) most: [Option<usize>; Family::ALL.len()],
    /// Of a family, the fingerprints of its entries' texts.
    pub(crate) keys: [Option<Vec<u64>>; Family::ALL.len()],
    /// The rows before which those of each target's end, if all rows of a chunk
    /// are there and the rows of each target are one run.
    pub(crate) target_ends: Option<Vec<u32>>,
    /// Of families of which only a few entries are left, their numbers in the
    /// chunk.
    pub(crate) few: [Option<Vec<u32>>; Family::ALL.len()],
    /// Of each column of texts, those of its family's entries.
    pub(crate) texts: [Option<Texts>; TEXTS.len()],
}

/// The texts of one column.
#[derive(Clone, Debug, Default)]
pub(crate) struct Texts {
    /// Of each entry of the family, the number of its text; empty where all are
    /// the first one.
    pub(crate) of: Vec<u32>,
    pub(crate) dictionary: Dictionary,
}

impl Texts {
    /// The number of an entry's text.
    #[inline]
    pub(crate) fn number(&self, entry: u32) -> u32 {
        if self.of.is_empty() {
            0
        } else {
            self.of[index(entry)]
        }
    }

    /// The text of an entry.
    pub(crate) fn get(&self, entry: u32) -> &str {
        self.dictionary.get(self.number(entry))
    }

    fn unknown(column: usize) -> Self {
        Self {
            of: Vec::new(),
            dictionary: Dictionary::of(TEXTS[column].unknown),
        }
    }
}

impl Block {
    /// All of a chunk.
    pub(crate) fn whole(chunk: &Chunk<'_>) -> Result<Self, EngineError> {
        let mut block = Self::essential(chunk)?;
        for text in 0..TEXTS.len() {
            block.load(chunk, Column::Text(text), &Selection::All)?;
        }
        Ok(block)
    }

    /// The columns of a chunk without which its rows say nothing.
    pub(crate) fn essential(chunk: &Chunk<'_>) -> Result<Self, EngineError> {
        let mut block = Self {
            rows: index(chunk.span().rows),
            ..Self::default()
        };
        for column in [
            Column::Time,
            Column::Interval,
            Column::Coherent,
            Column::Link,
            Column::Visitor,
        ] {
            block.load(chunk, column, &Selection::All)?;
        }
        Ok(block)
    }

    /// Takes a column of texts for unknown in all rows.
    pub(crate) fn forget(&mut self, column: usize) {
        self.codes[TEXTS[column].family.index()].get_or_insert(Values::Same(0));
        self.texts[column] = Some(Texts::unknown(column));
    }

    /// A row, to be written again.
    pub(crate) fn numbers(&self, row: usize) -> Numbers {
        Numbers {
            time: self.time.at(row),
            link: self.link.at(row),
            visitor: self.visitor.at(row),
            interval: self.interval.at(row),
            coherent: self.coherent.at(row) == 1,
        }
    }

    /// The texts of a row.
    #[cfg(test)]
    pub(crate) fn texts_of(&self, row: usize) -> crate::engine::write::draft::RowTexts<'_> {
        crate::engine::write::draft::RowTexts(std::array::from_fn(|column| self.text(column, row)))
    }

    /// Of a family, the entry that each row has.
    pub(crate) fn codes(&self, family: Family) -> &Values<u32> {
        let codes = self.codes[family.index()].as_ref();
        codes.expect("the column was asked for")
    }

    /// The most entries of a family that the rows can have.
    pub(crate) fn entries(&self, family: Family) -> usize {
        let largest = || self.codes(family).largest();
        let entries = || largest().map_or(0, |entry| index(entry) + 1);
        self.most[family.index()].unwrap_or_else(entries)
    }

    /// The texts of the column at a place of [`TEXTS`].
    pub(crate) fn texts(&self, column: usize) -> &Texts {
        let texts = self.texts[column].as_ref();
        texts.expect("the column was asked for")
    }

    /// The text of one row.
    pub(crate) fn text(&self, column: usize, row: usize) -> &str {
        let entry = self.codes(TEXTS[column].family).at(row);
        self.texts(column).get(entry)
    }

    /// Leaves some rows.
    pub(crate) fn keep(&mut self, rows: &Selection) {
        self.rows = rows.count(self.rows);
        self.time.keep(rows);
        self.interval.keep(rows);
        self.coherent.keep(rows);
        self.link.keep(rows);
        self.visitor.keep(rows);
        debug_assert!(
            self.counts.iter().all(Option::is_none),
            "counts are of all rows"
        );
        for codes in self.codes.iter_mut().flatten() {
            codes.keep(rows);
        }
        if *rows != Selection::All {
            self.target_ends = None;
        }
    }

    /// Reads some rows of a column of a chunk, unless they were read before.
    pub(crate) fn load(
        &mut self,
        chunk: &Chunk<'_>,
        column: Column,
        rows: &Selection,
    ) -> Result<(), EngineError> {
        let read_before = match column {
            Column::Time => !self.time.are_missing(),
            Column::Visitor => !self.visitor.are_missing(),
            Column::Interval
            | Column::Coherent
            | Column::Link
            | Column::Text(_)
            | Column::Different(_)
            | Column::Entries(_) => false,
        };
        match column {
            _ if read_before => {}
            Column::Time => {
                let first = chunk.directory.span.min_ts;
                let times: Values<u32> = chunk.rows("ts", rows)?;
                let past_the_end = first.checked_add(u32::MAX.into()).is_none();
                if past_the_end {
                    return Err(chunk.damaged(ChunkError::Value { column: "ts" }));
                }
                self.time = times.map(|offset| first + i64::from(offset));
            }
            Column::Interval => self.interval = chunk.rows("si", rows)?,
            Column::Coherent => self.coherent = chunk.rows("coh", rows)?,
            Column::Visitor => self.visitor = chunk.rows("visitor", rows)?,
            Column::Link => self.link = chunk.links()?.of_rows(rows),
            Column::Text(text) => {
                self.load_codes(chunk, TEXTS[text].family, rows)?;
                self.load_texts(chunk, text)?;
            }
            Column::Different(text) if *rows == Selection::All => {
                self.texts[text] = Some(chunk.texts(text)?);
            }
            Column::Different(text) => self.load(chunk, Column::Text(text), rows)?,
            Column::Entries(text) => {
                let family = TEXTS[text].family;
                if !self.load_counts(chunk, family, rows)? {
                    self.load_codes(chunk, family, rows)?;
                }
                if self.keys(family).is_some() {
                    return Ok(());
                }
                let few = self.few[family.index()].is_some() || self.has_few(family);
                if few || !chunk.are_keys_cheaper(text) {
                    return self.load_texts(chunk, text);
                }
                let keys = chunk.keys(family, self.entries(family))?;
                self.keys[family.index()] = Some(keys);
            }
        }
        Ok(())
    }

    /// Counts the rows of each entry of a family, if all rows are asked for and each
    /// stands for as many visits.
    fn load_counts(
        &mut self,
        chunk: &Chunk<'_>,
        family: Family,
        rows: &Selection,
    ) -> Result<bool, EngineError> {
        let (name, entries) = (family.name(), chunk.count(family.keys()));
        let is_read = self.codes[family.index()].is_some();
        let has_counts = entries > 0 && chunk.count(name) > 0;
        // Rows of targets are known without their numbers.
        if is_read || *rows != Selection::All || family == Family::Target || !has_counts {
            return Ok(false);
        }
        self.interval = chunk.rows("si", rows)?;
        if matches!(self.interval, Values::Each(_)) {
            return Ok(false);
        }
        let codes = chunk.row_numbers(name)?;
        let counts = chunk.with_data(codes, name, |data| {
            let counts = chunk::numbers(name, codes, data)?.counts(entries);
            counts.ok_or(ChunkError::Value { column: name })
        })?;
        self.most[family.index()] = Some(entries);
        self.counts[family.index()] = Some(counts);
        Ok(true)
    }

    /// Reads which entries of a family some rows have.
    pub(crate) fn load_codes(
        &mut self,
        chunk: &Chunk<'_>,
        family: Family,
        rows: &Selection,
    ) -> Result<(), EngineError> {
        if self.codes[family.index()].is_some() {
            return Ok(());
        }
        let codes = match (chunk.directory.numbers(family.name()), family) {
            (None, _) => Values::Same(0),
            (Some(_), Family::Target) => {
                let (targets, ends) = chunk.targets(rows)?;
                self.target_ends = ends;
                targets
            }
            (Some(_), _) => chunk.rows(family.name(), rows)?,
        };
        let entries = codes.largest().map_or(0, |entry| index(entry) + 1);
        // Each is in some row.
        if entries > index(chunk.span().rows) {
            let column = family.name();
            return Err(chunk.damaged(ChunkError::Value { column }));
        }
        self.most[family.index()] = Some(entries);
        self.codes[family.index()] = Some(codes);
        Ok(())
    }

    /// Reads the texts that the rows have in a column.
    fn load_texts(&mut self, chunk: &Chunk<'_>, column: usize) -> Result<(), EngineError> {
        if self.texts[column].is_none() {
            let family = TEXTS[column].family;
            self.leave_few(family);
            self.texts[column] = Some(match &self.few[family.index()] {
                Some(entries) => chunk.some_texts(column, entries)?,
                None => chunk.texts(column)?,
            });
            self.check(chunk, column)?;
        }
        Ok(())
    }

    /// Numbers the entries of a family anew if far fewer are left than there
    /// were, so that no others' texts are read.
    fn leave_few(&mut self, family: Family) {
        if self.few[family.index()].is_some() || !self.has_few(family) {
            return;
        }
        let Some(codes) = &mut self.codes[family.index()] else {
            return;
        };
        let entries = match codes {
            Values::Same(code) => vec![std::mem::take(code)],
            Values::Each(codes) => {
                let mut entries = codes.clone();
                entries.sort_unstable();
                entries.dedup();
                for code in codes {
                    *code = short(entries.partition_point(|entry| entry < code));
                }
                entries
            }
        };
        self.most[family.index()] = Some(entries.len());
        self.few[family.index()] = Some(entries);
    }

    /// True if most entries of a family cannot be in any row.
    fn has_few(&self, family: Family) -> bool {
        const FEW: usize = 4;
        self.entries(family) / FEW > self.rows
    }

    /// The fingerprints of the entries of a family, if they were read instead of
    /// texts.
    pub(crate) fn keys(&self, family: Family) -> Option<&[u64]> {
        self.keys[family.index()].as_deref()
    }

    /// Refuses entries that have no text. Writers make none.
    fn check(&self, chunk: &Chunk<'_>, column: usize) -> Result<(), EngineError> {
        let entries = self.entries(TEXTS[column].family);
        let texts = self.texts(column);
        if texts.of.is_empty() || entries <= texts.of.len() {
            return Ok(());
        }
        let column = TEXTS[column].name;
        Err(chunk.damaged(ChunkError::Value { column }))
    }
}

/// The links of a chunk's rows, in order.
#[derive(Debug, Default)]
pub(crate) struct LinkRuns {
    links: Vec<i64>,
    /// The row before which the rows of each end.
    ends: Vec<u32>,
}

impl LinkRuns {
    /// The rows of links that meet a condition.
    pub(crate) fn select(&self, meets: impl Fn(i64) -> bool) -> Selection {
        let mut chosen = Vec::new();
        let mut start = 0;
        for (&link, &end) in self.links.iter().zip(&self.ends) {
            if meets(link) {
                chosen.extend(start..end);
            }
            start = end;
        }
        if chosen.len() == index(start) {
            Selection::All
        } else {
            Selection::Rows(chosen)
        }
    }

    pub(crate) fn links(&self) -> &[i64] {
        &self.links
    }

    fn of_rows(&self, rows: &Selection) -> Values<i64> {
        spread(&self.ends, rows, |run| self.links[run])
    }
}

/// Gives each selected row the value of its run.
fn spread<T: Copy>(ends: &[u32], rows: &Selection, of: impl Fn(usize) -> T) -> Values<T> {
    if ends.len() == 1 {
        return Values::Same(of(0));
    }
    Values::Each(match rows {
        Selection::All => {
            let mut each = Vec::with_capacity(ends.last().copied().map_or(0, index));
            for (run, &end) in ends.iter().enumerate() {
                each.resize(index(end), of(run));
            }
            each
        }
        Selection::Rows(rows) => {
            let mut run = 0;
            let of_row = |row: &u32| {
                run += ends[run..].partition_point(|end| end <= row);
                of(run)
            };
            rows.iter().map(of_row).collect()
        }
    })
}

/// A chunk in a file.
#[derive(Debug)]
pub(crate) struct Chunk<'c> {
    db: &'c Connection,
    pub(crate) id: i64,
    directory: Directory,
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

    /// Of each link, the row before which its rows end.
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

    /// The rows of one link. Most chunks have none, and of those no more is read
    /// than which links they have.
    pub(crate) fn rows_of(&self, link: i64) -> Result<Selection, EngineError> {
        let links = self.numbers_column("links")?;
        let place = self.with_data(links, "links", |data| {
            Ok(chunk::numbers("links", links, data)?.find(link.cast_unsigned()))
        })?;
        let Some(place) = place else {
            return Ok(Selection::Rows(Vec::new()));
        };
        let column = "link_ends";
        let ends = self.numbers_column(column)?;
        if links.count() != ends.count() {
            return Err(self.damaged(ChunkError::Value { column }));
        }
        let (start, end) = self.with_data(ends, column, |data| {
            let packed = chunk::numbers(column, ends, data)?;
            let start = place.checked_sub(1).map_or(0, |before| packed.at(before));
            Ok((start, packed.at(place)))
        })?;
        match (u32::try_from(start), u32::try_from(end)) {
            (Ok(start), Ok(end)) if start <= end && end <= self.span().rows => {
                Ok(Selection::Rows((start..end).collect()))
            }
            (Ok(_) | Err(_), _) => Err(self.damaged(ChunkError::Value { column })),
        }
    }

    /// Of some rows, the entries of the family of targets. Most links have one,
    /// so what is stored is how many there were beside the links so far. Ends of
    /// runs are there if it is none, for all rows.
    fn targets(&self, rows: &Selection) -> Result<(Values<u32>, Option<Vec<u32>>), EngineError> {
        let beside: Values<u32> = self.rows(Family::Target.name(), rows)?;
        let ends = self.ends()?;
        let links = spread(&ends, rows, short);
        if beside == Values::Same(0) {
            return Ok((links, (*rows == Selection::All).then_some(ends)));
        }
        let count = rows.count(index(self.span().rows));
        let entry = |row| links.at(row).saturating_add(beside.at(row));
        Ok((Values::Each((0..count).map(entry).collect()), None))
    }

    /// True if the fingerprints of a family are there, and are read in less time
    /// than the texts of one of its columns.
    fn are_keys_cheaper(&self, column: usize) -> bool {
        const AS_LONG_AS_A_TEXT: usize = 4;
        let texts = self.directory.texts(TEXTS[column].name);
        let texts = texts.map_or(0, Entry::count);
        let keys = self.count(TEXTS[column].family.keys());
        keys > 0 && keys < texts * AS_LONG_AS_A_TEXT
    }

    /// Reads all fingerprints beside the texts of a block of all rows.
    pub(crate) fn check_keys(&self, block: &Block) -> Result<(), EngineError> {
        let with_keys = Family::ALL
            .into_iter()
            .filter(|family| self.directory.numbers(family.keys()).is_some());
        for family in with_keys {
            self.keys(family, block.entries(family))?;
        }
        Ok(())
    }

    /// The fingerprints of the entries of a family, of which there are so many at
    /// least.
    fn keys(&self, family: Family, entries: usize) -> Result<Vec<u64>, EngineError> {
        let column = family.keys();
        let keys: Values<u64> = self.all(column)?;
        let count = self.count(column);
        if entries <= count {
            Ok(keys.into_list(count))
        } else {
            Err(self.damaged(ChunkError::Value { column }))
        }
    }

    /// The texts of the column at a place of [`TEXTS`].
    fn texts(&self, column: usize) -> Result<Texts, EngineError> {
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

    /// The texts of some entries, which are in order, by their places among
    /// these.
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
        let mut places = if of.is_empty() { vec![0] } else { of.clone() };
        places.sort_unstable();
        places.dedup();
        let dictionary = self.with_data(texts, name, |data| {
            let some = chunk::texts(name, texts, data)?.some(&places);
            some.ok_or(ChunkError::Text { column: name })
        })?;
        for number in &mut of {
            *number = short(places.partition_point(|place| place < number));
        }
        Ok(Texts { of, dictionary })
    }

    /// Of each text of a column, whether it is one of some texts, and of each
    /// entry of the column's family, the number of its text; none if all have
    /// the first one.
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
                let place = coded
                    .find(text)
                    .map_err(|NoText| ChunkError::Text { column: name })?;
                if let Some(place) = place {
                    found[index(place)] = true;
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

    /// Some rows of a column that has a number of each.
    fn rows<T: Number>(
        &self,
        name: &'static str,
        rows: &Selection,
    ) -> Result<Values<T>, EngineError> {
        self.row_numbers(name)?;
        self.numbers(name, rows)
    }

    /// A column that has a number of each row.
    fn row_numbers(&self, column: &'static str) -> Result<&Entry, EngineError> {
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
            // Writers make no such columns, so this is damage that the checksum
            // did not notice.
            let values = chunk::numbers(name, entry, data)?.read(rows);
            values.ok_or(ChunkError::Value { column: name })
        })
    }

    /// Reads some rows of a column from those pieces that have them; `None` if
    /// there is no such part.
    fn numbers_in<T: Number>(
        &self,
        entry: &Entry,
        name: &'static str,
        pieces: &Pieces,
        rows: &[u32],
    ) -> Result<Option<Values<T>>, EngineError> {
        let id = part_id(self.id, entry.place);
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

    fn count(&self, name: &str) -> usize {
        self.directory.numbers(name).map_or(0, Entry::count)
    }

    /// Hands a column's data over, whether in the directory or in a part.
    fn with_data<T>(
        &self,
        entry: &Entry,
        name: &'static str,
        read: impl FnOnce(&[u8]) -> Result<T, ChunkError>,
    ) -> Result<T, EngineError> {
        if let Some(data) = entry.here() {
            return read(data).map_err(|source| self.damaged(source));
        }
        let part = part_id(self.id, entry.place);
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

    fn damaged(&self, source: ChunkError) -> EngineError {
        EngineError::Chunk {
            id: self.id,
            source,
        }
    }
}

/// The number of a part.
pub(crate) fn part_id(chunk: i64, place: u8) -> i64 {
    chunk * 256 + i64::from(place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{
        store::schema,
        tests::row,
        write::{draft::Draft, seal},
    };

    #[test]
    fn the_rows_of_one_link_are_read_from_the_pieces_that_have_them() {
        const ROWS: u64 = 20_000;
        let folder = tempfile::tempdir().unwrap();
        let db = schema::open_writer(&folder.path().join("a.db")).unwrap();
        let mut draft = Draft::default();
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
        // 61 is in two pieces, 199 in the last one, which is shorter.
        for link in [0, 1, 61, 100, 199] {
            assert_eq!(read(link).unwrap(), visitors_of(link));
        }
        let part = "(SELECT id FROM part ORDER BY length(data) DESC LIMIT 1)";
        let sum = 10 * 8;
        for (place, damaged) in [(0, 0), (sum + 8 * 2_050, 40), (sum + 8 * 19_999, 199)] {
            let id = db.query_row(&format!("SELECT {part}"), [], |row| row.get(0));
            let id: i64 = id.unwrap();
            let mut blob = db.blob_open("main", "part", "data", id, false).unwrap();
            let mut before = [0];
            blob.read_at_exact(&mut before, place).unwrap();
            blob.write_at(&[before[0] ^ 1], place).unwrap();
            for link in [0, 40, 100, 199] {
                match read(link) {
                    Ok(visitors) => assert_eq!(visitors, visitors_of(link)),
                    Err(error) => assert!(error.is_damage()),
                }
                assert_eq!(read(link).is_err(), link == damaged, "{link} {place}");
            }
            blob.write_at(&before, place).unwrap();
        }
        db.execute_batch(&format!("UPDATE part SET data = x'00' WHERE id = {part}"))
            .unwrap();
        assert!(read(100).unwrap_err().is_damage());
        db.execute_batch("DELETE FROM part").unwrap();
        assert!(read(100).unwrap_err().is_damage());
    }

    #[test]
    fn rows_of_links_are_found_by_their_runs() {
        let runs = LinkRuns {
            links: vec![2, 5, 9],
            ends: vec![3, 4, 6],
        };
        let rows = |rows: &[u32]| Selection::Rows(rows.to_vec());
        assert_eq!(runs.select(|link| link != 5), rows(&[0, 1, 2, 4, 5]));
        assert_eq!(runs.select(|_| true), Selection::All);
        let all = Values::Each(vec![2, 2, 2, 5, 9, 9]);
        assert_eq!(runs.of_rows(&Selection::All), all);
        assert_eq!(runs.of_rows(&rows(&[1, 3, 5])), Values::Each(vec![2, 5, 9]));
        let one = LinkRuns {
            links: vec![7],
            ends: vec![2],
        };
        assert_eq!(one.of_rows(&Selection::All), Values::Same(7));
    }
}
