//! Networks of addresses.

use std::net::IpAddr;

use super::value::Value;

/// A network in CIDR notation (RFC 4632 §3.1), or one address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Network {
    first: IpAddr,
    prefix: u8,
}

impl Network {
    /// True if the address is in the network. An IPv4 address inside IPv6 counts as IPv4.
    pub(super) fn has(self, address: IpAddr) -> bool {
        match (self.first, address.to_canonical()) {
            (IpAddr::V4(first), IpAddr::V4(address)) => {
                let host_bits = 32 - u32::from(self.prefix);
                let network = |bits: u32| bits.checked_shr(host_bits).unwrap_or(0);
                network(first.to_bits()) == network(address.to_bits())
            }
            (IpAddr::V6(first), IpAddr::V6(address)) => {
                let host_bits = 128 - u32::from(self.prefix);
                let network = |bits: u128| bits.checked_shr(host_bits).unwrap_or(0);
                network(first.to_bits()) == network(address.to_bits())
            }
            (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => false,
        }
    }

    fn longest_prefix(address: IpAddr) -> u8 {
        if address.is_ipv4() { 32 } else { 128 }
    }

    /// True if no bit is set behind the prefix.
    fn begins(first: IpAddr, prefix: u8) -> bool {
        let zeros = match first {
            IpAddr::V4(address) => address.to_bits().trailing_zeros(),
            IpAddr::V6(address) => address.to_bits().trailing_zeros(),
        };
        zeros >= u32::from(Self::longest_prefix(first) - prefix)
    }
}

impl Value for Network {
    const EXPECTED: &'static str = "an address or a network without bits behind its prefix, such \
                                    as 192.0.2.0/24 or 2001:db8::/32";

    fn parse(text: &str) -> Option<Self> {
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix)),
            None => (text, None),
        };
        let first: IpAddr = address.parse().ok()?;
        let longest = Self::longest_prefix(first);
        let prefix = match prefix {
            Some(digits) if digits.bytes().all(|b| b.is_ascii_digit()) => digits.parse().ok()?,
            Some(_) => return None,
            None => longest,
        };
        // Visitors have no such address: it counts as IPv4.
        let is_mapped = first.to_canonical() != first;
        let taken = !is_mapped && prefix <= longest && Self::begins(first, prefix);
        taken.then_some(Self { first, prefix })
    }

    fn show(&self) -> String {
        if self.prefix == Self::longest_prefix(self.first) {
            return self.first.to_string();
        }
        format!("{}/{}", self.first, self.prefix)
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("192.0.2.0/24", "192.0.2.255", true)]
    #[case("192.0.2.0/24", "192.0.3.0", false)]
    #[case("192.0.2.0/24", "::ffff:192.0.2.9", true)]
    #[case("192.0.2.7", "192.0.2.7", true)]
    #[case("192.0.2.7", "192.0.2.8", false)]
    #[case("0.0.0.0/0", "203.0.113.1", true)]
    #[case("0.0.0.0/0", "2001:db8::1", false)]
    #[case("2001:db8::/32", "2001:db8:ffff::1", true)]
    #[case("2001:db8::/32", "2001:db9::", false)]
    #[case("::/0", "2001:db8::1", true)]
    fn an_address_is_in_its_networks(
        #[case] network: &str,
        #[case] address: &str,
        #[case] is_in: bool,
    ) {
        let network = <Network as Value>::parse(network).unwrap();
        assert_eq!(network.has(address.parse().unwrap()), is_in);
        assert_eq!(<Network as Value>::parse(&network.show()), Some(network));
    }

    #[rstest]
    #[case("")]
    #[case("192.0.2.1/24")]
    #[case("192.0.2.0/33")]
    #[case("192.0.2.0/+24")]
    #[case("192.0.2.0/")]
    #[case("2001:db8::1/64")]
    #[case("2001:db8::/129")]
    #[case("::ffff:192.0.2.0/120")]
    #[case("example.com")]
    fn what_no_visitor_can_match_is_refused(#[case] text: &str) {
        assert_eq!(<Network as Value>::parse(text), None);
    }
}
