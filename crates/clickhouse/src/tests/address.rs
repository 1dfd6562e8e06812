//! The databases of tests, and the wire to them.

use std::sync::Arc;

use slugline_testkit::{ClickHouse, ClickHouseEngine};

use super::wire::TestWire;
use crate::{client::Client, connection::ClickHouseTarget};

/// A database of a ClickHouse that may be down at the moment.
#[derive(Clone, Debug)]
pub(crate) struct Address {
    pub(crate) target: ClickHouseTarget,
    pub(crate) engine: ClickHouseEngine,
}

impl Address {
    /// A database that does not exist yet.
    pub(crate) fn of(clickhouse: &ClickHouse) -> Self {
        Self::at(&clickhouse.url("visits"), clickhouse.engine())
    }

    pub(crate) fn at(url: &str, engine: ClickHouseEngine) -> Self {
        let target = url.parse().unwrap();
        Self { target, engine }
    }

    pub(crate) fn wire(&self) -> Arc<TestWire> {
        Arc::new(TestWire::to(self.engine))
    }

    pub(crate) fn client(&self) -> Client {
        Client::new(self.target.clone(), self.wire())
    }
}
