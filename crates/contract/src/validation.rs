//! Collects all faults of an input.

use slugline_domain::{ForwardingFault, UnixSeconds};

use crate::{
    Problem,
    issue::{Explain, Fault, Issue, IssueCode},
    sent::{Sent, Wire},
};

/// The most faults that one answer lists. An input with more is not what its sender
/// meant, and a fault takes more bytes than the member that causes it.
const MAX_ISSUES: usize = 1_000;

/// Faults found so far.
#[derive(Debug, Default)]
pub(crate) struct Validation {
    issues: Vec<Issue>,
}

impl Validation {
    /// Parses a required member.
    pub(crate) fn required<'s, S: Wire, T, E: Explain>(
        &mut self,
        path: &[&str],
        sent: &'s Sent<S>,
        parse: impl FnOnce(&'s S) -> Result<T, E>,
    ) -> Option<T> {
        let value = self.there(path, sent)?;
        self.member(path, parse(value))
    }

    /// Parses an optional member.
    pub(crate) fn optional<'s, S: Wire, T, E: Explain>(
        &mut self,
        path: &[&str],
        sent: &'s Sent<S>,
        parse: impl FnOnce(&'s S) -> Result<T, E>,
    ) -> Option<T> {
        let value = self.value(path, sent)?;
        self.member(path, parse(value))
    }

    /// Returns a required member, unparsed.
    pub(crate) fn there<'s, S: Wire>(&mut self, path: &[&str], sent: &'s Sent<S>) -> Option<&'s S> {
        if let Sent::Absent = sent {
            self.note(path, S::fault("undefined"));
        }
        self.value(path, sent)
    }

    /// Returns an optional member, unparsed.
    pub(crate) fn value<'s, S: Wire>(&mut self, path: &[&str], sent: &'s Sent<S>) -> Option<&'s S> {
        match sent {
            Sent::Value(value) => return Some(value),
            Sent::Absent => {}
            Sent::Null => self.note(path, S::fault("null")),
            Sent::Wrong(received) => self.note(path, S::fault(received)),
        }
        None
    }

    /// Returns an optional flag; false if it was left out.
    pub(crate) fn flag<S: Wire + Copy + Into<bool>>(&mut self, name: &str, sent: &Sent<S>) -> bool {
        let flag = self.value(&[name], sent);
        flag.is_some_and(|flag| (*flag).into())
    }

    /// Notes an end that is before its start.
    pub(crate) fn in_order(
        &mut self,
        (start, from): (&str, Option<UnixSeconds>),
        (end, until): (&str, Option<UnixSeconds>),
    ) {
        if let (Some(from), Some(until)) = (from, until)
            && from > until
        {
            let message = format!("{end} is before {start}");
            let expected = format!("Unix seconds from {} on", from.get());
            self.note(&[end], (IssueCode::Custom, message, expected));
        }
    }

    /// Returns the value, or notes the fault of the member.
    pub(crate) fn member<T, E: Explain>(
        &mut self,
        path: &[&str],
        parsed: Result<T, E>,
    ) -> Option<T> {
        parsed
            .map_err(|error| self.note(path, error.explain()))
            .ok()
    }

    /// Notes the faults of a part of the input, below its path.
    pub(crate) fn below(&mut self, path: &[&str], problem: Problem) {
        let issues = problem.within(path).issues;
        let room = MAX_ISSUES.saturating_sub(self.issues.len());
        self.issues.extend(issues.into_iter().take(room));
    }

    /// Returns whether no fault was noted.
    pub(crate) fn is_empty(&self) -> bool {
        self.issues.is_empty()
    }

    /// Notes a fault of members that are right alone.
    pub(crate) fn found(&mut self, issue: Issue) {
        if self.issues.len() < MAX_ISSUES {
            self.issues.push(issue);
        }
    }

    /// Notes each member that leads visitors in circles.
    pub(crate) fn circles(&mut self, faults: Option<Vec<ForwardingFault>>) {
        for fault in faults.into_iter().flatten() {
            self.found((&fault).into());
        }
    }

    /// Notes a fault.
    pub(crate) fn note(&mut self, path: &[&str], (code, message, expected): Fault) {
        self.found(Issue {
            code,
            path: path.iter().map(|part| (*part).to_owned()).collect(),
            message,
            expected,
        });
    }

    /// Returns the checked input, unless there were faults. `build` returns `None` only
    /// if a required member failed, which was noted.
    pub(crate) fn finish<T>(self, build: impl FnOnce() -> Option<T>) -> Result<T, Problem> {
        match build() {
            Some(value) if self.issues.is_empty() => Ok(value),
            Some(_) | None => Err(Problem::invalid(self.issues)),
        }
    }
}
