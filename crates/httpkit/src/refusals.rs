//! Logs wrong tokens and passwords, and names clients by a hash.

use std::{
    hash::{BuildHasher, RandomState},
    net::IpAddr,
    time::Instant,
};

use slugline_domain::{ClientNetwork, ClientTag};

use crate::line_limit::LineLimit;

/// Warns of wrong tokens and passwords, and names the visitor by a hash, so that an
/// operator sees if one visitor guesses or many.
///
/// The hash is keyed by random bits of this process, which nothing stores: nobody can
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
