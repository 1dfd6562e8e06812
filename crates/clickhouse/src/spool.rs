//! The spool: an SQLite file that keeps rows until ClickHouse has acknowledged them.

use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};
use slugline_analytics::{journal::open::FileKind, row::Row};
use slugline_domain::ports::Random;

use crate::row_binary;

/// Marks the file: "SLSP" in ASCII.
pub(crate) const FILE: FileKind = FileKind {
    application_id: 0x534c_5350,
    steps: &[include_str!("spool.sql")],
};

/// The most rows of a shipment, and roughly the most bytes.
const ROWS: u32 = 50_000;
const BYTES: u64 = 16 << 20;

/// Rows sent together.
#[derive(Debug)]
pub(crate) struct Shipment {
    /// The token by which ClickHouse recognises the shipment. The spool chooses it before the
    /// first attempt and stores it with the last row, so that every attempt sends the same
    /// rows, also after a crash.
    pub(crate) token: String,
    pub(crate) rows: Vec<u8>,
}

/// Adds a row at the end.
pub(crate) fn insert(db: &Connection, row: &Row<'_>) -> Result<(), rusqlite::Error> {
    insert_encoded(db, &row_binary::encode(row))
}

/// Adds the bytes of a row at the end.
pub(crate) fn insert_encoded(db: &Connection, row: &[u8]) -> Result<(), rusqlite::Error> {
    db.prepare_cached("INSERT INTO spool (row) VALUES (?1)")?
        .execute([row])?;
    Ok(())
}

/// The number of bytes of the file that are in use.
pub(crate) fn bytes(db: &Connection) -> Result<u64, rusqlite::Error> {
    let number = |name| db.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let pages = number("page_count")? - number("freelist_count")?;
    Ok(u64::try_from(pages * number("page_size")?).unwrap_or(0))
}

/// The shipment in progress, or else a new one of the oldest rows; `None` if
/// there are no rows. This is one transaction: of two processes that share the
/// spool, as during a restart, the second one finds the shipment of the first.
pub(crate) fn next_shipment(
    db: &mut Connection,
    random: &dyn Random,
) -> Result<Option<Shipment>, rusqlite::Error> {
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let known = under_way(&tx)?;
    let Some(UnderWay { token, last }) = (match known {
        Some(known) => Some(known),
        None => begin(&tx, random)?,
    }) else {
        return Ok(None);
    };
    let mut rows = Vec::new();
    let mut statement = tx.prepare_cached("SELECT row FROM spool WHERE seq <= ?1 ORDER BY seq")?;
    let mut found = statement.query([last])?;
    while let Some(row) = found.next()? {
        rows.extend_from_slice(row.get_ref(0)?.as_blob()?);
    }
    drop(found);
    drop(statement);
    tx.commit()?;
    Ok(Some(Shipment { token, rows }))
}

/// A shipment that has begun and is not acknowledged yet.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct UnderWay {
    pub(crate) token: String,
    /// The number of its last row.
    pub(crate) last: i64,
}

/// The shipment in progress.
pub(crate) fn under_way(db: &Connection) -> Result<Option<UnderWay>, rusqlite::Error> {
    db.prepare_cached("SELECT token, last_seq FROM shipment")?
        .query_row([], |row| {
            Ok(UnderWay {
                token: row.get(0)?,
                last: row.get(1)?,
            })
        })
        .optional()
}

fn begin(db: &Connection, random: &dyn Random) -> Result<Option<UnderWay>, rusqlite::Error> {
    let Some(last) = last_of_next(db)? else {
        return Ok(None);
    };
    let begun = UnderWay {
        token: new_token(random),
        last,
    };
    note(db, &begun)?;
    Ok(Some(begun))
}

/// A text by which ClickHouse recognises what is sent more than once.
pub(crate) fn new_token(random: &dyn Random) -> String {
    let mut number = [0; 16];
    random.fill(&mut number);
    format!("{:032x}", u128::from_be_bytes(number))
}

/// Stores the shipment in progress. There can be only one.
pub(crate) fn note(db: &Connection, shipment: &UnderWay) -> Result<(), rusqlite::Error> {
    db.prepare_cached("INSERT INTO shipment (only, token, last_seq) VALUES (1, ?1, ?2)")?
        .execute(params![shipment.token, shipment.last])?;
    Ok(())
}

