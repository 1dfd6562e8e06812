//! Naming a link that may be gone.

use slugline_domain::{LinkId, LinkKey};

/// A link that is there, or was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WhichLink {
    /// The link that has this key.
    Key(LinkKey),
    /// The link that has or had this identifier.
    Id(LinkId),
}
