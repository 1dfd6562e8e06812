//! Verdicts on the danger of destinations.

/// A screen's verdict on a destination. The greatest verdict of all its
/// destinations is the verdict on a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ScreenVerdict {
    /// The screen knows the destination and nothing against it.
    Harmless,
    /// The screen cannot tell: it failed, or does not judge such destinations.
    Unknown,
    /// Visitors are to be warned.
    Dangerous,
}
