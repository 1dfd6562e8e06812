//! The start of a file or a body.

use std::io::{self, BufRead};

use slugline_domain::text::without_byte_order_mark;

/// Skips a byte order mark.
pub(crate) fn skip_byte_order_mark(source: &mut impl BufRead) -> io::Result<()> {
    let start = source.fill_buf()?;
    let length = start.len() - without_byte_order_mark(start).len();
    source.consume(length);
    Ok(())
}
