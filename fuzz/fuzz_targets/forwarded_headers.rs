//! Whatever is forwarded, strangers are not believed and origins stay plain.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| slugline_httpkit::fuzz_headers(bytes));
