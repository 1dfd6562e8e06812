//! The write side: one batch, one transaction.

use std::{error::Error as StdError, net::IpAddr, sync::Arc, thread, time::Duration};

use rusqlite::{Connection, TransactionBehavior};
use slugline_domain::{
    LinkId, UnixMillis, Visit,
    ports::{Clock, VisitObserver},
};
use tokio::sync::oneshot;

use super::{
    clock::SaltClock,
    lock, open,
    row_table::{Maintained, RowTable},
    salts::Salts,
};
use crate::{
    batch::Batch,
    enrich::Enricher,
    losses::{Loss, LossFile, table},
    options::{RecorderOptions, RecorderPorts},
    sampled,
    sampling::Pressure,
    tally::Tally,
    visitor::Visitor,
};

/// Appends visits to a file. Each process has one. During a restart two processes may share a file
/// for a moment; both decide about ids under SQLite's write lock, so they do not collide.
#[derive(Debug)]
pub struct Appender {
    db: Connection,
    enricher: Enricher,
    rows: Box<dyn RowTable>,
    salts: Salts,
    salt_clock: SaltClock,
    clock: Arc<dyn Clock>,
    observers: Vec<Arc<dyn VisitObserver>>,
    tally: Arc<Tally>,
    /// True if the write-ahead log may still contain a deleted salt or erased visits.
    scrub: bool,
    loss_file: LossFile,
    batch_age: Duration,
    beaten_at: Option<UnixMillis>,
}

/// The time without visits after which the recorder does its maintenance.
pub const IDLE: Duration = Duration::from_mins(1);

/// The shortest time between two notes in the file of losses, each of which waits for the disk.
const BEAT: Duration = Duration::from_secs(10);

/// The time in which a batch becomes durable, with room for a slow disk.
const COMMIT: Duration = Duration::from_secs(2);

/// The outcome of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Appended {
    /// The batch is durable.
    Stored,
    /// There is no room for the batch, and waiting does not help.
    NoRoom,
}

impl Appender {
    /// Appends to these rows of a file, which also has tables of salts and of
    /// losses.
    pub fn over(
        mut db: Connection,
        rows: Box<dyn RowTable>,
        options: &RecorderOptions,
        ports: RecorderPorts,
        tally: Arc<Tally>,
    ) -> Result<Self, rusqlite::Error> {
        db.set_prepared_statement_cache_capacity(32);
        let mut loss_file = LossFile::beside(db.path());
        for _ in 1..lock::TRIES {
            if loss_file.take() || !loss_file.is_elsewhere() {
                break;
            }
            thread::sleep(lock::BETWEEN_TRIES);
        }
        load_losses(&mut db, &mut loss_file)?;
        Ok(Self {
            db,
            loss_file,
            batch_age: options.batch_age,
            beaten_at: None,
            enricher: Enricher::new(ports.places),
            rows,
            salts: Salts::new(options.salt_period, ports.random),
            salt_clock: SaltClock::default(),
            clock: ports.clock,
            observers: ports.observers,
            tally,
            // A process that was killed may have left a deleted salt there.
            scrub: true,
        })
    }

