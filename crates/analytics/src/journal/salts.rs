//! The keys of visitor hashes and their end.
//!
//! The first visit of a period makes its salt. After the end of the period the salt is deleted:
//! after the first batch that is stored then, or within a minute if there are no visits. Until then
//! a restart finds the salt again. If the clock may be wrong, that happens up to a day later
//! ([`SaltClock`](super::clock::SaltClock)).

use std::{net::IpAddr, sync::Arc};

use rusqlite::{Connection, OptionalExtension, params};
use slugline_domain::{UnixMillis, ports::Random};

use crate::{
    salt::{SaltPeriod, SaltSpan},
    visitor::{Visitor, VisitorKey},
};

/// The time for which an ended salt stays in memory, for visits that others overtook in the queue.
const GRACE_MS: i64 = 60_000;

#[derive(Debug)]
pub struct Salts {
    period: SaltPeriod,
    random: Arc<dyn Random>,
    known: Vec<(SaltSpan, VisitorKey)>,
}

impl Salts {
    pub fn new(period: SaltPeriod, random: Arc<dyn Random>) -> Self {
        Self {
            period,
            random,
            known: Vec::new(),
        }
    }

    /// The visitor behind an address at a moment, if the salt of the period is in memory.
    pub fn recognise(&self, at: UnixMillis, client: IpAddr) -> Option<Visitor> {
        let (_, key) = self.known.iter().find(|(span, _)| span.contains(at))?;
        Some(key.identify(client))
    }

    /// The visitor behind an address at a moment.
    pub fn identify(
        &mut self,
        db: &Connection,
        at: UnixMillis,
        client: IpAddr,
    ) -> Result<Visitor, rusqlite::Error> {
        if let Some(visitor) = self.recognise(at, client) {
            return Ok(visitor);
        }
        let span = self.period.span_at(at);
        let key = VisitorKey::new(&self.load_or_make(db, span)?);
        let visitor = key.identify(client);
        self.known.push((span, key));
        Ok(visitor)
    }

    /// Returns whether [`Salts::end`] would delete any.
    pub fn any_ended(&self, db: &Connection, now: UnixMillis) -> Result<bool, rusqlite::Error> {
        db.prepare_cached("SELECT EXISTS (SELECT 1 FROM salt WHERE end_ms <= ?1 OR period <> ?2)")?
            .query_row(params![now.get(), self.period.as_str()], |row| row.get(0))
    }

    /// Deletes the salts whose period had ended at a moment, and those of another length of period.
    /// Returns whether there were any.
    pub fn end(&mut self, db: &Connection, now: UnixMillis) -> Result<bool, rusqlite::Error> {
        let deleted = db
            .prepare_cached("DELETE FROM salt WHERE end_ms <= ?1 OR period <> ?2")?
            .execute(params![now.get(), self.period.as_str()])?;
        self.known
            .retain(|(span, _)| span.end_ms > now.get().saturating_sub(GRACE_MS));
        Ok(deleted > 0)
    }

    /// Tells that the transaction that may have made salts was rolled back.
    pub fn forget(&mut self) {
        self.known.clear();
    }

    fn load_or_make(&self, db: &Connection, span: SaltSpan) -> Result<Vec<u8>, rusqlite::Error> {
        if let Some(salt) = stored(db, self.period, span)? {
            return Ok(salt);
        }
        let mut salt = vec![0; VisitorKey::SALT_BYTES];
        self.random.fill(&mut salt);
        store(db, self.period, span, &salt)?;
        Ok(salt)
    }
}

/// The salt of a span, if there is one.
pub fn stored(
    db: &Connection,
    period: SaltPeriod,
    span: SaltSpan,
) -> Result<Option<Vec<u8>>, rusqlite::Error> {
    db.prepare_cached("SELECT salt FROM salt WHERE period = ?1 AND start_ms = ?2")?
        .query_row(params![period.as_str(), span.start_ms], |row| row.get(0))
        .optional()
}

