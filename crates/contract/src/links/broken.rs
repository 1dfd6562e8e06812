//! A broken destination, as answers tell it.

use schemars::JsonSchema;
use serde::Serialize;
use slugline_domain::{BadAnswer, Failing};

/// A destination that failed at least twice in a row.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Broken")]
pub struct BrokenView {
    /// The first failure, in Unix seconds.
    pub since: i64,
    /// The latest one, in Unix seconds.
    pub checked_at: i64,
    /// The HTTP status of the latest answer; absent when there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// Why there was no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl From<&Failing> for BrokenView {
    fn from(failing: &Failing) -> Self {
        let (status, error) = match &failing.answer {
            BadAnswer::Status(status) => (Some(*status), None),
            BadAnswer::Nothing(reason) => (None, Some(reason.to_string())),
        };
        Self {
            since: failing.since.get(),
            checked_at: failing.checked_at.get(),
            status,
            error,
        }
    }
}
