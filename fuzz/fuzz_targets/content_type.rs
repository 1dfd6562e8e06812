//! No destination that is proxied passes as a PDF file unless it surely is one.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| slugline_redirect::fuzz_content_type(bytes));
