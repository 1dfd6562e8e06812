//! The state of the store's hearing.

use slugline_domain::ports::Hearing;
use tokio::sync::Mutex;

/// The state of the store's hearing when the domains were last read; `None` if they must be read
/// again. The lock also orders readers, so that no earlier answer replaces a later one.
#[derive(Debug, Default)]
pub(super) struct Heard(pub(super) Mutex<Option<Hearing>>);
