//! Whatever bytes arrive at the MCP endpoint, they are a message or refused.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| slugline_mcp::fuzz_message(bytes));
