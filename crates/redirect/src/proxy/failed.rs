//! The answer when a destination fails.

use slugline_httpkit::{Code, Problem};

pub(super) fn failed(detail: &str) -> Problem {
    Problem::new(Code::ProxyFailed, detail)
}
