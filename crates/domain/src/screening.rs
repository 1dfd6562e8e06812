//! Verdicts on the danger of destinations.

/// A screen's verdict on a destination. The verdict on a link is the greatest
/// of those on its destinations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ScreenVerdict {
    /// The screen knows the destination and has nothing against it.
    Harmless,
    /// The screen cannot tell: it failed, or it does not judge such
    /// destinations.
    Unknown,
    /// Visitors must be warned.
    Dangerous,
}
