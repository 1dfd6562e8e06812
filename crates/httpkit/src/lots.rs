//! The sides of splits that visitors fall on.

use std::{
    fmt,
    hash::{BuildHasher, Hasher, RandomState},
    net::IpAddr,
};

use siphasher::sip::SipHasher13;
use slugline_domain::ClientNetwork;

/// Draws a lot for each visitor of each link: a keyed hash of both, so that a visitor keeps a side
/// without a cookie, and nobody without the key can tell which.
///
/// A visitor is what the access log takes for one: an IPv4 address, or the /64 of an IPv6 address.
#[derive(Clone)]
pub struct Lots(SipHasher13);

impl Lots {
    /// Draws by a key that all nodes have.
    pub fn keyed(secret: &[u8; 32]) -> Self {
        let (key, _) = secret.split_at(16);
        Self(SipHasher13::new_with_key(key.try_into().expect("16 bytes")))
    }

    /// Returns the lot of a visitor of the link with this identity.
    pub fn of(&self, client: IpAddr, link: &str) -> u64 {
        let mut hasher = self.0;
        match ClientNetwork::of(client).address() {
            IpAddr::V4(address) => hasher.write(&address.octets()),
            IpAddr::V6(address) => hasher.write(&address.octets()),
        }
        hasher.write(link.as_bytes());
        hasher.finish()
    }
}

/// Draws by a key of this process.
impl Default for Lots {
    fn default() -> Self {
        let drawn = |part: u8| RandomState::new().hash_one(part);
        Self(SipHasher13::new_with_keys(drawn(0), drawn(1)))
    }
}

impl fmt::Debug for Lots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Lots(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lot(lots: &Lots, client: &str, link: &str) -> u64 {
        lots.of(client.parse().unwrap(), link)
    }

    #[test]
    fn a_visitor_has_one_lot_at_a_link_on_every_node() {
        let (first, second) = (Lots::keyed(&[7; 32]), Lots::keyed(&[7; 32]));
        let here = lot(&first, "192.0.2.1", "a");
        assert_eq!(lot(&second, "192.0.2.1", "a"), here);
        assert_eq!(lot(&first, "::ffff:192.0.2.1", "a"), here);
        assert_ne!(lot(&first, "192.0.2.1", "b"), here);
        assert_ne!(lot(&first, "192.0.2.2", "a"), here);
        assert_ne!(lot(&Lots::keyed(&[8; 32]), "192.0.2.1", "a"), here);
        let phone = lot(&first, "2001:db8:1:2::1", "a");
        assert_eq!(lot(&first, "2001:db8:1:2:ffff::", "a"), phone);
    }

    #[test]
    fn lots_are_spread_evenly() {
        let lots = Lots::keyed(&[7; 32]);
        let mut counts = [0_u32; 10];
        for number in 0..20_000_u32 {
            let lot = lots.of(IpAddr::V4(number.into()), "link");
            let tenth = (u128::from(lot) * 10) >> u64::BITS;
            counts[usize::try_from(tenth).unwrap()] += 1;
        }
        // Five standard deviations of a count of 2,000.
        assert!(
            counts.iter().all(|count| count.abs_diff(2_000) < 212),
            "{counts:?}"
        );
    }
}
