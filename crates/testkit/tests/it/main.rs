//! Tests of the contract suites: a store that breaks a rule fails them.

mod broken_links;
/// The example passes the suite.
#[path = "../../examples/own_store.rs"]
mod own_store;
