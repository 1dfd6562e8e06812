//! Whatever bytes stand in a chunk of the access log, they are its values or refused.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| slugline_visitlog::fuzz_chunk(bytes));
