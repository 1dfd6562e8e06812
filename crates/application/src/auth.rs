//! The site token, which guards the whole API.

use std::{fmt, net::IpAddr, sync::Arc};

use sha2::{Digest, Sha256};
use slugline_domain::{ClientNetwork, measure::Counter, ports::Clock};
use subtle::ConstantTimeEq;
use thiserror::Error;

use crate::{
    attempts::{ClientLimit, TooManyAttempts},
    caller::Caller,
};

/// The secret that API clients send. Only its digest is kept.
#[derive(Clone)]
pub struct SiteToken {
    digest: [u8; 32],
    short: bool,
}

impl SiteToken {
    /// The minimum length of a token in characters, the same as Sink's.
    pub const MIN_CHARS: usize = 8;
    /// The length in characters from which nobody can guess a random token in years. A
    /// right token always passes, however many wrong ones came before, so only the length
    /// keeps strangers out.
    pub const ADVISED_CHARS: usize = 16;

    /// Takes the token in clear.
    ///
    /// # Errors
    /// It has fewer than [`SiteToken::MIN_CHARS`] characters.
    pub fn new(token: &str) -> Result<Self, TokenTooShort> {
        let length = token.chars().count();
        if length < Self::MIN_CHARS {
            return Err(TokenTooShort { length });
        }
        Ok(Self {
            digest: digest(token),
            short: length < Self::ADVISED_CHARS,
        })
    }

    /// Returns whether the token has fewer than [`SiteToken::ADVISED_CHARS`] characters.
    pub fn is_short(&self) -> bool {
        self.short
    }

    /// Compares digests, which takes the same time for all texts, whatever their lengths
    /// and wherever they differ.
    fn matches(&self, presented: &str) -> bool {
        self.digest.ct_eq(&digest(presented)).into()
    }
}

impl fmt::Debug for SiteToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SiteToken(…)")
    }
}

/// The text is too short for a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "the token has {length} characters, at least {} are needed",
    SiteToken::MIN_CHARS
)]
pub struct TokenTooShort {
    /// The number of characters in the text.
    pub length: usize,
}

/// The reason why a caller may not use the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Denied {
    /// The caller sent no token.
    #[error("Unauthorized")]
    NoToken,
    /// The token is too short to be a site token.
    #[error("Token is too short")]
    TooShort,
    /// The token is wrong.
    #[error("Unauthorized")]
    WrongToken,
    /// The token is wrong, and the caller's network has sent too many wrong ones.
    #[error("Too many failed attempts")]
    TooMany(#[from] TooManyAttempts),
}

/// Decides whether a caller holds the site token.
#[derive(Debug)]
pub struct Authenticator {
    token: SiteToken,
    clock: Arc<dyn Clock>,
    failures: ClientLimit<()>,
    turned_away: Counter,
}

impl Authenticator {
    /// Wrong tokens that a client network may send in a minute.
    pub const MAX_FAILURES_PER_MINUTE: u32 = 30;
    /// Client networks whose failures are remembered.
    const REMEMBERED_CLIENTS: usize = 10_000;

    /// Creates a guard with this token.
    pub fn new(token: SiteToken, clock: Arc<dyn Clock>) -> Self {
        let failures = ClientLimit::new(Self::MAX_FAILURES_PER_MINUTE, Self::REMEMBERED_CLIENTS);
        Self {
            token,
            clock,
            failures,
            turned_away: Counter::default(),
        }
    }

    /// Returns the number of callers refused by the limit on wrong tokens since the start.
    pub fn turned_away(&self) -> u64 {
        self.turned_away.get()
    }

    /// Returns the caller by the token that a client sends. The right token passes however many wrong
    /// ones the client's network sent before: different clients may share an address, and
    /// nobody guesses a token by trying often.
    ///
    /// # Errors
    /// The caller may not use the API; the error gives the reason.
    pub fn authenticate(&self, presented: Option<&str>, client: IpAddr) -> Result<Caller, Denied> {
        let presented = presented.ok_or(Denied::NoToken)?;
        if self.token.matches(presented) {
            return Ok(Caller::Site);
        }
        let now = self.clock.now();
        let counted = self.failures.count(&(), ClientNetwork::of(client), now);
        counted.inspect_err(|_| self.turned_away.count())?;
        if presented.chars().count() < SiteToken::MIN_CHARS {
            return Err(Denied::TooShort);
        }
        Err(Denied::WrongToken)
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
        assert_eq!(
            guard.authenticate(Some("correct horse"), here),
            Ok(Caller::Site)
        );
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
    fn a_guessing_network_is_stopped_and_the_right_token_passes_from_it() {
        let (guard, clock) = guard();
        let guesser = client("2001:db8::1");
        let neighbour_in_the_same_network = client("2001:db8::2");
        let guess = |from| guard.authenticate(Some("wrong-token"), from);
        for _ in 0..Authenticator::MAX_FAILURES_PER_MINUTE {
            assert_eq!(guess(guesser), Err(Denied::WrongToken));
        }
        for from in [guesser, neighbour_in_the_same_network] {
            assert!(matches!(guess(from), Err(Denied::TooMany(_))));
            assert_eq!(
                guard.authenticate(Some("correct horse"), from),
                Ok(Caller::Site)
            );
        }
        assert_eq!(guess(client("2001:db8:0:1::1")), Err(Denied::WrongToken));
        clock.advance_seconds(120);
        assert_eq!(guess(guesser), Err(Denied::WrongToken));
    }

    #[test]
    fn missing_tokens_are_not_held_against_the_client() {
        let (guard, _) = guard();
        let here = client("192.0.2.1");
        for _ in 0..100 {
            assert_eq!(guard.authenticate(None, here), Err(Denied::NoToken));
        }
        assert_eq!(
            guard.authenticate(Some("correct horse"), here),
            Ok(Caller::Site)
        );
    }

    #[test]
    fn a_token_needs_eight_characters_and_stays_out_of_debug_output() {
        assert_eq!(
            SiteToken::new("1234567").unwrap_err(),
            TokenTooShort { length: 7 }
        );
        assert!(SiteToken::new("123456789012345").unwrap().is_short());
        assert!(!SiteToken::new("1234567890123456").unwrap().is_short());
        assert_eq!(
            format!("{:?}", SiteToken::new("hunter2hunter2").unwrap()),
            "SiteToken(…)"
        );
    }
}
