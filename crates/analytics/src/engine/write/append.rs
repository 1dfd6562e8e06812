//! The write side: one batch, one transaction.

use std::{error::Error as StdError, fs::File, net::IpAddr, path::Path, sync::Arc, time::Duration};

use rusqlite::{Connection, TransactionBehavior};
use slugline_domain::{
    LinkId, UnixMillis, Visit,
    ports::{Clock, VisitObserver},
};
use tokio::sync::oneshot;

use super::{
    embedded_rows::EmbeddedRows,
    row_table::{Maintained, RowTable},
};
use crate::engine::read::turns::Turns;
use crate::engine::store::{
    error::{EngineError, OpenError},
    lock,
    loss_file::LossFile,
    loss_table,
    salts::Salts,
    schema,
};
use crate::{
    RecorderOptions, RecorderPorts, enrich::Enricher, losses::Loss, row::Kept, sampling::Pressure,
    tally::Tally, visitor::Visitor,
};

/// Appends visits to a file. There is one per process; should two processes
/// share a file for a moment, as during a restart, SQLite's write lock keeps
/// them apart, since every decision about ids is made under it.
#[derive(Debug)]
pub(crate) struct Appender {
    db: Connection,
    /// Says that somebody writes to an access log, as long as it is open. Who
    /// brings another file locks it.
    _lock: Option<File>,
    enricher: Enricher,
    rows: Box<dyn RowTable>,
    salts: Salts,
    clock: Arc<dyn Clock>,
    observers: Vec<Arc<dyn VisitObserver>>,
    tally: Arc<Tally>,
    /// A deleted salt or erased visits may still stand in the write-ahead log.
    scrub: bool,
    loss_file: LossFile,
}

/// The outcome of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Appended {
    /// It is durable.
    Stored,
    /// There is no room for it, and waiting makes none.
    NoRoom,
}

impl Appender {
    /// Opens an access log.
    pub(crate) fn open(
        path: &Path,
        options: &RecorderOptions,
        ports: RecorderPorts,
        tally: Arc<Tally>,
        turns: Arc<Turns>,
    ) -> Result<Self, OpenError> {
        let lock = lock::share(path)?;
        let db = schema::open_writer(path)?;
        let rows = Box::new(EmbeddedRows::new(options, turns));
        let appender = Self::over(db, rows, options, ports, tally);
        let appender = appender.map_err(|source| OpenError::Sqlite {
            path: path.to_owned(),
            source,
        })?;
        Ok(Self {
            _lock: Some(lock),
            ..appender
        })
    }

    /// Appends to these rows of a file, which also has tables of salts and of
    /// losses.
    pub(crate) fn over(
        mut db: Connection,
        rows: Box<dyn RowTable>,
        options: &RecorderOptions,
        ports: RecorderPorts,
        tally: Arc<Tally>,
    ) -> Result<Self, rusqlite::Error> {
        db.set_prepared_statement_cache_capacity(32);
        let mut loss_file = LossFile::beside(db.path());
        if !loss_file.held().is_empty() {
            let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
            loss_table::save(&tx, loss_file.held())?;
            tx.commit()?;
            // Should that fail, too many visits count as lost after another restart.
            hold(&mut loss_file, Vec::new());
        }
        tally.losses.load(loss_table::load(&mut db)?);
        Ok(Self {
            db,
            loss_file,
            _lock: None,
            enricher: Enricher::new(ports.places),
            rows,
            salts: Salts::new(options.salt_period, ports.random),
            clock: ports.clock,
            observers: ports.observers,
            tally,
            // A process that was killed may have left one there.
            scrub: true,
        })
    }

    /// The visitor behind an address. The database is asked at the first visit
    /// of a salt period only.
    pub(crate) fn identify(
        &mut self,
        at: UnixMillis,
        client: IpAddr,
    ) -> Result<Visitor, EngineError> {
        if self.rows.salts_changed() {
            self.salts.forget();
        }
        if let Some(visitor) = self.salts.recognise(at, client) {
            return Ok(visitor);
        }
        let identified = self.transact(|tx, _, salts| salts.identify(tx, at, client));
        if identified.is_err() {
            self.salts.forget();
        }
        Ok(identified?)
    }

    /// The present.
    pub(crate) fn now(&self) -> UnixMillis {
        self.clock.now()
    }

    /// True if a visit comes from a bot.
    pub(crate) fn is_from_bot(&mut self, visit: &Visit) -> bool {
        self.enricher.is_from_bot(visit)
    }

