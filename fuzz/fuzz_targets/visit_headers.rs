//! Whatever visitors say of themselves, what is kept of it is bounded.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| slugline_analytics::fuzz_visit_headers(bytes));
