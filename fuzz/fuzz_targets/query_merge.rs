//! Whatever a visitor's query holds, the destination keeps its place and its host.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| slugline_redirect::fuzz_query_merge(bytes));
