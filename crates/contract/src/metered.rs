//! A source that bounds the bytes of one thing in it.

use std::{
    cell::Cell,
    io::{self, Read},
    rc::Rc,
};

/// Returns a source that fails when too much is read for one thing: a longer stretch is, for
/// example, a quotation mark that was never closed, which would fill the memory.
pub(crate) fn metered<R: Read>(
    source: R,
    thing: &'static str,
    longest: usize,
) -> (Metered<R>, Meter) {
    let meter = Meter {
        longest,
        left: Rc::new(Cell::new(longest)),
    };
    let source = Metered {
        source,
        thing,
        meter: meter.clone(),
    };
    (source, meter)
}

/// Knows how many bytes are left for one thing.
#[derive(Clone, Debug)]
pub(crate) struct Meter {
    longest: usize,
    left: Rc<Cell<usize>>,
}

impl Meter {
    /// The next thing begins.
    pub(crate) fn begin_anew(&self) {
        self.left.set(self.longest);
    }
}

#[derive(Debug)]
pub(crate) struct Metered<R> {
    source: R,
    thing: &'static str,
    meter: Meter,
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buffer)?;
        let Meter { longest, left } = &self.meter;
        let rest = left.get().checked_sub(read).ok_or_else(|| {
            io::Error::other(format!(
                "more than {longest} bytes belong to one {}",
                self.thing
            ))
        })?;
        left.set(rest);
        Ok(read)
    }
}
