//! What an instance decides about its public side.

use std::time::Duration;

use actix_web::http::{StatusCode, header::HeaderValue};
use thiserror::Error;

use crate::address::Address;

/// How redirects look.
#[derive(Clone, Debug)]
pub struct RedirectOptions {
    /// Status.
    pub status: RedirectStatus,
    /// What browsers and proxies may remember.
    pub cache: CachePolicy,
    /// Whether the visitor's query is merged into destinations, for links that
    /// do not say.
    pub with_query: bool,
    /// Where the bare origin leads; without it, a small page is shown there.
    pub home: Option<Address>,
    /// Where visitors go whom no link and no page waits for; without it, they
    /// get an error.
    pub not_found: Option<Address>,
}

impl Default for RedirectOptions {
    fn default() -> Self {
        Self {
            status: RedirectStatus(StatusCode::MOVED_PERMANENTLY),
            cache: CachePolicy::private(Duration::from_secs(90)),
            with_query: false,
            home: None,
            not_found: None,
        }
    }
}

/// A status that redirects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RedirectStatus(StatusCode);

impl RedirectStatus {
    /// 301, 302, 307 or 308.
    ///
    /// # Errors
    /// Another number.
    pub fn new(status: u16) -> Result<Self, UnknownRedirectStatus> {
        match status {
            301 => Ok(Self(StatusCode::MOVED_PERMANENTLY)),
            302 => Ok(Self(StatusCode::FOUND)),
            307 => Ok(Self(StatusCode::TEMPORARY_REDIRECT)),
            308 => Ok(Self(StatusCode::PERMANENT_REDIRECT)),
            _ => Err(UnknownRedirectStatus),
        }
    }

    pub(crate) fn code(self) -> StatusCode {
        self.0
    }
}

/// A number is no status that redirects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("redirects have the status 301, 302, 307 or 308")]
pub struct UnknownRedirectStatus;

/// The `Cache-Control` header of redirects.
#[derive(Clone, Debug)]
pub struct CachePolicy {
    header: HeaderValue,
    max_age: Option<Duration>,
}

impl CachePolicy {
    /// The visitor's own browser may remember the redirect for a while: an edit
    /// takes effect after that, and visits within it are not counted again.
    pub fn private(max_age: Duration) -> Self {
        let value = format!("private, max-age={}", max_age.as_secs());
        Self {
            header: HeaderValue::from_str(&value).expect("digits and ASCII words"),
            max_age: Some(max_age),
        }
    }

    /// Nobody may remember it.
    pub fn no_store() -> Self {
        Self {
            header: HeaderValue::from_static("no-store"),
            max_age: None,
        }
    }

    /// The header of a redirect that is right for so many seconds more, if it
    /// ends at all: nobody may remember it for longer. Cheap for all others:
    /// copying a header's value counts a reference.
    pub(crate) fn header(&self, left: Option<u64>) -> HeaderValue {
        let left = left.map(Duration::from_secs);
        match (self.max_age, left) {
            (Some(max_age), Some(left)) if left < max_age => Self::private(left).header,
            _ => self.header.clone(),
        }
    }

    /// The time that a browser may remember a redirect; none for "no-store".
    pub(crate) fn max_age(&self) -> Option<Duration> {
        self.max_age
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_redirecting_statuses_are_taken() {
        assert!(
            [301, 302, 307, 308]
                .into_iter()
                .all(|status| RedirectStatus::new(status).is_ok())
        );
        assert!(
            [200, 300, 303, 304, 404]
                .into_iter()
                .all(|s| RedirectStatus::new(s).is_err())
        );
    }
}
