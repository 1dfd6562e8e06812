//! The reasons why texts are no condition.

use thiserror::Error;

/// The most values in the list of a condition.
pub(super) const MAX_VALUES: usize = 50;

/// The most parameters that a condition on the query names.
pub(super) const MAX_PARAMETERS: usize = 8;

/// The reason why texts are no condition.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ConditionError {
    /// There is no value.
    #[error("a condition needs a value")]
    Empty,
    /// There is more than one value.
    #[error("this condition takes one value")]
    OneOnly,
    /// The list is too long.
    #[error("{0} values, at most {max} are allowed", max = MAX_VALUES)]
    TooMany(usize),
    /// There are too many parameters.
    #[error("{0} parameters, at most {max} are allowed", max = MAX_PARAMETERS)]
    TooManyParameters(usize),
    /// A value has another form.
    #[error("{value:?} is not {expected}")]
    Value {
        /// The text.
        value: String,
        /// The right form.
        expected: &'static str,
    },
    /// Only lists can be turned.
    #[error("\"not\" goes before a list only")]
    NoList,
    /// It excludes everybody.
    #[error("no visitor meets this condition")]
    Never,
}
