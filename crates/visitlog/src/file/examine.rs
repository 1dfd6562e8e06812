//! Examines a file without changing it, also while another process writes to it.

use std::{collections::HashSet, path::Path, time::Duration};

use rusqlite::Connection;
use slugline_analytics::{
    Examined, OpenError,
    journal::{
        open::open_to_examine,
        remains::{Finding, pages, said, unreadable},
    },
};
use slugline_domain::with_causes;

use crate::{
    file::{
        chunk::Chunk,
        day::{count::count, known},
        day_totals::{self, Encoded},
        erasure,
        error::EngineError,
        limits::Deadline,
        links, schema,
        snapshot::Snapshot,
        tail::Batch,
    },
    format::{block::Block, block_builder::BlockBuilder},
};

/// The number of days whose totals are compared with their rows, and the time for that.
const COUNTED_ANEW: usize = 3;
const LIMIT: Duration = Duration::from_mins(30);

/// Examines the access log in a file, and changes nothing.
///
/// # Errors
/// The file cannot be opened, is no access log, or was written by a newer version.
pub fn examine(path: &Path) -> Result<Vec<Examined>, OpenError> {
    let mut db = open_to_examine(&schema::ACCESS_LOG, path)?;
    let mut used = HashSet::new();
    Ok(vec![
        said("pages", pages(&db)),
        said("chunks", chunks(&db, &mut used)),
        said("tail", tail_rows(&db, &mut used)),
        said("links", names(&db, &used)),
        said("totals", totals(&mut db)),
    ])
}

fn chunks(db: &Connection, used: &mut HashSet<i64>) -> Finding {
    let mut rows = 0;
    let mut chunks = 0;
    let mut damages = Vec::new();
    let mut read = || -> Result<(), EngineError> {
        let sql = format!(
            "SELECT {}, date(day * 86400, 'unixepoch') FROM chunk ORDER BY id",
            Chunk::COLUMNS
        );
        let marks = erasure::marked(db)?.len();
        let mut statement = db.prepare(&sql)?;
        let mut found = statement.query([])?;
        while let Some(row) = found.next()? {
            chunks += 1;
            match Chunk::read(db, row).and_then(|chunk| examine_chunk(&chunk, used)) {
                Ok((count, None)) => rows += count,
                Ok((_, Some(damage))) => damages.push(damage),
                Err(error) => {
                    let day: Option<String> = row.get(6)?;
                    let costs = costs(row.get(2)?, day.as_deref(), marks);
                    damages.push(format!("{} ({costs})", with_causes(&error)));
                }
            }
        }
        Ok(())
    };
    if let Err(error) = read() {
        damages.push(with_causes(&error));
    }
    if damages.is_empty() {
        Ok(format!("{chunks} with {rows} rows, all checksums match"))
    } else {
        Err(damages)
    }
}

/// The cost of a damaged chunk.
fn costs(rows: u32, day: Option<&str>, marks: usize) -> String {
    let day = day.unwrap_or("an unknown day");
    let kept = match marks {
        0 => String::new(),
        some => format!("; until a rebuild, it may keep visits of {some} erased links"),
    };
    format!(
        "answers lack its {rows} visits of {day}, and read the day's other visits instead of \
         totals{kept}"
    )
}

/// The number of rows of a chunk, and the faults that its checksums do not show.
fn examine_chunk(
    chunk: &Chunk<'_>,
    used: &mut HashSet<i64>,
) -> Result<(usize, Option<String>), EngineError> {
    let block = Block::whole(chunk)?;
    chunk.check_keys(&block)?;
    let keys = (0..block.rows).map(|row| (block.link.at(row), block.time.at(row)));
    let times = || (0..block.rows).map(|row| block.time.at(row));
    let span = chunk.span();
    let ends = (times().min(), times().max()) == (Some(span.min_ts), Some(span.max_ts));
    used.extend(chunk.links()?.links());
    let damage = (!ends || !keys.is_sorted_by(|one, next| one <= next))
        .then(|| format!("chunk {} is not in order of links and time", chunk.id));
    Ok((block.rows, damage))
}

fn tail_rows(db: &Connection, used: &mut HashSet<i64>) -> Finding {
    let mut rows = 0;
    let mut damages = Vec::new();
    let mut read = || -> Result<(), rusqlite::Error> {
        let sql = format!("SELECT {} FROM tail ORDER BY seq", Batch::COLUMNS);
        let mut statement = db.prepare(&sql)?;
        let mut found = statement.query([])?;
        while let Some(row) = found.next()? {
            let mut draft = BlockBuilder::default();
            match Batch::of(row)?.read((i64::MIN, i64::MAX), &mut draft) {
                Ok(()) => used.extend(draft.links()),
                Err(error) => damages.push(with_causes(&error)),
            }
            rows += draft.len();
        }
        Ok(())
    };
    if let Err(error) = read() {
        damages.push(error.to_string());
    }
    if damages.is_empty() {
        Ok(format!("{rows} rows"))
    } else {
        Err(damages)
    }
}

fn names(db: &Connection, used: &HashSet<i64>) -> Finding {
    let erased = erasure::marked(db).map_err(|error| unreadable(&error))?;
    let mut missing = 0;
    for &link in used.difference(&erased) {
        match links::name(db, link) {
            Ok(name) => missing += usize::from(name.is_none()),
            Err(error) => return Err(unreadable(&error)),
        }
    }
    if missing == 0 {
        Ok(match used.intersection(&erased).count() {
            0 => format!("{} have visits", used.len()),
            some => format!(
                "{} have visits, those of {some} are being erased",
                used.len()
            ),
        })
    } else {
        Err(vec![format!("{missing} links with visits are missing")])
    }
}

/// Reads all day totals, and counts the latest days anew.
fn totals(db: &mut Connection) -> Finding {
    let mut damages = Vec::new();
    let mut look = || -> Result<usize, EngineError> {
        // Reads totals and rows as they are at one moment.
        let log = Snapshot::take(db, Deadline::after(LIMIT))?;
        let days = day_totals::days(log.db(), (i64::MIN, i64::MAX))?;
        for &day in &days {
            let unknown = known::check(log.db(), day).err();
            damages.extend(unknown.map(|error| with_causes(&error)));
        }
        for &day in days.iter().rev().take(COUNTED_ANEW) {
            match count(&log, day) {
                Ok(counted) if counted == Encoded::stored(log.db(), day)? => {}
                Ok(_) => damages.push(format!("the totals of day {day} are not those of its rows")),
                // Damage of chunks is found on its own.
                Err(error) if error.is_damage() => {}
                Err(error) => return Err(error),
            }
        }
        Ok(days.len())
    };
    match look() {
        Ok(days) if damages.is_empty() => Ok(format!("of {days} days, the latest counted anew")),
        Ok(_) => Err(damages),
        Err(error) => {
            damages.push(with_causes(&error));
            Err(damages)
        }
    }
}
