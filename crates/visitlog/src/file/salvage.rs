//! Reads the remaining rows of a damaged access log.
//!
//! It reads every entry, row and chunk by its own number, so a damaged page costs only its own
//! content.

use std::{
    collections::{BTreeSet, HashSet},
    path::Path,
};

use rusqlite::{Connection, OptionalExtension, Row, params};
use slugline_analytics::{
    OpenError, Rebuilt,
    columns::TEXTS,
    journal::{
        remains::{Keys, copy_losses, copy_readable, copy_sampled, many},
        replace::replace,
    },
    losses::Loss,
    sampled::{self, Span},
    transfer::import::copy_marks,
};
use slugline_domain::{SamplingInterval, UnixMillis, UnixSeconds, with_causes};

use crate::{
    file::{
        chunk::Chunk,
        erasure,
        error::EngineError,
        handover::copy_leaving,
        links, salted_days,
        schema::ACCESS_LOG,
        seal,
        tail::{self, Batch},
    },
    format::{
        block::{Block, Column},
        block_builder::BlockBuilder,
        selection::Selection,
    },
};

/// Replaces the access log in a file by one with everything that can still be read. The old file,
/// and SQLite's files beside it, stay under names that end with `.damaged-` and the moment.
///
/// # Errors
/// Another process is writing to the file, a newer version or another program wrote the file, or
/// the new one cannot be written. Nothing has changed then.
pub fn rebuild(path: &Path, now: UnixSeconds) -> Result<Rebuilt, OpenError> {
    replace(&ACCESS_LOG, path, now, copy)
}

/// The facts that the saved rows tell.
#[derive(Debug, Default)]
struct Told {
    links: HashSet<i64>,
    sampled_days: BTreeSet<Span>,
}

impl Told {
    fn note(&mut self, draft: &BlockBuilder) {
        for row in 0..draft.len() {
            let numbers = draft.numbers(row);
            self.links.insert(numbers.link);
            let interval = SamplingInterval::new(numbers.interval);
            if let Some(interval) = interval.filter(|&interval| interval > SamplingInterval::EVERY)
            {
                let at = UnixMillis::new(numbers.time);
                self.sampled_days.insert(Span::day_of(at, interval));
            }
        }
    }
}

fn copy(
    old: &Connection,
    new: &mut Connection,
    rebuilt: &mut Rebuilt,
) -> Result<(), rusqlite::Error> {
    let tx = new.transaction()?;
    copy_readable(old, &tx, "link", "number")?;
    let erased = copy_erasures(old, &tx)?;
    copy_readable(old, &tx, "salt", "start_ms")?;
    let mut told = Told::default();
    let mut losses = copy_chunks(old, &tx, rebuilt, &mut told)?;
    losses.extend(copy_tail(old, &tx, rebuilt, &mut told)?);
    if !copy_sampled(old, &tx)? {
        // No answer is exact any more.
        losses.push(Loss::unknown());
        sampled::table::save(&tx, told.sampled_days.iter())?;
    }
    // A day whose note cannot be read counts as one without. Day totals are counted anew.
    copy_readable(old, &tx, "salted_day", "day")?;
    salted_days::note_unknown(&tx)?;
    let used = told.links;
    reserve_numbers(old, &tx, used.iter().chain(&erased).copied().max())?;
    let mut lost = 0;
    // The new file's upkeep removes the rows of these links from the tail.
    for link in used.into_iter().filter(|link| !erased.contains(link)) {
        if links::name(&tx, link)?.is_none() {
            // No real link can have this name.
            tx.prepare_cached("INSERT INTO link (number, link_id) VALUES (?1, ?2)")?
                .execute(params![link, format!("(lost {link})")])?;
            lost += 1;
        }
    }
    for many in many(lost, false) {
        let lost = format!("the identity of {many} links; their visits count for none");
        rebuilt.lost.push(lost);
    }
    copy_losses(old, &tx, &losses)?;
    rebuilt.lost.extend(copy_marks(old, &tx)?);
    rebuilt.lost.extend(copy_leaving(old, &tx)?);
    tx.commit()
}

/// Reserves the numbers that links had, so that no new link gets one of them: those up to the
/// largest of visits and marks, and up to the last one that the old file gave.
fn reserve_numbers(
    old: &Connection,
    new: &Connection,
    seen: Option<i64>,
) -> Result<(), rusqlite::Error> {
    /// Numbers from here on are damage. They would leave none for new links.
    const END: i64 = 1 << 62;
    let given = old.query_row(
        "SELECT max(seq) FROM sqlite_sequence WHERE name = 'link'",
        [],
        |row| row.get::<_, Option<i64>>(0),
    );
    let numbers = seen.into_iter().chain(given.ok().flatten());
    if let Some(last) = numbers.filter(|number| *number < END).max() {
        // SQLite keeps the largest number that was ever inserted.
        new.execute(
            "INSERT OR IGNORE INTO link (number, link_id) VALUES (?1, '')",
            [last],
        )?;
        new.execute(
            "DELETE FROM link WHERE number = ?1 AND link_id = ''",
            [last],
        )?;
    }
    Ok(())
}

