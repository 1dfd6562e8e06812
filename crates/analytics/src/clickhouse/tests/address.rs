//! The databases of tests, and the wire to them.

use std::sync::Arc;

use slugline_testkit::{ClickHouse, ClickHouseEngine};

use super::wire::TestWire;
use crate::clickhouse::{ClickHouseTarget, client::Client};

/// A database of a ClickHouse that may be down at the moment.
#[derive(Clone, Debug)]
pub(super) struct Address {
    pub(super) target: ClickHouseTarget,
    pub(super) engine: ClickHouseEngine,
}

impl Address {
    /// A database that does not exist yet.
    pub(super) fn of(clickhouse: &ClickHouse) -> Self {
        Self::at(&clickhouse.url("visits"), clickhouse.engine())
    }

    pub(super) fn at(url: &str, engine: ClickHouseEngine) -> Self {
        let target = url.parse().unwrap();
        Self { target, engine }
    }

    pub(super) fn wire(&self) -> Arc<TestWire> {
        Arc::new(TestWire::to(self.engine))
    }

    pub(super) fn client(&self) -> Client {
        Client::new(self.target.clone(), self.wire())
    }
}
