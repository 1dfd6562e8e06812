//! The progress of a backup, on a terminal.

use std::{
    io::{self, IsTerminal, Write},
    ops::ControlFlow,
};

use slugline_storage::Copied;

use super::parts::Part;

/// Receives progress, and may stop the work.
pub(crate) type Watch<'w> = dyn FnMut(Part, Copied) -> ControlFlow<()> + 'w;

/// Shows progress on standard error if that is a terminal: one line that each update
/// overwrites.
pub(crate) fn on_terminal() -> impl FnMut(Part, Copied) -> ControlFlow<()> {
    let shown = io::stderr().is_terminal();
    let mut last = None;
    move |part, copied| {
        let percent = copied.pages * 100 / copied.of.max(1);
        if shown && last != Some((part, percent)) {
            last = Some((part, percent));
            let end = if percent == 100 { "\n" } else { "" };
            // Continue if standard error is closed.
            let _ = write!(io::stderr(), "\r{}: {percent} %{end}", part.word());
        }
        ControlFlow::Continue(())
    }
}
