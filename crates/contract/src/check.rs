//! Collects every fault of an input before giving up.

use crate::{
    issue::{Explain, Issue, IssueCode},
    problem::Problem,
};

/// Faults found so far.
#[derive(Debug, Default)]
pub(crate) struct Checks {
    issues: Vec<Issue>,
}

impl Checks {
    /// The value, or a note of what is wrong with the member.
    pub(crate) fn member<T, E: Explain>(
        &mut self,
        path: &[&str],
        parsed: Result<T, E>,
    ) -> Option<T> {
        parsed
            .map_err(|error| self.note(path, error.explain()))
            .ok()
    }

    /// The same for a member that may be absent.
    pub(crate) fn optional<T, E: Explain>(
        &mut self,
        path: &[&str],
        parsed: Option<Result<T, E>>,
    ) -> Option<T> {
        parsed.and_then(|parsed| self.member(path, parsed))
    }

    /// Notes a fault.
    pub(crate) fn note(&mut self, path: &[&str], fault: (IssueCode, String, String)) {
        let (code, message, expected) = fault;
        let path = path.iter().map(|part| (*part).to_owned()).collect();
        self.issues.push(Issue {
            code,
            path,
            message,
            expected,
        });
    }

    /// The checked input, unless there were faults. `build` gives `None` only
    /// when a required member failed, which was noted.
    pub(crate) fn finish<T>(self, build: impl FnOnce() -> Option<T>) -> Result<T, Problem> {
        match build() {
            Some(value) if self.issues.is_empty() => Ok(value),
            Some(_) | None => Err(Problem::invalid(self.issues)),
        }
    }
}
