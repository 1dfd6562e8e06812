//! The site token, which guards the whole API.

use std::{fmt, net::IpAddr, sync::Arc};

use sha2::{Digest, Sha256};
use slugline_domain::ports::Clock;
use subtle::ConstantTimeEq;
use thiserror::Error;

use crate::attempts::{AttemptLimit, TooManyAttempts};

/// The secret that API clients present. Only its digest is kept.
#[derive(Clone)]
pub struct SiteToken([u8; 32]);

impl SiteToken {
    /// Shortest token in characters. Sink's bound.
    pub const MIN_CHARS: usize = 8;

    /// Takes the token in clear.
    ///
    /// # Errors
    /// It has fewer than [`SiteToken::MIN_CHARS`] characters.
    pub fn new(token: &str) -> Result<Self, TokenTooShort> {
        let length = token.chars().count();
        if length < Self::MIN_CHARS {
            return Err(TokenTooShort { length });
        }
        Ok(Self(digest(token)))
    }

    /// Comparing digests takes the same time wherever the texts differ and
    /// however long they are.
    fn matches(&self, presented: &str) -> bool {
        self.0.ct_eq(&digest(presented)).into()
    }
}

impl fmt::Debug for SiteToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SiteToken(…)")
    }
}

/// A token is too short to be one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "the token has {length} characters, at least {} are needed",
    SiteToken::MIN_CHARS
)]
pub struct TokenTooShort {
    /// Characters found.
    pub length: usize,
}

/// Why a caller may not use the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Denied {
    /// No token was presented.
    #[error("Unauthorized")]
    NoToken,
    /// The token is too short to be a site token.
    #[error("Token is too short")]
    TooShort,
    /// The token is wrong.
    #[error("Unauthorized")]
    WrongToken,
    /// The caller's address presented too many wrong tokens.
    #[error("Too many failed attempts")]
    TooMany(#[from] TooManyAttempts),
}

/// Decides whether a caller holds the site token.
#[derive(Debug)]
pub struct Authenticator {
    token: SiteToken,
    clock: Arc<dyn Clock>,
    failures: AttemptLimit<IpAddr>,
}

impl Authenticator {
    /// Wrong tokens a client address may present in a minute.
    pub const MAX_FAILURES_PER_MINUTE: u32 = 30;
    /// Client addresses whose failures are remembered.
    const REMEMBERED_CLIENTS: usize = 10_000;

    /// Guards with this token.
    pub fn new(token: SiteToken, clock: Arc<dyn Clock>) -> Self {
        let failures = AttemptLimit::new(Self::MAX_FAILURES_PER_MINUTE, Self::REMEMBERED_CLIENTS);
        Self {
            token,
            clock,
            failures,
        }
    }

    /// Checks the token that a client presents.
    ///
    /// # Errors
    /// Says why the caller may not go on.
    pub fn authenticate(&self, presented: Option<&str>, client: IpAddr) -> Result<(), Denied> {
        let presented = presented.ok_or(Denied::NoToken)?;
        let now = self.clock.now();
        let client = network_of(client);
        self.failures.begin(&client, now)?;
        if self.token.matches(presented) {
            self.failures.succeeded(&client);
            return Ok(());
        }
        if presented.chars().count() < SiteToken::MIN_CHARS {
            return Err(Denied::TooShort);
        }
        Err(Denied::WrongToken)
    }
}

/// One subscriber usually holds a whole IPv6 /64, so failures count per /64.
fn network_of(client: IpAddr) -> IpAddr {
    match client.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::from([a, b, c, d, 0, 0, 0, 0])
        }
        v4 @ IpAddr::V4(_) => v4,
    }
}

fn digest(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use slugline_testkit::{FixedClock, NOON};

    use super::*;

    fn guard() -> (Authenticator, Arc<FixedClock>) {
        let clock = Arc::new(FixedClock::at(NOON));
        let token = SiteToken::new("correct horse").unwrap();
        (Authenticator::new(token, clock.clone()), clock)
    }

    fn client(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn only_the_exact_token_passes() {
        let (guard, _) = guard();
        let here = client("192.0.2.1");
        assert_eq!(guard.authenticate(Some("correct horse"), here), Ok(()));
        assert_eq!(guard.authenticate(None, here), Err(Denied::NoToken));
        assert_eq!(
            guard.authenticate(Some("short"), here),
            Err(Denied::TooShort)
        );
        for wrong in [
            "correct horse ",
            "Correct horse",
            "correct hors",
            "correct horses",
        ] {
            assert_eq!(
                guard.authenticate(Some(wrong), here),
                Err(Denied::WrongToken)
            );
        }
    }

    #[test]
    fn a_guessing_client_is_stopped_without_stopping_others() {
        let (guard, clock) = guard();
        let guesser = client("2001:db8::1");
        let neighbour_in_the_same_network = client("2001:db8::2");
        for _ in 0..Authenticator::MAX_FAILURES_PER_MINUTE {
            assert_eq!(
                guard.authenticate(Some("wrong-token"), guesser),
                Err(Denied::WrongToken)
            );
        }
        let denied = guard.authenticate(Some("correct horse"), neighbour_in_the_same_network);
        assert!(matches!(denied, Err(Denied::TooMany(_))));
        assert_eq!(
            guard.authenticate(Some("correct horse"), client("2001:db8:0:1::1")),
            Ok(())
        );
        clock.advance_seconds(120);
        assert_eq!(guard.authenticate(Some("correct horse"), guesser), Ok(()));
    }

    #[test]
    fn missing_tokens_are_not_held_against_the_client() {
        let (guard, _) = guard();
        let here = client("192.0.2.1");
        for _ in 0..100 {
            assert_eq!(guard.authenticate(None, here), Err(Denied::NoToken));
        }
        assert_eq!(guard.authenticate(Some("correct horse"), here), Ok(()));
    }

    #[test]
    fn a_token_needs_eight_characters_and_stays_out_of_debug_output() {
        assert_eq!(
            SiteToken::new("1234567").unwrap_err(),
            TokenTooShort { length: 7 }
        );
        assert!(SiteToken::new("12345678").is_ok());
        assert_eq!(
            format!("{:?}", SiteToken::new("hunter2hunter2").unwrap()),
            "SiteToken(…)"
        );
    }
}
