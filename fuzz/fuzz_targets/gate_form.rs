//! Whatever body is posted at a gate, it is a form or an empty one.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| slugline_redirect::fuzz_gate_form(bytes));
