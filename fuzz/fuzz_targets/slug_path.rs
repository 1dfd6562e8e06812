//! Whatever path is asked for, it is a slug as it stands there or none.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| slugline_redirect::fuzz_path(bytes));