/// Makes this the salt of a span, and replaces another one.
pub fn store(
    db: &Connection,
    period: SaltPeriod,
    span: SaltSpan,
    salt: &[u8],
) -> Result<(), rusqlite::Error> {
    db.prepare_cached(
        "INSERT OR REPLACE INTO salt (period, start_ms, end_ms, salt) VALUES (?1, ?2, ?3, ?4)",
    )?
    .execute(params![period.as_str(), span.start_ms, span.end_ms, salt])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::{
        net::Ipv4Addr,
        sync::atomic::{AtomicU8, Ordering},
    };

    use super::*;
    use crate::journal::blank;

    const NOON: i64 = 1_767_268_800_000;
    const HOUR: i64 = 3_600_000;

    /// Fills each buffer with another byte.
    #[derive(Debug, Default)]
    struct Counting(AtomicU8);

    impl Random for Counting {
        fn fill(&self, buffer: &mut [u8]) {
            buffer.fill(self.0.fetch_add(1, Ordering::Relaxed));
        }
    }

    struct Fixture {
        _folder: tempfile::TempDir,
        db: Connection,
        random: Arc<Counting>,
    }

    impl Fixture {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            Self {
                db: blank::open(&folder.path().join("a.db")),
                _folder: folder,
                random: Arc::default(),
            }
        }

        fn salts(&self, period: SaltPeriod) -> Salts {
            let random: Arc<dyn Random> = Arc::<Counting>::clone(&self.random);
            Salts::new(period, random)
        }

        fn identify(&self, salts: &mut Salts, at: i64) -> Visitor {
            let client = Ipv4Addr::new(203, 0, 113, 7).into();
            salts
                .identify(&self.db, UnixMillis::new(at), client)
                .unwrap()
        }

        fn end(&self, salts: &mut Salts, now: i64) -> bool {
            salts.end(&self.db, UnixMillis::new(now)).unwrap()
        }

        fn stored(&self) -> u32 {
            self.db
                .query_row("SELECT count(*) FROM salt", [], |row| row.get(0))
                .unwrap()
        }
    }

    #[test]
    fn a_visitor_is_recognised_within_a_period_and_not_beyond() {
        let log = Fixture::new();
        let mut salts = log.salts(SaltPeriod::Day);
        let noon = log.identify(&mut salts, NOON);
        assert_eq!(log.identify(&mut salts, NOON + 11 * HOUR), noon);
        assert_ne!(log.identify(&mut salts, NOON + 12 * HOUR), noon);
        assert_eq!(log.identify(&mut salts, NOON), noon);
    }

    #[test]
    fn a_restart_finds_the_salt_of_a_running_period() {
        let log = Fixture::new();
        let before = log.identify(&mut log.salts(SaltPeriod::Week), NOON);
        assert_eq!(log.identify(&mut log.salts(SaltPeriod::Week), NOON), before);
    }

    #[test]
    fn a_salt_is_deleted_when_its_period_is_over() {
        let log = Fixture::new();
        let mut salts = log.salts(SaltPeriod::Day);
        let noon = log.identify(&mut salts, NOON);
        assert!(!log.end(&mut salts, NOON + 12 * HOUR - 1));
        assert_eq!(log.stored(), 1);

        let midnight = NOON + 12 * HOUR;
        assert!(log.end(&mut salts, midnight));
        assert_eq!(log.stored(), 0);
        // A visit that others overtook in the queue is still recognised …
        assert_eq!(log.identify(&mut salts, midnight - 1), noon);
        // … but not for long.
        log.end(&mut salts, midnight + GRACE_MS);
        assert_ne!(log.identify(&mut salts, midnight - 1), noon);
    }

    #[test]
    fn salts_of_another_period_length_end_with_the_setting() {
        let log = Fixture::new();
        log.identify(&mut log.salts(SaltPeriod::Never), NOON);
        let mut daily = log.salts(SaltPeriod::Day);
        log.identify(&mut daily, NOON);
        assert_eq!(log.stored(), 2);
        assert!(log.end(&mut daily, NOON));
        assert_eq!(log.stored(), 1);
    }

    #[test]
    fn a_salt_that_was_rolled_back_is_not_used() {
        let mut log = Fixture::new();
        let mut salts = log.salts(SaltPeriod::Day);
        let client = Ipv4Addr::new(203, 0, 113, 7).into();
        let tx = log.db.transaction().unwrap();
        let lost = salts.identify(&tx, UnixMillis::new(NOON), client).unwrap();
        tx.rollback().unwrap();
        salts.forget();
        assert_ne!(log.identify(&mut salts, NOON), lost);
        assert_eq!(log.stored(), 1);
    }
}
