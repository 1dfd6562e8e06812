//! Program and device of a visitor, from the `User-Agent` header.
//!
//! There are three steps. `data` asks the regular expressions of `uap-core` for
//! family, system and device, and `filter` selects the expressions to try.
//! `program` knows programs that those do not: bots that fetch a page on
//! request, command lines, mail programs, apps with a browser inside. `device`
//! tells kinds of devices. The names are those of `ua-parser-js`, which
//! dashboards know.

mod data;
mod device;
mod filter;
mod names;
mod program;

use std::sync::{Arc, Mutex, PoisonError};

use slugline_domain::{Bots, ports::AgentReader, routing::AgentFacts};

use crate::{
    bounds::{NAME_MAX_BYTES, truncate},
    memo::Memo,
};

/// The facts in a user agent. Texts are at most [`NAME_MAX_BYTES`] long, and
/// empty if unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Agent {
    /// Operating system, such as `macOS`.
    pub(crate) os: Box<str>,
    /// Browser or other program, such as `Mobile Safari` or `curl`.
    pub(crate) browser: Box<str>,
    /// Kind of program, such as `crawler`; empty for browsers.
    pub(crate) browser_type: &'static str,
    /// Model of the device, such as `iPhone`; empty on desktops.
    pub(crate) device: Box<str>,
    /// Kind of device, such as `mobile`; empty on desktops.
    pub(crate) device_type: &'static str,
}

impl Agent {
    pub(crate) fn parse(user_agent: &str) -> Self {
        let lower = user_agent.to_ascii_lowercase();
        let found = data::find(user_agent);
        let program = program::recognise(user_agent, &lower, &found.family);
        let device = device::recognise(&lower, &found);
        let bounded = |text: &str| truncate(text, NAME_MAX_BYTES).into();
        Self {
            os: bounded(names::os(&found.os)),
            browser: bounded(&program.name),
            browser_type: program.kind.as_str(),
            device: bounded(&device.model),
            device_type: device.kind,
        }
    }

    /// Returns whether the program acts without a person: a crawler, or a
    /// program that fetches a page to show a part of it.
    pub(crate) fn is_bot(&self) -> bool {
        Bots::KINDS.contains(&self.browser_type)
    }
}

/// Parses user agents, and caches the results.
#[derive(Debug)]
pub(crate) struct UserAgents {
    known: Memo<Arc<Agent>>,
}

impl UserAgents {
    /// The most bytes that are read. The longest ordinary user agents, those of
    /// apps with a browser inside, have some 400.
    const READ_MAX_BYTES: usize = 1_024;

    /// The most results that are cached, 4 MB at worst. A large site sees some ten thousand a day,
    /// most of them once.
    const REMEMBERED: usize = 16_384;

    /// The facts in a user agent.
    pub(crate) fn agent(&mut self, user_agent: &str) -> Arc<Agent> {
        let read = truncate(user_agent, Self::READ_MAX_BYTES);
        self.known.get(read, || Arc::new(Agent::parse(read)))
    }
}

impl Default for UserAgents {
    fn default() -> Self {
        Self {
            known: Memo::new(Self::REMEMBERED),
        }
    }
}

/// Reads user agents while visitors wait, and caches the results.
#[derive(Debug)]
pub struct CachedAgents(Mutex<Memo<Arc<AgentFacts>>>);

impl CachedAgents {
    /// The most results that are cached, 1 MB at worst.
    const REMEMBERED: usize = 4_096;
}

impl Default for CachedAgents {
    fn default() -> Self {
        Self(Mutex::new(Memo::new(Self::REMEMBERED)))
    }
}

impl AgentReader for CachedAgents {
    fn read(&self, user_agent: &str) -> Arc<AgentFacts> {
        let read = truncate(user_agent, UserAgents::READ_MAX_BYTES);
        let mut memo = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        memo.get(read, || {
            let agent = Agent::parse(read);
            Arc::new(AgentFacts {
                os: (&*agent.os).into(),
                browser: (&*agent.browser).into(),
                device_type: agent.device_type.into(),
                is_bot: agent.is_bot(),
            })
        })
    }
}

#[cfg(test)]
mod tests;
