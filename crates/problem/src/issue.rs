//! Faults of single members of an input.

use schemars::JsonSchema;
use serde::Serialize;
use slugline_domain::{ForwardingFault, ForwardingReason, LifeFault, Tags, TagsError};

/// One fault of an input. `path` names wire members; positions in arrays are
/// written as numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Issue {
    /// Kind of fault.
    #[schemars(with = "String")]
    pub code: IssueCode,
    /// The path of the member: `["tags", "1"]`.
    pub path: Vec<String>,
    /// The fault.
    pub message: String,
    /// The expected value.
    pub expected: String,
}

/// Kinds of faults, named as Sink names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum IssueCode {
    /// The value has another JSON type, or is missing.
    InvalidType,
    /// The text has the wrong form.
    InvalidFormat,
    /// The value is not in a fixed list.
    InvalidValue,
    /// The value is too long, too many or too large.
    TooBig,
    /// The value is too short, too few or too small.
    TooSmall,
    /// The member is unknown.
    UnrecognizedKeys,
    /// The value breaks another rule.
    Custom,
}

impl Issue {
    /// The fault of members of a link that contradict one another.
    pub fn of_life(fault: LifeFault) -> Self {
        let (member, message, expected) = match fault {
            // Who changed one of the moments may not be allowed to read the other.
            LifeFault::StartsAfterExpiry { .. } => (
                "startsAt",
                "startsAt must be earlier than expiration",
                "an earlier moment, or a later expiration",
            ),
            LifeFault::StartUrlWithoutStart => (
                "startUrl",
                "startUrl needs startsAt",
                "startsAt beside it, or null in place of startUrl",
            ),
            LifeFault::SplitEndWithoutSplit => (
                "splitUntil",
                "splitUntil needs split",
                "split beside it, or no splitUntil",
            ),
        };
        Self {
            code: IssueCode::Custom,
            path: vec![member.to_owned()],
            message: message.to_owned(),
            expected: expected.to_owned(),
        }
    }

    /// The fault of more tags than a link may have.
    pub fn of_tags(error: &TagsError) -> Self {
        Self {
            code: IssueCode::TooBig,
            path: vec!["tags".into()],
            message: error.to_string(),
            expected: format!("at most {} different tags", Tags::MAX),
        }
    }
}

impl From<&ForwardingFault> for Issue {
    fn from(fault: &ForwardingFault) -> Self {
        let expected = match fault.reason {
            ForwardingReason::Itself(_) => "the address of another page",
            ForwardingReason::Kept(_) => "another slug, or false",
            ForwardingReason::Unfilled(..) => "an address without placeholders",
            ForwardingReason::Misplaced(_) => "placeholders in the path, the query or the fragment",
            ForwardingReason::Hidden => "false, or other destinations",
        };
        Self {
            code: IssueCode::Custom,
            path: fault.path.split('.').map(str::to_owned).collect(),
            message: fault.to_string(),
            expected: expected.to_owned(),
        }
    }
}
