//! Values of conditions as texts.

use super::condition_error::{ConditionError, MAX_VALUES};

/// A value of a condition, which has one text.
pub(super) trait Value: Sized {
    /// The texts that it takes, in words: the rest of "expected …".
    const EXPECTED: &'static str;

    /// The value of a text; `None` if it has none.
    fn parse(text: &str) -> Option<Self>;

    /// The text, which [`Value::parse`] takes.
    fn show(&self) -> String;

    /// The bytes that it has allocated.
    fn bytes(&self) -> usize {
        0
    }
}

/// Parses the values of a condition.
pub(super) fn list<T: Value>(texts: &[&str]) -> Result<Box<[T]>, ConditionError> {
    if texts.is_empty() {
        return Err(ConditionError::Empty);
    }
    if texts.len() > MAX_VALUES {
        return Err(ConditionError::TooMany(texts.len()));
    }
    texts.iter().map(|text| one(text)).collect()
}

/// Parses one value.
pub(super) fn one<T: Value>(text: &str) -> Result<T, ConditionError> {
    T::parse(text.trim()).ok_or_else(|| ConditionError::Value {
        value: text.chars().take(64).collect(),
        expected: T::EXPECTED,
    })
}

/// The texts of values.
pub(super) fn shown<T: Value>(values: &[T]) -> Vec<String> {
    values.iter().map(Value::show).collect()
}

/// The bytes that a list has allocated.
pub(super) fn bytes<T: Value>(values: &[T]) -> usize {
    size_of_val(values) + values.iter().map(Value::bytes).sum::<usize>()
}
