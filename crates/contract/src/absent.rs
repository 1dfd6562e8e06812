//! "Absent" and `null` differ on this wire: optional members are left out, and
//! `null` is refused.

use serde::{Deserialize, Deserializer};

/// For `#[serde(default, deserialize_with = "present")]`: a member that is there
/// has a value.
pub(crate) fn present<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(deserializer).map(Some)
}
