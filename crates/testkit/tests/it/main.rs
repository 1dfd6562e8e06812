//! Tests of the contract suites: a store that breaks a rule fails them.

mod broken_links;
