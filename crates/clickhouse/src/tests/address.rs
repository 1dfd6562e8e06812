//! The databases of tests, and the wire to them.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use slugline_testkit::{ClickHouse, ClickHouseEngine, KilledClickHouse};

use super::wire::TestWire;
use crate::{client::Client, connection::ClickHouseTarget};

/// A database of a ClickHouse that may be down at the moment.
#[derive(Clone, Debug)]
pub(crate) struct Address {
    pub(crate) url: String,
    pub(crate) target: ClickHouseTarget,
    pub(crate) engine: ClickHouseEngine,
}

impl Address {
    /// A database that does not exist yet, in the server that the tests share.
    pub(crate) fn shared(engine: ClickHouseEngine) -> Self {
        static DATABASES: AtomicU32 = AtomicU32::new(0);
        let number = DATABASES.fetch_add(1, Ordering::Relaxed);
        let database = format!("visits_{number}");
        Self::at(&ClickHouse::shared(engine).url(&database), engine)
    }

    /// A database in a server that was never started.
    pub(crate) fn away(engine: ClickHouseEngine) -> (Self, KilledClickHouse) {
        let server = KilledClickHouse::new(engine);
        (Self::at(&server.url("visits"), engine), server)
    }

    /// A database that does not exist yet, in a server that its test kills.
    pub(crate) fn of(clickhouse: &ClickHouse) -> Self {
        Self::at(&clickhouse.url("visits"), clickhouse.engine())
    }

    pub(crate) fn at(url: &str, engine: ClickHouseEngine) -> Self {
        let mut target: ClickHouseTarget = url.parse().unwrap();
        // The library that tests share answers one statement after the other, so the limit covers
        // the statements of other tests, too.
        target.timeout = Duration::from_mins(10);
        Self {
            url: url.to_owned(),
            target,
            engine,
        }
    }

    pub(crate) fn wire(&self) -> Arc<TestWire> {
        Arc::new(TestWire::to(self.engine))
    }

    pub(crate) fn client(&self) -> Client {
        Client::new(self.target.clone(), self.wire())
    }
}
