//! The visits that a question covers.

use crate::{Choice, Destinations, Dimension, LinkId, UnixSeconds};

/// The visits that meet every one of these conditions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VisitFilter {
    /// The first second, inclusive.
    pub from: Option<UnixSeconds>,
    /// The last second, inclusive.
    pub until: Option<UnixSeconds>,
    /// Links by identity.
    pub links: Choice<LinkId>,
    /// Exact values of dimensions; an empty text stands for "unknown", and for the default domain.
    /// Coordinates are written and compared as [`Degrees`](crate::Degrees). A
    /// dimension may occur more than once: then a visit has to meet each of its choices, so a
    /// condition on [`Dimension::Domain`] that a caller must not leave is one more entry.
    ///
    /// Values of [`Dimension::Slug`] are texts of [`LinkKey`](crate::LinkKey)s: `promo` is the slug
    /// of the default domain only, `go.example/promo` that of a named one.
    pub values: Vec<(Dimension, Choice<String>)>,
    /// The destinations that are not hidden. A hidden one meets what the empty text meets.
    pub destinations: Destinations,
}

impl VisitFilter {
    /// The first and the last millisecond that a visit may have.
    pub fn millis(&self) -> (i64, i64) {
        let from = self.from.map_or(i64::MIN, |from| from.start().get());
        let until = self
            .until
            .map_or(i64::MAX, |until| until.start().get() + 999);
        (from, until)
    }
}
