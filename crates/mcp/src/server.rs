//! The server: what every request needs, prepared once.

use std::sync::Arc;

use serde_json::{Value, json};
use slugline_application::{App, Caller};
use slugline_contract::Rules;

use crate::{answer::Raw, identity::server_info, tools};

/// The time for which clients may keep the tool list and the discovery result. Both
/// change only with the binary.
pub(crate) const CACHE_MS: u32 = 300_000;

/// The MCP server: tools on use cases, with all constant parts prepared once.
#[derive(Clone, Debug)]
pub struct Server {
    pub(crate) app: Arc<App>,
    pub(crate) rules: Rules,
    pub(crate) prepared: Arc<Prepared>,
}

#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) version: &'static str,
    tools: Vec<Value>,
    legacy_list: Raw,
    modern_list: Raw,
}

impl Server {
    /// Prepares the tools for an instance with these bounds and this version.
    pub fn new(app: Arc<App>, rules: Rules, version: &'static str) -> Self {
        let tools = tools::describe_all(&rules);
        let prepared = Prepared {
            version,
            legacy_list: legacy_list(&tools),
            modern_list: modern_list(&tools, version),
            tools,
        };
        Self {
            app,
            rules,
            prepared: Arc::new(prepared),
        }
    }

    /// Returns the names of the tools, in the order in which they are listed.
    pub fn tool_names() -> impl Iterator<Item = &'static str> {
        tools::ALL.iter().map(|tool| tool.name)
    }
}

impl Prepared {
    /// The tools that the caller's token permits; `None` if it permits all.
    fn narrowed(&self, caller: &Caller) -> Option<Vec<Value>> {
        if tools::permitted(caller).all(|permitted| permitted) {
            return None;
        }
        let tools = self.tools.iter().zip(tools::permitted(caller));
        let tools = tools.filter(|(_, permitted)| *permitted);
        Some(tools.map(|(tool, _)| tool.clone()).collect())
    }

    pub(crate) fn legacy_list(&self, caller: &Caller) -> Raw {
        match self.narrowed(caller) {
            None => self.legacy_list.clone(),
            Some(tools) => legacy_list(&tools),
        }
    }

    pub(crate) fn modern_list(&self, caller: &Caller) -> Raw {
        match self.narrowed(caller) {
            None => self.modern_list.clone(),
            Some(tools) => modern_list(&tools, self.version),
        }
    }
}

/// The result of `tools/list` in the older revisions.
fn legacy_list(tools: &[Value]) -> Raw {
    Raw::of(&json!({"tools": tools}))
}

/// The result of `tools/list` in revision 2026-07-28.
fn modern_list(tools: &[Value], version: &str) -> Raw {
    Raw::of(&json!({
        "resultType": "complete",
        "ttlMs": CACHE_MS,
        "cacheScope": "private",
        "tools": tools,
        "_meta": server_info(version),
    }))
}
