//! A wire that breaks on request.

use std::{
    io::Write,
    sync::{Mutex, PoisonError},
};

use async_trait::async_trait;
use slugline_testkit::ClickHouseEngine;
use tokio::sync::Notify;

use super::wire::TestWire;
use crate::wire::{ClickHouseWire, WireAnswer, WireError, WireRequest};

/// What the child process writes before it hangs.
pub(crate) const HANGS: &str = "hangs";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The request never arrives.
    LosesRequest,
    /// ClickHouse acts, and its answer is lost.
    LosesAnswer,
    /// ClickHouse acts, and its answer comes when the wire is mended.
    Hangs,
}

/// The statements at which a wire breaks.
#[derive(Clone, Debug)]
pub(crate) enum At {
    /// One statement that changes something: the number of those before it.
    Change(usize),
    /// Each statement that begins with this text.
    Each(String),
}

/// A real wire that breaks.
#[derive(Debug)]
pub(crate) struct BreakingWire {
    wire: TestWire,
    plan: Mutex<Option<(Fault, At)>>,
    /// The statements at which it broke.
    broke_at: Mutex<Vec<String>>,
    mended: Notify,
}

impl BreakingWire {
    pub(crate) fn to(engine: ClickHouseEngine) -> Self {
        Self {
            wire: TestWire::to(engine),
            plan: Mutex::default(),
            broke_at: Mutex::default(),
            mended: Notify::new(),
        }
    }

    pub(crate) fn break_at(&self, fault: Fault, at: At) {
        *self.plan.lock().unwrap() = Some((fault, at));
    }

    /// The number of times it broke.
    pub(crate) fn breaks(&self) -> usize {
        self.broke_at.lock().unwrap().len()
    }

    /// Mends the wire. Returns the statements at which it broke.
    pub(crate) fn mend(&self) -> Vec<String> {
        *self.plan.lock().unwrap() = None;
        self.mended.notify_waiters();
        std::mem::take(&mut self.broke_at.lock().unwrap())
    }

    fn fault(&self, statement: &str) -> Option<Fault> {
        let mut plan = self.plan.lock().unwrap_or_else(PoisonError::into_inner);
        let (fault, at) = plan.as_mut()?;
        let changes = statement.starts_with("INSERT") || statement.starts_with("ALTER");
        let before = match at {
            At::Change(before) if changes => before,
            At::Each(text) if statement.starts_with(text.as_str()) => &mut 0,
            At::Change(_) | At::Each(_) => return None,
        };
        if *before > 0 {
            *before -= 1;
            return None;
        }
        let (fault, is_once) = (*fault, !matches!(at, At::Each(_)));
        if is_once {
            *plan = None;
        }
        Some(fault)
    }
}

fn statement(request: &WireRequest) -> String {
    let mut settings = request.url.query_pairs();
    let of_insertion = settings.find(|(name, _)| name == "query");
    of_insertion.map_or_else(
        || String::from_utf8_lossy(&request.body).into_owned(),
        |(_, statement)| statement.into_owned(),
    )
}

#[async_trait]
impl ClickHouseWire for BreakingWire {
    async fn post(&self, request: WireRequest) -> Result<WireAnswer, WireError> {
        let statement = statement(&request);
        let Some(fault) = self.fault(&statement) else {
            return self.wire.post(request).await;
        };
        if fault == Fault::LosesRequest {
            self.broke_at.lock().unwrap().push(statement);
            return Err("the connection cannot be made".into());
        }
        let answer = self.wire.post(request).await;
        let mended = self.mended.notified();
        self.broke_at.lock().unwrap().push(statement);
        if fault == Fault::LosesAnswer {
            return Err("the connection broke off".into());
        }
        println!("{HANGS}");
        std::io::stdout().flush()?;
        mended.await;
        answer
    }
}
