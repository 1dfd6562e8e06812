//! The progress of a backup, on a terminal.

use std::ops::ControlFlow;

use indicatif::{ProgressBar, ProgressStyle};
use slugline_storage::Copied;

use super::parts::BackupPart;

/// Receives progress, and may stop the work.
pub(crate) type Watch<'w> = dyn FnMut(BackupPart, Copied) -> ControlFlow<()> + 'w;

/// Shows progress on standard error if that is a terminal: one line that each update
/// overwrites, and that goes when this is dropped.
pub(crate) fn on_terminal() -> impl FnMut(BackupPart, Copied) -> ControlFlow<()> {
    let style = ProgressStyle::with_template("{prefix}: {percent} %");
    let style = style.expect("the template has no fault");
    let line = ProgressBar::no_length().with_style(style);
    move |part, copied| {
        line.set_prefix(part.word());
        line.set_length(copied.of);
        line.set_position(copied.pages);
        ControlFlow::Continue(())
    }
}
