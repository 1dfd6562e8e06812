//! Limits the lines of the log output, and logs wrong tokens and passwords.

use std::{
    hash::{BuildHasher, RandomState},
    net::IpAddr,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use slugline_domain::{ClientNetwork, ClientTag};

/// Limits the log output to this many lines of one kind each minute, and counts the others:
/// neither strangers nor an outage may fill the disk.
#[derive(Debug)]
pub(crate) struct LineLimit {
    per_minute: u32,
    minute: Mutex<Minute>,
}

#[derive(Debug)]
struct Minute {
    began: Option<Instant>,
    lines: u32,
    left_out: u64,
}

impl LineLimit {
    const MINUTE: Duration = Duration::from_mins(1);

    pub(crate) const fn new(per_minute: u32) -> Self {
        Self {
            per_minute,
            minute: Mutex::new(Minute {
                began: None,
                lines: 0,
                left_out: 0,
            }),
        }
    }

    /// Returns the number of lines that were left out before this one; `None` if the caller
    /// must leave this one out too.
    pub(crate) fn admit(&self, now: Instant) -> Option<u64> {
        let mut minute = self.minute.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = |began| now.saturating_duration_since(began) >= Self::MINUTE;
        if minute.began.is_none_or(is_new) {
            minute.began = Some(now);
            minute.lines = 0;
        }
        if minute.lines >= self.per_minute {
            minute.left_out += 1;
            return None;
        }
        minute.lines += 1;
        Some(std::mem::take(&mut minute.left_out))
    }
}

/// Warns of wrong tokens and passwords, and names the visitor by a hash, so that an
/// operator sees if one visitor guesses or many.
///
/// The hash is keyed by random bits of this process, which nothing stores: no reader can
/// find the address by trying all of them, and after a restart the same visitor has
/// another hash. The access log uses a different hash, whose key belongs to the thread
/// that writes visits; a shared hash would link a guess to the links that the same
/// visitor followed. The audit trail uses the hash of this type.
#[derive(Debug)]
pub(crate) struct Refusals {
    key: RandomState,
    tokens: LineLimit,
    passwords: LineLimit,
}

impl Refusals {
    /// The most log lines of either kind.
    const PER_MINUTE: u32 = 10;

    pub(crate) fn token(&self, client: IpAddr) {
        if let Some(left_out) = self.tokens.admit(Instant::now()) {
            let visitor = self.visitor(client);
            tracing::warn!(visitor, left_out, "a wrong token was refused");
        }
    }

    pub(crate) fn password(&self, client: IpAddr) {
        if let Some(left_out) = self.passwords.admit(Instant::now()) {
            let visitor = self.visitor(client);
            tracing::warn!(visitor, left_out, "a wrong password of a link was refused");
        }
    }

    /// Returns the hash of a client. The audit trail keeps it, so an operator sees that a guesser
    /// later came with a token.
    pub(crate) fn client_tag(&self, client: IpAddr) -> ClientTag {
        ClientTag::new(self.key.hash_one(ClientNetwork::of(client)))
    }

    fn visitor(&self, client: IpAddr) -> String {
        self.client_tag(client).to_string()
    }
}

impl Default for Refusals {
    fn default() -> Self {
        Self {
            key: RandomState::new(),
            tokens: LineLimit::new(Self::PER_MINUTE),
            passwords: LineLimit::new(Self::PER_MINUTE),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_minute_has_no_room_for_is_counted_by_the_next_line() {
        let limit = LineLimit::new(2);
        let start = Instant::now();
        let at = |seconds| limit.admit(start + Duration::from_secs(seconds));
        assert_eq!([at(0), at(1)], [Some(0), Some(0)]);
        assert_eq!([at(2), at(3), at(59)], [None; 3]);
        assert_eq!([at(60), at(61), at(62)], [Some(3), Some(0), None]);
        assert_eq!(at(500), Some(1));
    }

    #[test]
    fn a_visitor_has_one_hash_for_the_life_of_a_process() {
        let (first, second) = (Refusals::default(), Refusals::default());
        let visitor = |refusals: &Refusals, address: &str| {
            let hash = refusals.visitor(address.parse().unwrap());
            assert_eq!(hash.len(), 16);
            hash
        };
        let hash = visitor(&first, "192.0.2.1");
        assert_eq!(visitor(&first, "::ffff:192.0.2.1"), hash);
        assert_ne!(visitor(&first, "192.0.2.2"), hash);
        assert_ne!(visitor(&second, "192.0.2.1"), hash);
    }
}
