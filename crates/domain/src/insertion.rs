//! The outcome for a link that is to be stored.

/// The outcome of inserting a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Insertion {
    /// It is stored.
    Stored,
    /// An active link owns the key, or one that may not be replaced. Another link may have the
    /// identifier, too.
    SlugTaken,
    /// Another link has the identifier, and the key is free.
    IdTaken,
    /// The host of the link's domain is not named, or it was taken away.
    NoDomain,
    /// A request with the same [digest](crate::RequestDigests::key) of its key has made a link, which
    /// is stored or in the trash.
    Repeated,
}