/// The last row of the next shipment.
fn last_of_next(db: &Connection) -> Result<Option<i64>, rusqlite::Error> {
    let mut statement =
        db.prepare_cached("SELECT seq, octet_length(row) FROM spool ORDER BY seq LIMIT ?1")?;
    let mut rows = statement.query([ROWS])?;
    let (mut last, mut bytes) = (None, 0);
    while let Some(row) = rows.next()? {
        last = Some(row.get(0)?);
        bytes += u64::from(row.get::<_, u32>(1)?);
        if bytes >= BYTES {
            break;
        }
    }
    Ok(last)
}

/// Deletes the rows of a shipment that arrived. Does nothing if another process has already
/// done so, for example during a restart.
pub(crate) fn arrived(db: &mut Connection, token: &str) -> Result<(), rusqlite::Error> {
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    tx.execute(
        "DELETE FROM spool WHERE seq <= (SELECT last_seq FROM shipment WHERE token = ?1)",
        [token],
    )?;
    tx.execute("DELETE FROM shipment WHERE token = ?1", [token])?;
    tx.commit()
}

#[cfg(test)]
mod tests {
    use slugline_analytics::journal::open::{give_back, open_file};
    use slugline_testkit::SeededRandom;
    use tempfile::TempDir;

    use super::*;

    fn spool(folder: &TempDir) -> Connection {
        open_file(&FILE, &folder.path().join("spool.db")).unwrap()
    }

    fn add(db: &Connection, rows: &[u8]) {
        for &row in rows {
            insert_encoded(db, &[row]).unwrap();
        }
    }

    #[test]
    fn two_processes_have_the_same_shipment_and_only_one() {
        let folder = tempfile::tempdir().unwrap();
        let (mut one, mut two) = (spool(&folder), spool(&folder));
        let random = SeededRandom::new(1);
        add(&one, &[1, 2, 3]);
        let mut first = next_shipment(&mut one, &random).unwrap().unwrap();
        add(&two, &[4]);
        let second = next_shipment(&mut two, &random).unwrap().unwrap();
        assert_eq!((&first.token, &first.rows), (&second.token, &second.rows));
        let another = "INSERT INTO shipment VALUES (1, 'another', 4)";
        assert!(two.execute(another, []).is_err());
        assert!(two.execute(&another.replace("(1,", "(2,"), []).is_err());

        arrived(&mut two, &first.token).unwrap();
        first = next_shipment(&mut two, &random).unwrap().unwrap();
        // The slower process learns of the arrival later, when the next
        // shipment is in progress.
        arrived(&mut one, &second.token).unwrap();
        assert_eq!(next_shipment(&mut one, &random).unwrap().unwrap().rows, [4]);
        assert_eq!(under_way(&one).unwrap().unwrap().token, first.token);
    }

    #[test]
    fn processes_that_ask_at_the_same_moment_begin_one_shipment() {
        for seed in 0..30 {
            let folder = tempfile::tempdir().unwrap();
            let first = spool(&folder);
            add(&first, &[1, 2, 3]);
            let tokens = std::thread::scope(|scope| {
                let asking = [first, spool(&folder)].map(|mut db| {
                    scope.spawn(move || {
                        let random = SeededRandom::new(seed);
                        next_shipment(&mut db, &random).unwrap().unwrap().token
                    })
                });
                asking.map(|thread| thread.join().unwrap())
            });
            assert_eq!(tokens[0], tokens[1]);
        }
    }

    #[test]
    fn the_room_of_rows_that_have_gone_is_given_back_in_portions() {
        let folder = tempfile::tempdir().unwrap();
        let mut db = spool(&folder);
        let tx = db.transaction().unwrap();
        for _ in 0..20 {
            tx.execute("INSERT INTO spool (row) VALUES (zeroblob(1000000))", [])
                .unwrap();
        }
        tx.commit().unwrap();
        let pages = |db: &Connection| -> u32 {
            db.pragma_query_value(None, "page_count", |row| row.get(0))
                .unwrap()
        };
        let full = pages(&db);
        db.execute("DELETE FROM spool", []).unwrap();
        let mut portions = 1;
        while give_back(&db).unwrap() {
            portions += 1;
        }
        assert!(portions > 5, "{portions}");
        assert!(pages(&db) < full / 3, "{} of {full}", pages(&db));
    }
}
