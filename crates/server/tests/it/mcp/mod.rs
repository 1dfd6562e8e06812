//! The MCP endpoint: its wire, its gates, its words, and the official clients.

pub(crate) mod schemas; // what the tools publish, against what they give and take
pub(crate) mod wire; // the gates and shapes of the endpoint, by raw HTTP

mod agent_day; // the tasks of a campaign, in few calls and bytes
mod bridge; // MCP over standard input and output
mod clients; // the official clients, in every mode
mod conformance; // the official conformance suite, and other people's use of our document
mod docs; // the guide and the registry's listing
mod gates; // every gate of the endpoint, on every path
mod nulls; // null in messages and arguments, which is absent
mod words; // what a model reads: errors to repair, and texts of strangers
