//! The Model Context Protocol adapter: `POST /api/mcp`.
//!
//! It knows JSON-RPC, both generations of MCP and the contract; it does not
//! know SQL or REST. Three layers: the envelope (`message`), the protocol
//! (`legacy`, `modern`), and typed tools (`tools`, a file for each noun) that call the
//! same use cases as REST. Only `transport` knows the web framework.
//!
//! Neither generation keeps state between requests, so any node can answer any
//! request.
//!
//! A tool is a [`ToolSpec`] and a function. The 14 of every instance are declared so, and so are
//! those of a program that embeds the service:
//!
//! ```
//! use schemars::JsonSchema;
//! use serde::{Deserialize, Serialize};
//! use slugline_application::Access;
//! use slugline_contract::Bounds;
//! use slugline_mcp::{Tool, ToolContext, ToolEffect, ToolSpec, Tools};
//!
//! #[derive(Deserialize, Serialize, JsonSchema)]
//! struct Name {
//!     name: String,
//! }
//!
//! let spec = ToolSpec {
//!     name: "greet",
//!     description: "Says a name back.",
//!     needs: Access::OPEN,
//!     effect: ToolEffect::Reads,
//! };
//! let greet = Tool::new(spec, async |_: ToolContext, name: Name| Ok(name));
//! let tools = Tools::with(vec![greet], &Bounds::default(), "1.0.0")?;
//! # Ok::<(), slugline_mcp::ToolRefused>(())
//! ```
//!
//! | module | holds |
//! |---|---|
//! | `transport` | HTTP: origin, media type, body limit |
//! | `dispatch` | the generation of a body, and batches |
//! | `message` | bytes → request, notification or response |
//! | `answer` | results and errors → bytes and a status |
//! | `legacy` | revisions 2024-11-05 to 2025-11-25 |
//! | `modern` | revision 2026-07-28 |
//! | `versions` | the revisions that are served; the server's name and instructions |
//! | `server` | the tools and their lists, prepared once; the inputs beside a body |
//! | `call` | `tools/call`, for both |
//! | `text` | results and errors as text for a model |
//! | `tools` | the tools: a table and the functions of each noun |
//! | `headers` | headers for a body, for programs that forward it |

mod answer;
mod call;
mod dispatch;
#[cfg(feature = "fuzzing")]
mod fuzzing;
mod headers;
mod legacy;
mod message;
mod modern;
mod server;
mod text;
mod tools;
mod transport;
mod versions;

#[cfg(feature = "fuzzing")]
pub use fuzzing::fuzz_message;
pub use headers::headers_for;
pub use server::{Server, ToolRefused, Tools};
pub use tools::{Tool, ToolContext, ToolEffect, ToolSpec};
pub use transport::{PATH, configure};
