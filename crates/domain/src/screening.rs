//! What is known of the danger of destinations.

/// What a screen says of a destination. The greatest of several verdicts is the
/// verdict on a link that leads to all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ScreenVerdict {
    /// The screen knows the destination and nothing against it.
    Harmless,
    /// The screen cannot tell: it failed, or does not judge such destinations.
    Unknown,
    /// Visitors are to be warned.
    Dangerous,
}
