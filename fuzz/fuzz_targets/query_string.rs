//! Whatever stands in a query string, cursors included, it is taken or refused by name.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| slugline_contract::fuzz_query(bytes));
