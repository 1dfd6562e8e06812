//! `slugline import`: links come, go back, or a text for a database is printed.

use std::io::{self, Write};

use slugline_legacy::databases;

use super::{STANDARD, arguments::Wishes, import, undo};
use crate::settings::Settings;

/// Obeys `slugline import`.
///
/// # Errors
/// [`LinksLeft`](super::LinksLeft), or the reason it stopped.
pub(crate) fn obey(
    wishes: &Wishes,
    settings: impl FnOnce() -> anyhow::Result<Settings>,
) -> anyhow::Result<()> {
    if let Some([product, dialect]) = wishes.sql.as_deref() {
        let text = databases::sql(product, dialect)?;
        return Ok(write!(io::stdout(), "{text}")?);
    }
    if let Some(report) = &wishes.undo {
        return undo::run(&settings()?, report);
    }
    let file = wishes.file.as_deref().unwrap_or(STANDARD);
    import::run(&settings()?, file, wishes)
}
