//! Erasing the visits of a link.

use schemars::JsonSchema;
use serde::Serialize;
use slugline_domain::{Erasure, LinkId};

/// The erasure.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ErasedVisits {
    /// The id of the link.
    pub id: String,
    /// True when no answer has the visits any more. False when the order is stored and ClickHouse
    /// is away or slow: it is carried out as soon as possible, also after a restart. Until then
    /// answers may have the visits; the same request, sent again, tells when it is done.
    pub erased: bool,
}

impl ErasedVisits {
    /// Shows an erasure.
    pub fn new(link: &LinkId, erasure: Erasure) -> Self {
        Self {
            id: link.to_string(),
            erased: erasure == Erasure::Done,
        }
    }
}
