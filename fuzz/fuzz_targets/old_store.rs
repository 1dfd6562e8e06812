//! Whatever stands in an older instance's store, it is a link or a named fault.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| slugline_legacy::fuzz_old_store(bytes));
