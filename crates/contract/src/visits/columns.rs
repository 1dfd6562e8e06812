//! The columns of a file: those of numbers, and around them the texts that the access log has.

use slugline_domain::{Derivation, Dimension, VisitColumn, VisitColumnKind};

/// A column of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    Time,
    Link,
    /// The text at this position, and what it may hold.
    Text(usize, VisitColumnKind),
    /// A text that follows from others. Exports have it, and imports ignore it.
    Derived(&'static Derivation),
    Visitor,
    Interval,
    Coherent,
}

/// Every column with its name, in the order of a file.
pub(super) fn all(texts: &[VisitColumn]) -> Vec<(&'static str, Column)> {
    let texts = texts.iter().enumerate();
    let texts = texts.map(|(position, text)| (text.name, Column::Text(position, text.kind)));
    let derived = Dimension::ALL.iter().copied().filter_map(|dimension| {
        let derivation = dimension.derivation()?;
        Some((dimension.column(), Column::Derived(derivation)))
    });
    [("ts_ms", Column::Time), ("link_id", Column::Link)]
        .into_iter()
        .chain(texts)
        .chain(derived)
        .chain([
            ("visitor", Column::Visitor),
            ("sampling_interval", Column::Interval),
            ("coherent", Column::Coherent),
        ])
        .collect()
}

/// The names without which a visit says nothing.
pub(super) const REQUIRED: [&str; 5] = ["ts_ms", "link_id", "slug", "url", "visitor"];
