//! Whatever bytes stand in a file of visits, CSV or NDJSON, they are visits or refused.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| slugline_contract::fuzz_visits(bytes));
