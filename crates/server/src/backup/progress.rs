//! How far it is, on a terminal.

use std::{
    io::{self, IsTerminal, Write},
    ops::ControlFlow,
};

use slugline_storage::Copied;

use super::parts::Part;

/// Hears of progress, and may stop the work.
pub(crate) type Watch<'w> = dyn FnMut(Part, Copied) -> ControlFlow<()> + 'w;

/// Shows progress on standard error if that is a terminal: a line that is
/// written over.
pub(crate) fn on_terminal() -> impl FnMut(Part, Copied) -> ControlFlow<()> {
    let shown = io::stderr().is_terminal();
    let mut last = None;
    move |part, copied| {
        let percent = copied.pages * 100 / copied.of.max(1);
        if shown && last != Some((part, percent)) {
            last = Some((part, percent));
            let end = if percent == 100 { "\n" } else { "" };
            // Nobody may be there to read it, which is no reason to stop.
            let _ = write!(io::stderr(), "\r{}: {percent} %{end}", part.word());
        }
        ControlFlow::Continue(())
    }
}