    /// The fill level of the place that rows go to.
    pub(crate) fn pressure(&self) -> Pressure {
        self.rows.pressure()
    }

    /// Makes all of these visits durable, or none, and lets observers know of
    /// those that are.
    pub(crate) fn append(&mut self, visits: &[Kept]) -> Result<Appended, EngineError> {
        // Before the transaction, so that it does not hold the lock for long.
        let enriched: Vec<_> = visits
            .iter()
            .map(|kept| (self.enricher.enrich(&kept.visit), kept))
            .collect();
        let appended = self.transact(|tx, rows, _| {
            if !rows.has_room(tx)? {
                return Ok(Appended::NoRoom);
            }
            let mut batch = enriched
                .iter()
                .map(|(visit, kept)| visit.row(kept.visitor, kept.sampled));
            rows.insert(tx, &mut batch)?;
            Ok(Appended::Stored)
        });
        self.rows.settle(appended.is_ok());
        if appended? == Appended::NoRoom {
            return Ok(Appended::NoRoom);
        }
        for observer in &self.observers {
            for (visit, kept) in &enriched {
                observer.observe(&visit.record(kept.sampled.interval));
            }
        }
        Ok(Appended::Stored)
    }

    /// Erases the visits that a link has so far. On success this is durable, and `done` is sent
    /// when no answer has them any more.
    pub(crate) fn erase(
        &mut self,
        link: &LinkId,
        done: oneshot::Sender<()>,
    ) -> Result<(), EngineError> {
        let until = self.clock.now();
        Ok(self.transact(|tx, rows, _| rows.erase(tx, link, until, done))?)
    }

