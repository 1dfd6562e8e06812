//! The Model Context Protocol adapter: `POST /api/mcp`.
//!
//! It knows JSON-RPC, both generations of MCP and the contract; it does not
//! know SQL or REST. Three layers: the envelope (`message`), the protocol
//! (`legacy`, `modern`), and typed tools (`tools`, one file each) that call the
//! same use cases as REST. Only `transport` knows the web framework.
//!
//! Neither generation keeps state between requests, so any node can answer any
//! request.
//!
//! | module | holds |
//! |---|---|
//! | `transport` | HTTP: origin, media type, body limit |
//! | `dispatch` | the generation of a body, and batches |
//! | `message` | bytes → request, notification or response |
//! | `exchange`, `answer` | the inputs beside a body; results and errors → bytes and a status |
//! | `legacy` | revisions 2024-11-05 to 2025-11-25 |
//! | `modern` | revision 2026-07-28 |
//! | `versions` | the revisions that are served |
//! | `call` | `tools/call`, for both |
//! | `text` | results and errors as text for a model |
//! | `tools` | the tools |
//! | `headers` | headers for a body, for programs that forward it |

mod answer;
mod call;
mod dispatch;
mod exchange;
#[cfg(feature = "fuzzing")]
mod fuzzing;
mod headers;
mod legacy;
mod message;
mod modern;
mod text;
mod tools;
mod transport;
mod versions;

use std::sync::Arc;

use serde_json::Value;
use slugline_application::{App, Caller};
use slugline_contract::Rules;

#[cfg(feature = "fuzzing")]
pub use fuzzing::fuzz_message;
pub use headers::headers_for;
pub use transport::{PATH, configure};

/// The MCP server: tools on use cases, with all constant parts prepared once.
#[derive(Clone, Debug)]
pub struct Server {
    app: Arc<App>,
    rules: Rules,
    prepared: Arc<Prepared>,
}

#[derive(Debug)]
struct Prepared {
    version: &'static str,
    tools: Vec<Value>,
    legacy_list: answer::Raw,
    modern_list: answer::Raw,
}

impl Server {
    /// Prepares the tools for an instance with these bounds and this version.
    pub fn new(app: Arc<App>, rules: Rules, version: &'static str) -> Self {
        let tools = tools::describe_all(&rules);
        let prepared = Prepared {
            version,
            legacy_list: legacy::tools_list(&tools),
            modern_list: modern::tools_list(&tools, version),
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

    fn legacy_list(&self, caller: &Caller) -> answer::Raw {
        match self.narrowed(caller) {
            None => self.legacy_list.clone(),
            Some(tools) => legacy::tools_list(&tools),
        }
    }

    fn modern_list(&self, caller: &Caller) -> answer::Raw {
        match self.narrowed(caller) {
            None => self.modern_list.clone(),
            Some(tools) => modern::tools_list(&tools, self.version),
        }
    }
}

/// The instructions that a model gets about the server as a whole.
const INSTRUCTIONS: &str = "Slugline shortens links and counts their visits. A link is addressed \
    by its slug, the last part of the short URL; create_link makes a random slug when you give \
    none. Passwords are never shown: never send a password mask back. Analytics come from a \
    sampled access log: each answer says under `sampling` whether its numbers are exact.";
