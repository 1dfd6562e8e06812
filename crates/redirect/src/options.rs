//! The settings of an instance's public side.

use std::time::Duration;

use actix_web::http::{StatusCode, header::HeaderValue};
use thiserror::Error;

use crate::address::Address;

/// The form of redirects.
#[derive(Clone, Debug)]
pub struct RedirectOptions {
    /// The status.
    pub status: RedirectStatus,
    /// The time for which browsers and proxies may cache redirects.
    pub cache: CachePolicy,
    /// Merges the visitor's query into the destination of links that do not
    /// decide it.
    pub with_query: bool,
    /// Asks search engines not to list links that do not decide it.
    pub noindex: bool,
    /// The address to which the bare origin leads; without it, a small page is
    /// shown there.
    pub home: Option<Address>,
    /// The address for visitors of unknown paths; without it, they get an
    /// error.
    pub not_found: Option<Address>,
    /// The address for visitors of links that are over and lead nowhere else; without it, they
    /// get the same as visitors of unknown paths, or an error.
    pub expired: Option<Address>,
}

impl Default for RedirectOptions {
    fn default() -> Self {
        Self {
            status: RedirectStatus(StatusCode::MOVED_PERMANENTLY),
            cache: CachePolicy::private(Duration::from_secs(90)),
            with_query: false,
            noindex: false,
            home: None,
            not_found: None,
            expired: None,
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

    /// The number.
    pub fn get(self) -> u16 {
        self.0.as_u16()
    }

    pub(crate) fn code(self) -> StatusCode {
        self.0
    }
}

/// The number is not a status that redirects.
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
    /// Lets the visitor's own browser cache the redirect for a while. An edit
    /// takes effect after that time, and repeated visits in it are not counted.
    pub fn private(max_age: Duration) -> Self {
        let value = format!("private, max-age={}", max_age.as_secs());
        Self {
            header: HeaderValue::from_str(&value).expect("digits and ASCII words"),
            max_age: Some(max_age),
        }
    }

    /// Forbids caching.
    pub fn no_store() -> Self {
        Self {
            header: HeaderValue::from_static("no-store"),
            max_age: None,
        }
    }

    /// The header of a redirect that stays valid for so many seconds, if it
    /// ends: nothing may cache it for longer. Redirects that do not end share
    /// one value, which costs only a reference count.
    pub(crate) fn header(&self, left: Option<u64>) -> HeaderValue {
        let left = left.map(Duration::from_secs);
        match (self.max_age, left) {
            (Some(max_age), Some(left)) if left < max_age => Self::private(left).header,
            _ => self.header.clone(),
        }
    }

    /// The time for which a browser may cache a redirect; `None` for
    /// "no-store".
    pub fn max_age(&self) -> Option<Duration> {
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
