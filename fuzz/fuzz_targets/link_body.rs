//! Whatever JSON is sent for a link or a question, it is one or refused by its members' names.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| slugline_contract::fuzz_body(bytes));