    /// Notes in the file of losses that a kill loses visits of this minute. Call this before each
    /// batch and whenever there was none for [`IDLE`]. It compares readings of the clock, because
    /// a computer that slept for an hour has to note the new minute at once.
    pub fn beat(&mut self) {
        if self.loss_file.take() {
            self.beaten_at = None;
            let loaded = load_losses(&mut self.db, &mut self.loss_file);
            if let Err(error) = loaded {
                let error: &(dyn StdError + 'static) = &error;
                tracing::warn!(error, "the losses of the process before cannot be read yet");
                self.loss_file.leave();
            }
        }
        let now = self.clock.now();
        let recent = |at: UnixMillis| now.get().abs_diff(at.get()) < millis(BEAT).unsigned_abs();
        if self.beaten_at.is_some_and(recent) {
            return;
        }
        self.beaten_at = Some(now);
        let moment = |offset| UnixMillis::new(now.get().saturating_add(offset));
        let first = moment(-millis(self.batch_age + COMMIT));
        let last = moment(millis(BEAT + IDLE + COMMIT));
        // The writer cannot know how many visits will come.
        self.loss_file.expect(Some(Loss::between(first, last, 1)));
    }

    /// Says that this process stores no more visits. Those that it lost are noted.
    pub fn end(&mut self) {
        self.note_losses();
        self.loss_file.expect(None);
    }

    /// The visitor behind an address. Reads the database only at the first visit of a salt period.
    pub fn identify(&mut self, at: UnixMillis, client: IpAddr) -> Result<Visitor, rusqlite::Error> {
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
        identified
    }

    /// The open file, for tests of engines.
    pub fn db(&self) -> &Connection {
        &self.db
    }

    /// The present moment.
    pub fn now(&self) -> UnixMillis {
        self.clock.now()
    }

    /// True if a visit comes from a bot.
    pub fn is_from_bot(&mut self, visit: &Visit) -> bool {
        self.enricher.is_from_bot(visit)
    }

    /// The fill level of the engine's rows.
    pub fn pressure(&self) -> Pressure {
        self.rows.pressure()
    }

    /// Makes all visits and decisions of a batch durable, or none, and tells observers about durable
    /// visits.
    pub fn append(&mut self, batch: &Batch) -> Result<Appended, rusqlite::Error> {
        // Before the transaction, so that it does not hold the lock for long.
        let enriched: Vec<_> = batch
            .kept
            .iter()
            .map(|kept| (self.enricher.enrich(&kept.visit), kept))
            .collect();
        let appended = self.transact(|tx, rows, _| {
            if !rows.has_room(tx)? {
                return Ok(Appended::NoRoom);
            }
            let mut visits = enriched
                .iter()
                .map(|(visit, kept)| visit.row(kept.visitor, kept.sampled));
            rows.insert(tx, &mut visits)?;
            sampled::table::save(tx, batch.sampled.spans())?;
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

    /// Forgets what a panic may have left half done. SQLite has rolled its transaction back.
    pub fn recover(&mut self) {
        self.rows.settle(false);
        self.salts.forget();
    }

    /// Erases the visits that a link has so far. On success the order is durable, and the engine
    /// sends `done` when no answer contains the visits.
    pub fn erase(
        &mut self,
        link: &LinkId,
        done: oneshot::Sender<()>,
    ) -> Result<(), rusqlite::Error> {
        let until = self.clock.now();
        self.transact(|tx, rows, _| {
            sampled::table::erase(tx, link)?;
            rows.erase(tx, link, until, done)
        })
    }

    /// Wipes ended salts and maintains the rows. Returns whether there is more to do. A failure
    /// loses nothing, and the next batch or idle moment tries again, so errors end here.
    pub fn maintain(&mut self) -> bool {
        self.note_losses();
        // Uses the clock and not the time of visits: a visit that a wrong clock dated ahead would
        // end the salt of today.
        let now = self.clock.now();
        if let Err(error) = self.end_salts(now) {
            let error: &(dyn StdError + 'static) = &error;
            tracing::warn!(error, "an ended salt cannot be deleted yet");
        }
        if self.scrub {
            match open::empty_write_ahead_log(&self.db, Duration::ZERO) {
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

    /// Saves the losses in the database. If that fails, this process still has them and tries again
    /// soon; if it ends before, the file of losses has them.
    pub fn note_losses(&mut self) {
        let losses = self.tally.losses.unsaved();
        let saved = if losses.is_empty() {
            Ok(())
        } else {
            self.transact(|tx, _, _| table::save(tx, &losses))
        };
        if let Err(error) = saved {
            let visits: u64 = losses.iter().map(|loss| loss.visits).sum();
            self.loss_file.hold(losses);
            let error: &(dyn StdError + 'static) = &error;
            tracing::warn!(
                error,
                visits,
                "it cannot be written down yet that visits were lost"
            );
        } else {
            self.tally.losses.saved(&losses);
            self.loss_file.hold(Vec::new());
        }
    }

    /// Saves the losses in the file of losses while the database accepts nothing. Waiting visits
    /// count among them, because they are lost if this process ends now.
    pub fn expect_losses(&mut self, waiting: Option<Loss>) {
        let mut losses = self.tally.losses.unsaved();
        losses.extend(waiting);
        self.loss_file.hold(losses);
    }

    /// Deletes the salts whose period has ended, even if there are no visits.
    fn end_salts(&mut self, now: UnixMillis) -> Result<(), rusqlite::Error> {
        let ended = self.salt_clock.ended_before(&self.db, now)?;
        if self.salts.any_ended(&self.db, ended)? {
            self.scrub |= self.transact(|tx, _, salts| salts.end(tx, ended))?;
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

/// Loads the losses of the database, and those in the file, which a process left that has ended.
fn load_losses(db: &mut Connection, file: &mut LossFile) -> Result<(), rusqlite::Error> {
    let left = Loss::of_all(file.held());
    table::load(db, file)?;
    if let Some(Loss { visits, .. }) = left {
        tracing::warn!(
            at_least = visits,
            "the service was killed the last time, or the disk took nothing at its end: visits \
             are missing, and answers about that minute say so"
        );
    }
    Ok(())
}

fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}
