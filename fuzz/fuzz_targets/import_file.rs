//! Whatever bytes stand in a file of links, JSON or CSV, they are links or refused.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| slugline_contract::fuzz_import(bytes));
