//! Whatever a stranger's page holds, its text is bounded.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| slugline_outbound::fuzz_page(bytes));
