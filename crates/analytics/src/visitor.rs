//! Distinguishes visitors without storing their addresses.
//!
//! A visitor is the keyed hash of an address. The key, a random salt, is deleted at the end of
//! its period. After that the hash of a given address cannot be computed any more, and the same
//! visitor gets another hash in the next period. A hash without a key would not suffice: an
//! attacker could try all IPv4 addresses.

use std::{fmt, net::IpAddr};

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// The key of a period's hashes.
#[derive(Clone)]
pub struct VisitorKey(Hmac<Sha256>);

impl VisitorKey {
    /// Bytes of a salt: the output size of the hash, beyond which a longer key
    /// adds nothing (RFC 2104 section 3).
    pub const SALT_BYTES: usize = 32;

    pub fn new(salt: &[u8]) -> Self {
        Self(Hmac::new_from_slice(salt).expect("HMAC takes keys of any length"))
    }

    /// The visitor behind an address. An IPv4 address inside IPv6 is the same
    /// visitor. Of an IPv6 address the first 64 bits count: a connection has at
    /// least those to itself, and its devices change the rest every day (RFC
    /// 8981, RFC 6177).
    pub fn identify(&self, client: IpAddr) -> Visitor {
        let mut mac = self.0.clone();
        match client.to_canonical() {
            IpAddr::V4(address) => mac.update(&address.octets()),
            IpAddr::V6(address) => mac.update(&address.octets()[..8]),
        }
        let digest = mac.finalize().into_bytes();
        let words = digest.as_chunks().0;
        let word = |index: usize| u64::from_be_bytes(words[index]);
        Visitor {
            hash: VisitorHash(word(0)),
            luck: word(1),
        }
    }
}

impl fmt::Debug for VisitorKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("VisitorKey(…)")
    }
}

/// A visitor's identity, and the number that decides the sampling of its visits. The two are
/// independent, because they are different bits of a keyed hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Visitor {
    pub hash: VisitorHash,
    /// Never stored.
    pub luck: u64,
}

/// A visitor within one salt period: the first 64 bits of a keyed hash. Shown
/// as 16 hexadecimal digits, an opaque token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VisitorHash(pub u64);

impl VisitorHash {
    /// Parses a token; `None` for any other text.
    pub fn parse(token: &str) -> Option<Self> {
        let hexadecimal = token.len() == 16 && token.bytes().all(|b| b.is_ascii_hexdigit());
        hexadecimal
            .then(|| u64::from_str_radix(token, 16).ok().map(Self))
            .flatten()
    }
}

impl fmt::Display for VisitorHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, Ipv6Addr};

    use super::*;

    #[test]
    fn the_hash_is_the_beginning_of_hmac_sha_256() {
        // RFC 4231 section 4.2.
        let key = VisitorKey::new(&[0x0b; 20]);
        let mut mac = key.0.clone();
        mac.update(b"Hi There");
        assert!(
            mac.finalize()
                .into_bytes()
                .starts_with(&[0xb0, 0x34, 0x4c, 0x61, 0xd8, 0xdb, 0x38, 0x53])
        );
    }

    #[test]
    fn the_same_address_has_the_same_hash_only_under_the_same_salt() {
        let (first, second) = (VisitorKey::new(&[1; 32]), VisitorKey::new(&[2; 32]));
        let address = Ipv4Addr::new(203, 0, 113, 7);
        let mapped: Ipv6Addr = address.to_ipv6_mapped();
        assert_eq!(
            first.identify(address.into()),
            first.identify(mapped.into())
        );
        assert_ne!(
            first.identify(address.into()),
            second.identify(address.into())
        );
        let neighbour = Ipv4Addr::new(203, 0, 113, 8);
        assert_ne!(
            first.identify(address.into()),
            first.identify(neighbour.into())
        );
    }

    #[test]
    fn ipv6_addresses_of_one_connection_are_one_visitor() {
        let key = VisitorKey::new(&[1; 32]);
        let visitor = |address: &str| key.identify(address.parse().unwrap());
        let first = visitor("2001:db8:1:2::7");
        assert_eq!(visitor("2001:db8:1:2:ffff:ffff:ffff:ffff"), first);
        assert_ne!(visitor("2001:db8:1:3::7"), first);
    }

    #[test]
    fn tokens_have_sixteen_digits_and_can_be_read_back() {
        let hash = VisitorHash(0xab);
        assert_eq!(hash.to_string(), "00000000000000ab");
        assert_eq!(VisitorHash::parse("00000000000000ab"), Some(hash));
        for other in ["ab", "203.0.113.7", "+0000000000000ab", "00000000000000abc"] {
            assert_eq!(VisitorHash::parse(other), None);
        }
    }
}
