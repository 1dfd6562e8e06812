//! The API as a whole: who may use it, its document, and its two faces.

pub(crate) mod main_job; // make links through REST and MCP, follow them, read the visits back
pub(crate) mod operations; // a row for each operation and each tool
pub(crate) mod reference; // the pages of the API reference in Chromium

mod access; // who may use the API, and how errors look
mod audit; // who changed what
mod compression; // smaller answers for clients that take them
mod parity; // REST and MCP side by side
mod routes; // the OpenAPI document against the mounted routes
mod sink_clients; // the requests of Sink's own clients
