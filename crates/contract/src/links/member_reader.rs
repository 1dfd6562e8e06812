//! Reads the members of a link from the bodies that hold them.

use slugline_domain::{Change, Destination};

use crate::{
    bounds::Bounds,
    issue::{Explain, IssueCode},
    sent::{Sent, Wire},
    validation::Validation,
};

/// The bodies that hold the members of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Body {
    /// A new link, where `null` stands for nothing.
    New,
    /// A link of an export: texts have the widest bounds of any version, and its expiry may be any.
    Exported,
    /// A whole link, where `null` removes a member that Sink's clients do not know.
    Whole,
    /// Some members, where `null` removes one.
    Partial,
    /// Some members from an assistant: an empty text removes one, too.
    PartialByTool,
}

/// Reads members of one body, and notes their faults.
pub(super) struct MemberReader<'r> {
    pub(super) validation: &'r mut Validation,
    pub(super) bounds: &'r Bounds,
    pub(super) body: Body,
    /// The members that the body removes by their names.
    pub(super) removed: &'r [&'r str],
}

impl MemberReader<'_> {
    /// Reads the destination, which only some members may leave out.
    pub(super) fn url(&mut self, sent: &Sent<impl Wire + AsRef<str>>) -> Option<Destination> {
        let url = match self.body {
            Body::New | Body::Exported | Body::Whole => self.validation.there(&["url"], sent),
            Body::Partial | Body::PartialByTool => self.validation.value(&["url"], sent),
        };
        let parsed = Destination::parse(url?.as_ref(), &self.bounds.destinations);
        self.parsed("url", parsed)
    }

    /// Reads a member that Sink's clients know. `read` returns `None` after it noted a fault.
    pub(super) fn sinks<S: Wire, T>(
        &mut self,
        name: &str,
        sent: &Sent<S>,
        read: impl FnOnce(&mut Self, &str, &S) -> Option<T>,
    ) -> Change<T> {
        self.change(name, sent, read, &[Body::Partial])
    }

    /// Reads a member that they do not know. No export had other bounds for it than today's.
    pub(super) fn ours<S: Wire, T>(
        &mut self,
        name: &str,
        sent: &Sent<S>,
        read: impl FnOnce(&mut Self, &str, &S) -> Option<T>,
    ) -> Change<T> {
        let body = self.body;
        if body == Body::Exported {
            self.body = Body::New;
        }
        let change = self.change(name, sent, read, &[Body::Whole, Body::Partial]);
        self.body = body;
        change
    }

    fn change<S: Wire, T>(
        &mut self,
        name: &str,
        sent: &Sent<S>,
        read: impl FnOnce(&mut Self, &str, &S) -> Option<T>,
        null_removes: &[Body],
    ) -> Change<T> {
        let is_named = self.removed.contains(&name);
        let is_removed = match sent {
            Sent::Absent => is_named,
            Sent::Null => null_removes.contains(&self.body),
            Sent::Value(value) => self.body == Body::PartialByTool && value.is_empty_text(),
            Sent::Wrong(_) => false,
        };
        if is_removed {
            return Change::Clear;
        }
        if is_named {
            let message = format!("{name} is set here and removed by remove");
            let fault = (IssueCode::Custom, message, "one of the two".to_owned());
            self.validation.note(&[name], fault);
        }
        let value = self.validation.value(&[name], sent);
        // After a fault nothing uses the change.
        let read = value.and_then(|value| read(self, name, value));
        read.map_or(Change::Keep, Change::Set)
    }

    /// Returns the value, or notes the fault of the member.
    pub(super) fn parsed<T, E: Explain>(&mut self, name: &str, parsed: Result<T, E>) -> Option<T> {
        self.validation.member(&[name], parsed)
    }
}
