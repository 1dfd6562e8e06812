//! What became of visits, as numbers.

use slugline_domain::measure::Counter;
use slugline_httpkit::{Code, Problem};

/// What a visitor got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A redirect to a destination.
    Redirected,
    /// A destination in a frame.
    Framed,
    /// A destination's answer, passed on.
    Proxied,
    /// The preview that bots of social networks get.
    Preview,
    /// A page that asks for the password, or warns.
    Gate,
    /// No link has the slug, or the path is none.
    NotFound,
    /// The link has expired.
    Expired,
    /// The visitor may not pass, or not now: a wrong password, a limit.
    Refused,
    /// The service, or the destination of a proxied link, failed.
    Failed,
}

impl Outcome {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Redirected,
        Self::Framed,
        Self::Proxied,
        Self::Preview,
        Self::Gate,
        Self::NotFound,
        Self::Expired,
        Self::Refused,
        Self::Failed,
    ];

    /// Its name, in snake case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Redirected => "redirected",
            Self::Framed => "framed",
            Self::Proxied => "proxied",
            Self::Preview => "preview",
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

    fn place(self) -> usize {
        let same = |outcome: &Self| *outcome == self;
        Self::ALL.iter().position(same).expect("all are listed")
    }
}

/// How often each outcome came about since the start.
#[derive(Debug, Default)]
pub struct Outcomes([Counter; Outcome::ALL.len()]);

impl Outcomes {
    pub(crate) fn count(&self, outcome: Outcome) {
        self.0[outcome.place()].count();
    }

    /// How often this one came about.
    pub fn get(&self, outcome: Outcome) -> u64 {
        self.0[outcome.place()].get()
    }
}
