//! The faults of refused inputs, for tests.

use crate::Problem;

/// The paths of all faults, in the order in which they are told.
pub(crate) fn paths<T>(checked: Result<T, Problem>) -> Vec<String> {
    faults(checked).into_iter().map(|(path, _)| path).collect()
}

/// The path and the message of each fault.
pub(crate) fn faults<T>(checked: Result<T, Problem>) -> Vec<(String, String)> {
    let issues = checked
        .err()
        .map(|problem| problem.issues)
        .unwrap_or_default();
    let faults = issues
        .into_iter()
        .map(|one| (one.path.join("."), one.message));
    faults.collect()
}
