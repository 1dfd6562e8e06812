//! Counts of the outcomes of visits.

use slugline_domain::measure::Counter;
use slugline_httpkit::{Code, Problem};

/// The visitor's outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The visitor was redirected to a destination.
    Redirected,
    /// The visitor got a destination in a frame.
    Framed,
    /// The visitor got the answer of a proxied destination.
    Proxied,
    /// A bot of a social network got the preview.
    Preview,
    /// The visitor was redirected to a link's address for the time before its start or after its
    /// end.
    Detoured,
    /// The visitor got a page that asks for the password, or warns.
    Gate,
    /// No link has the slug, or none that is shown, or the path is not a slug.
    NotFound,
    /// The link has expired or is used up.
    Expired,
    /// The visitor was refused for a wrong password or a limit.
    Refused,
    /// The service, or the destination of a proxied link, failed.
    Failed,
}

impl Outcome {
    /// All outcomes.
    pub const ALL: &'static [Self] = &[
        Self::Redirected,
        Self::Framed,
        Self::Proxied,
        Self::Preview,
        Self::Detoured,
        Self::Gate,
        Self::NotFound,
        Self::Expired,
        Self::Refused,
        Self::Failed,
    ];

    /// Returns the name, in snake case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Redirected => "redirected",
            Self::Framed => "framed",
            Self::Proxied => "proxied",
            Self::Preview => "preview",
            Self::Detoured => "detoured",
            Self::Gate => "gate",
            Self::NotFound => "not_found",
            Self::Expired => "expired",
            Self::Refused => "refused",
            Self::Failed => "failed",
        }
    }

    pub(crate) fn of(problem: &Problem) -> Self {
        if matches!(problem.code, Code::LinkNotFound | Code::RouteNotFound) {
            Self::NotFound
        } else if problem.code == Code::LinkExpired {
            Self::Expired
        } else if problem.status() >= 500 {
            Self::Failed
        } else {
            Self::Refused
        }
    }

    fn index(self) -> usize {
        let same = |outcome: &Self| *outcome == self;
        Self::ALL.iter().position(same).expect("all are listed")
    }
}

/// The number of times that each outcome occurred since the start.
#[derive(Debug, Default)]
pub struct Outcomes([Counter; Outcome::ALL.len()]);

impl Outcomes {
    pub(crate) fn count(&self, outcome: Outcome) {
        self.0[outcome.index()].count();
    }

    /// Returns the count of this outcome.
    pub fn get(&self, outcome: Outcome) -> u64 {
        self.0[outcome.index()].get()
    }
}
