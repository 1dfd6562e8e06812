//! The network of a client, the unit that limits count by.

use std::net::IpAddr;

/// A client as limits see it: its IPv4 address, or its IPv6 /64, because one
/// subscriber usually holds a whole /64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClientNetwork(IpAddr);

impl ClientNetwork {
    /// The network of an address. Counts an IPv4 address inside IPv6 as IPv4.
    pub fn of(client: IpAddr) -> Self {
        Self::first_segments(client.to_canonical(), 4)
    }

    /// The most that one customer can hold: the same IPv4 address, or the IPv6
    /// /48 around it, which has 65,536 networks.
    #[must_use]
    pub fn site(self) -> Self {
        Self::first_segments(self.0, 3)
    }

    /// The first address of the network.
    pub fn address(self) -> IpAddr {
        self.0
    }

    fn first_segments(address: IpAddr, kept: usize) -> Self {
        let IpAddr::V6(v6) = address else {
            return Self(address);
        };
        let mut segments = v6.segments();
        segments[kept..].fill(0);
        Self(IpAddr::from(segments))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(text: &str) -> ClientNetwork {
        ClientNetwork::of(text.parse().unwrap())
    }

    #[test]
    fn an_ipv4_address_stands_alone_however_it_is_written() {
        assert_eq!(network("::ffff:192.0.2.1"), network("192.0.2.1"));
        assert_ne!(network("192.0.2.1"), network("192.0.2.2"));
        assert_eq!(network("192.0.2.1").site(), network("192.0.2.1"));
    }

    #[test]
    fn an_ipv6_client_is_its_64_and_its_site_is_the_48_around_it() {
        assert_eq!(network("2001:db8:1:2::1"), network("2001:db8:1:2:ffff::"));
        assert_ne!(network("2001:db8:1:2::1"), network("2001:db8:1:3::1"));
        let site = |text| network(text).site();
        assert_eq!(site("2001:db8:1:2::1"), site("2001:db8:1:ffff::1"));
        assert_ne!(site("2001:db8:1::"), site("2001:db8:2::"));
    }
}