    /// Wipes ended salts and looks after the rows; says whether there is more
    /// to do. Nothing is lost if that fails, and the next batch or idle moment
    /// brings the next attempt, so errors end here.
    pub(crate) fn maintain(&mut self) -> bool {
        self.note_losses();
        // By the clock and not by visits: one that is dated ahead, from before
        // the clock was set right, would end the salt of today.
        let now = self.clock.now();
        if let Err(error) = self.end_salts(now) {
            let error: &(dyn StdError + 'static) = &error;
            tracing::warn!(error, "an ended salt cannot be deleted yet");
        }
        if self.scrub {
            match schema::empty_write_ahead_log(&self.db, Duration::ZERO) {
                Ok(done) => self.scrub = !done,
                Err(error) => {
                    let error: &(dyn StdError + 'static) = &error;
                    tracing::warn!(error, "deleted salts and visits cannot be wiped yet");
                }
            }
        }
        let Maintained { more, erased } = self.rows.maintain(&mut self.db, now);
        self.scrub |= erased;
        more || erased
    }

    /// Writes down which visits were lost. If that fails, they are still known
    /// to this process, and the next attempt comes soon; should it end before, the file of
    /// losses knows.
    pub(crate) fn note_losses(&mut self) {
        let losses = self.tally.losses.unsaved();
        if losses.is_empty() {
            hold(&mut self.loss_file, Vec::new());
            return;
        }
        match self.transact(|tx, _, _| loss_table::save(tx, &losses)) {
            Ok(()) => {
                self.tally.losses.saved(&losses);
                hold(&mut self.loss_file, Vec::new());
            }
            Err(error) => {
                hold(&mut self.loss_file, losses.clone());
                let visits: u64 = losses.iter().map(|loss| loss.visits).sum();
                let error: &(dyn StdError + 'static) = &error;
                tracing::warn!(
                    error,
                    visits,
                    "it cannot be written down yet that visits were lost"
                );
            }
        }
    }

    /// Writes down, while the database takes nothing, which visits were lost, and that those
    /// which wait are lost if this process ends now.
    pub(crate) fn expect_losses(&mut self, waiting: Option<Loss>) {
        let mut losses = self.tally.losses.unsaved();
        losses.extend(waiting);
        hold(&mut self.loss_file, losses);
    }

    /// Deletes the salts whose period is over, also when nobody comes.
    fn end_salts(&mut self, now: UnixMillis) -> Result<(), rusqlite::Error> {
        if self.salts.any_ended(&self.db, now)? {
            self.scrub |= self.transact(|tx, _, salts| salts.end(tx, now))?;
        }
        Ok(())
    }

    fn transact<T>(
        &mut self,
        act: impl FnOnce(&Connection, &mut dyn RowTable, &mut Salts) -> Result<T, rusqlite::Error>,
    ) -> Result<T, rusqlite::Error> {
        let tx = self
            .db
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        let done = act(&tx, self.rows.as_mut(), &mut self.salts)?;
        tx.commit()?;
        Ok(done)
    }
}

/// Has the file of losses hold these. There is nothing to do if it cannot.
fn hold(file: &mut LossFile, losses: Vec<Loss>) {
    if let Err(error) = file.hold(losses) {
        let error: &(dyn StdError + 'static) = &error;
        tracing::debug!(error, "losses are not written down yet");
    }
}

#[cfg(test)]
mod tests {
    use std::{
        net::Ipv4Addr,
        sync::{Arc, Mutex},
    };

    use slugline_domain::{
        Colo, Coordinates, Country, Dimension, Place, PlaceName, SamplingInterval, TimeZoneName,
        UnixMillis, Visit, VisitHeaders, VisitRecord,
    };
    use slugline_testkit::{FixedClock, NOON, SeededRandom, link};

    use super::*;
    use crate::{
        QueryLimits,
        engine::{
            store::{columns::text_of, links, tail},
            write::draft::Numbers,
        },
        sampling::Sampled,
        visitor::VisitorHash,
    };

    fn visit(at: i64, url: &str, user_agent: &str) -> Kept {
        let visit = Visit {
            at: UnixMillis::new(at),
            link: Arc::new(link("docs").id("docs-1").to(url).build()),
            client: Ipv4Addr::new(203, 0, 113, 7).into(),
            headers: VisitHeaders::new(
                user_agent,
                "https://news.example/today?token=1",
                "de-AT,de;q=0.9",
            ),
            place: Some(Box::new(vienna())),
        };
        Kept {
            visit,
            visitor: VisitorHash(7),
            sampled: Sampled {
                interval: SamplingInterval::EVERY,
                coherent: true,
            },
        }
    }

    fn vienna() -> Place {
        Place {
            country: Country::parse("AT").ok(),
            region: None,
            city: PlaceName::new("Vienna"),
            timezone: TimeZoneName::new("Europe/Vienna"),
            colo: Colo::new("vie"),
            coordinates: Coordinates::new(48.208_49, 16.372_08),
        }
    }

    fn open(folder: &tempfile::TempDir) -> Appender {
        open_with(folder, Vec::new())
    }

    fn open_with(folder: &tempfile::TempDir, observers: Vec<Arc<dyn VisitObserver>>) -> Appender {
        let options = RecorderOptions::default();
        let ports = RecorderPorts {
            observers,
            ..RecorderPorts::new(
                Arc::new(FixedClock::at(NOON)),
                Arc::new(SeededRandom::new(1)),
            )
        };
        let tally = Arc::default();
        let turns = Arc::new(Turns::under(QueryLimits::default()));
        Appender::open(&folder.path().join("a.db"), &options, ports, tally, turns).unwrap()
    }

    /// Writes down what it hears.
    #[derive(Debug, Default)]
    struct Notes(Mutex<Vec<String>>);

    impl VisitObserver for Notes {
        fn observe(&self, record: &VisitRecord<'_>) {
            let note = format!(
                "{} {} {} {} {}",
                record.at.get(),
                record.link_id.as_str(),
                record.user_agent,
                record.referer,
                record.place.city_label(),
            );
            self.0.lock().unwrap().push(note);
        }
    }

    fn count(db: &Connection, table: &str) -> u32 {
        db.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| {
            row.get(0)
        })
        .unwrap()
    }

    #[test]
    fn a_visit_is_stored_with_what_is_derived_from_it() {
        let folder = tempfile::tempdir().unwrap();
        let mut appender = open(&folder);
        appender
            .append(&[visit(5, "https://example.com/a", "curl/8.7.1")])
            .unwrap();
        let stored = tail::all(&appender.db);
        let numbers = Numbers {
            time: 5,
            link: links::find(&appender.db, "docs-1").unwrap().unwrap(),
            visitor: 7,
            interval: 1,
            coherent: true,
        };
        assert_eq!((stored.rows, stored.numbers(0)), (1, numbers));
        assert_eq!(
            stored.texts_of(0).0.join("|"),
            "docs|https://example.com/a|curl/8.7.1||curl|cli|||AT|🇦🇹 Austria|🇦🇹 Vienna,Austria|\
             Europe/Vienna|VIE|48.21|16.37|news.example|de-AT||||none"
        );
    }

    /// Makes the tail full and appends a batch in vain. It can be appended once the trigger
    /// `disk_full` is dropped.
    fn batch_on_a_full_disk(appender: &mut Appender) -> [Kept; 2] {
        appender
            .db
            .execute_batch(
                "CREATE TEMP TRIGGER disk_full BEFORE INSERT ON tail WHEN NEW.last_ts = 2 \
                 BEGIN SELECT RAISE(ABORT, 'full'); END",
            )
            .unwrap();
        let batch = [
            visit(1, "https://example.com/a", "Example/1.0"),
            visit(2, "https://example.com/b", "Example/2.0"),
        ];
        assert!(appender.append(&batch).is_err());
        batch
    }

    #[test]
    fn observers_hear_of_a_visit_once_it_is_durable_and_not_before() {
        let folder = tempfile::tempdir().unwrap();
        let (first, second) = (Arc::new(Notes::default()), Arc::new(Notes::default()));
        let mut appender = open_with(&folder, vec![first.clone(), second.clone()]);
        let batch = batch_on_a_full_disk(&mut appender);
        assert_eq!(*first.0.lock().unwrap(), [""; 0]);

        appender.db.execute_batch("DROP TRIGGER disk_full").unwrap();
        appender.append(&batch).unwrap();
        let heard = [
            "1 docs-1 Example/1.0 news.example 🇦🇹 Vienna,Austria",
            "2 docs-1 Example/2.0 news.example 🇦🇹 Vienna,Austria",
        ];
        assert_eq!(*first.0.lock().unwrap(), heard);
        assert_eq!(*second.0.lock().unwrap(), heard);
    }

    #[test]
    fn the_wiping_of_a_salt_waits_for_no_question() {
        let folder = tempfile::tempdir().unwrap();
        let appender = open(&folder);
        let reader = schema::open_reader(&folder.path().join("a.db")).unwrap();
        appender
            .db
            .execute("INSERT INTO salt VALUES ('day', 1, 2, x'00')", [])
            .unwrap();
        reader.execute_batch("BEGIN").unwrap();
        assert_eq!(count(&reader, "salt"), 1);
        appender.db.execute("DELETE FROM salt", []).unwrap();
        assert!(!schema::empty_write_ahead_log(&appender.db, Duration::ZERO).unwrap());
        reader.execute_batch("COMMIT").unwrap();
        assert!(schema::empty_write_ahead_log(&appender.db, Duration::ZERO).unwrap());
        // Other statements wait for locks as before.
        let patience: u32 = appender
            .db
            .pragma_query_value(None, "busy_timeout", |row| row.get(0))
            .unwrap();
        assert_eq!(patience, 1_000);
    }

    #[test]
    fn texts_are_stored_within_their_bounds() {
        let folder = tempfile::tempdir().unwrap();
        let mut appender = open(&folder);
        let url = format!("https://example.com/{}", "a".repeat(16_000));
        appender
            .append(&[visit(5, &url, &"ü".repeat(1_000))])
            .unwrap();
        let stored = tail::all(&appender.db);
        let length = |dimension| stored.text(text_of(dimension), 0).len();
        let lengths = [Dimension::Url, Dimension::UserAgent].map(length);
        assert_eq!(lengths, [12 * 1_024, 256]);
    }

    #[test]
    fn a_full_disk_takes_the_batch_once_there_is_room() {
        let folder = tempfile::tempdir().unwrap();
        let mut appender = open(&folder);
        let pages = |limit: u32| format!("PRAGMA max_page_count = {limit}");
        let batch: Vec<Kept> = (0..2_000)
            .map(|n| visit(n, &format!("https://example.com/{n}"), "Example/1.0"))
            .collect();
        appender.db.execute_batch(&pages(1)).unwrap();
        assert!(appender.append(&batch).is_err());
        assert!(appender.append(&batch).is_err());
        appender.db.execute_batch(&pages(u32::MAX - 1)).unwrap();
        appender.append(&batch).unwrap();
        assert_eq!(tail::all(&appender.db).rows, 2_000);
        assert_eq!(count(&appender.db, "link"), 1);
    }

    #[test]
    fn a_batch_that_fails_leaves_nothing_and_can_be_appended_again() {
        let folder = tempfile::tempdir().unwrap();
        let mut appender = open(&folder);
        let batch = batch_on_a_full_disk(&mut appender);
        for (table, rows) in [("tail", 0), ("link", 0)] {
            assert_eq!(count(&appender.db, table), rows, "{table}");
        }

        appender.db.execute_batch("DROP TRIGGER disk_full").unwrap();
        appender.append(&batch).unwrap();
        let stored = tail::all(&appender.db);
        assert_eq!((stored.rows, count(&appender.db, "link")), (2, 1));
        let link = links::find(&appender.db, "docs-1").unwrap();
        assert!((0..2).all(|row| Some(stored.link.at(row)) == link));
    }
}
