//! The line that shows the progress of a long command.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// A line on standard error if that is a terminal, which each update overwrites and which goes when this is
/// dropped. `of` is the number of bytes, pages or links in all; without it, the line counts.
pub(crate) fn line(word: &'static str, of: Option<u64>) -> ProgressBar {
    let (line, template) = match of {
        Some(of) => (ProgressBar::new(of), "{prefix}: {percent} %, done in {eta}"),
        None => (ProgressBar::no_length(), "{prefix}: {human_pos}, {elapsed}"),
    };
    let style = ProgressStyle::with_template(template).expect("the template has no fault");
    line.enable_steady_tick(Duration::from_secs(1));
    line.with_style(style).with_prefix(word)
}
