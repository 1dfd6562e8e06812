//! Whatever languages a browser prefers, pages have one.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| slugline_redirect::fuzz_languages(bytes));