/// Copies the marks of links whose visits are being erased, and returns them.
fn copy_erasures(old: &Connection, new: &Connection) -> Result<HashSet<i64>, rusqlite::Error> {
    for link in Keys::of(old, "erasure", "link").found {
        new.execute("INSERT INTO erasure (link) VALUES (?1)", [link])?;
    }
    erasure::marked(new)
}

fn copy_chunks(
    old: &Connection,
    new: &Connection,
    rebuilt: &mut Rebuilt,
    told: &mut Told,
) -> Result<Vec<Loss>, rusqlite::Error> {
    let chunks = Keys::of(old, "chunk", "id");
    let mut losses = Vec::new();
    for many in many(0, chunks.unreachable) {
        rebuilt.lost.push(format!("{many} chunks"));
        losses.push(Loss::unknown());
    }
    for id in chunks.found {
        match read_chunk(old, id, &mut rebuilt.lost) {
            Ok(Some(block)) => {
                let mut draft = BlockBuilder::default();
                draft.append(&block);
                told.note(&draft);
                seal::write(new, &draft, Some(id))?;
                rebuilt.rows += u64::try_from(block.rows).unwrap_or(0);
            }
            Ok(None) => {}
            Err(error) => {
                let loss = loss_of_chunk(old, id);
                let rows = loss.map_or("its".to_owned(), |loss| loss.visits.to_string());
                losses.push(loss.unwrap_or(Loss::unknown()));
                let reason = with_causes(&error);
                rebuilt.lost.push(format!("{rows} rows: {reason}"));
            }
        }
    }
    Ok(losses)
}

/// A batch has the number of its last row, so each number that cannot be read is a row.
fn copy_tail(
    old: &Connection,
    new: &Connection,
    rebuilt: &mut Rebuilt,
    told: &mut Told,
) -> Result<Vec<Loss>, rusqlite::Error> {
    let batches = Keys::of(old, "tail", "seq");
    let mut lost = 0;
    let mut times = Vec::new();
    let sql = format!("SELECT {} FROM tail WHERE seq = ?1", Batch::COLUMNS);
    for number in batches.found {
        let mut draft = BlockBuilder::default();
        let read = old.prepare_cached(&sql)?.query_row([number], |row| {
            let batch = Batch::of(row)?;
            let sound = batch.read((i64::MIN, i64::MAX), &mut draft).is_ok();
            Ok((batch.span, sound))
        });
        match read.optional() {
            Ok(Some((span, sound))) => {
                times.extend([span.min_ts, span.max_ts].map(UnixMillis::new));
                if sound {
                    tail::append(new, &draft)?;
                    told.note(&draft);
                    rebuilt.rows += u64::from(span.rows);
                } else {
                    lost += u64::from(span.rows);
                }
            }
            Ok(None) => {}
            Err(_) => lost += 1,
        }
    }
    for many in many(lost, batches.unreachable) {
        rebuilt.lost.push(format!("{many} rows of the tail"));
    }
    let any = lost > 0 || batches.unreachable;
    Ok(any.then(|| Loss::among(&times, lost)).into_iter().collect())
}

/// The rows of a chunk that cannot be read, if its head can be read.
fn loss_of_chunk(old: &Connection, id: i64) -> Option<Loss> {
    let sql = "SELECT min_ts, max_ts, n FROM chunk WHERE id = ?1";
    let moment = |row: &Row<'_>, column| row.get(column).map(UnixMillis::new);
    old.query_row(sql, [id], |row| {
        let rows = row.get::<_, u32>(2)?;
        Ok(Loss::between(moment(row, 0)?, moment(row, 1)?, rows.into()))
    })
    .ok()
}

/// Reads a chunk. A column of texts that cannot be read is unknown in all rows.
fn read_chunk(
    old: &Connection,
    id: i64,
    lost: &mut Vec<String>,
) -> Result<Option<Block>, EngineError> {
    let sql = format!("SELECT {} FROM chunk WHERE id = ?1", Chunk::COLUMNS);
    let chunk = old
        .query_row(&sql, [id], |row| Ok(Chunk::read(old, row)))
        .optional()?
        .transpose()?;
    let Some(chunk) = chunk else {
        return Ok(None);
    };
    let mut block = Block::essential(&chunk, &Selection::All)?;
    for (text, column) in TEXTS.iter().enumerate() {
        if let Err(error) = block.load(&chunk, Column::Text(text), &Selection::All) {
            let (name, rows, reason) = (column.name, block.rows, with_causes(&error));
            lost.push(format!(
                "{name} of {rows} visits: {reason}; it counts as unknown"
            ));
            block.forget(text);
        }
    }
    Ok(Some(block))
}
