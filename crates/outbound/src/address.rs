//! Addresses of the public internet.
//!
//! Follows the IANA special-purpose registries for IPv4 and IPv6 as of 2025
//! (set up by RFC 6890), on the safe side: a block with any part that is not
//! meant for the public internet is refused as a whole.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Returns whether strangers may send us to an address: it is global unicast, and
/// does not lead to an address that is not.
///
/// ```
/// use slugline_outbound::is_public;
///
/// assert!(is_public("9.9.9.9".parse()?));
/// assert!(!is_public("169.254.169.254".parse()?));
/// assert!(!is_public("::ffff:10.0.0.1".parse()?));
/// # Ok::<(), std::net::AddrParseError>(())
/// ```
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

/// A network and its prefix length.
type Block4 = (Ipv4Addr, u32);
type Block6 = (Ipv6Addr, u32);

#[rustfmt::skip]
const SPECIAL_V4: [Block4; 16] = [
    (Ipv4Addr::UNSPECIFIED, 8),            // this network, RFC 791
    (Ipv4Addr::new(10, 0, 0, 0), 8),       // private, RFC 1918
    (Ipv4Addr::new(100, 64, 0, 0), 10),    // behind carriers' NAT, RFC 6598
    (Ipv4Addr::new(127, 0, 0, 0), 8),      // loopback, RFC 1122
    (Ipv4Addr::new(168, 63, 129, 16), 32), // services of Azure's hosts, from inside a machine only (Microsoft)
    (Ipv4Addr::new(169, 254, 0, 0), 16),   // link-local, and clouds' metadata, RFC 3927
    (Ipv4Addr::new(172, 16, 0, 0), 12),    // private, RFC 1918
    (Ipv4Addr::new(192, 0, 0, 0), 24),     // protocol assignments, RFC 6890
    (Ipv4Addr::new(192, 0, 2, 0), 24),     // documentation, RFC 5737
    (Ipv4Addr::new(192, 88, 99, 0), 24),   // 6to4 relays, withdrawn by RFC 7526
    (Ipv4Addr::new(192, 168, 0, 0), 16),   // private, RFC 1918
    (Ipv4Addr::new(198, 18, 0, 0), 15),    // benchmarks, RFC 2544
    (Ipv4Addr::new(198, 51, 100, 0), 24),  // documentation, RFC 5737
    (Ipv4Addr::new(203, 0, 113, 0), 24),   // documentation, RFC 5737
    (Ipv4Addr::new(224, 0, 0, 0), 4),      // multicast, RFC 5771
    (Ipv4Addr::new(240, 0, 0, 0), 4),      // reserved, RFC 1112, and broadcast
];

/// All of IPv6 that is routed on the public internet today, RFC 4291 §2.4.
/// These lie outside it: loopback, link-local, unique local, multicast, IPv4
/// mapped (`::ffff:0:0/96`) or compatible (`::/96`), and NAT64 (`64:ff9b::/96`,
/// `64:ff9b:1::/48`).
const GLOBAL_UNICAST: Block6 = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// Exceptions inside [`GLOBAL_UNICAST`].
#[rustfmt::skip]
const SPECIAL_V6: [Block6; 4] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),      // protocol assignments: Teredo, ORCHID, benchmarks, RFC 2928
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),  // documentation, RFC 3849
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),      // 6to4: an IPv4 address in disguise, RFC 3056
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),      // documentation, RFC 9637
];

fn is_public_v4(address: Ipv4Addr) -> bool {
    let inside = |(network, prefix): &Block4| {
        (address.to_bits() ^ network.to_bits()).leading_zeros() >= *prefix
    };
    !SPECIAL_V4.iter().any(inside)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let inside = |(network, prefix): &Block6| {
        (address.to_bits() ^ network.to_bits()).leading_zeros() >= *prefix
    };
    inside(&GLOBAL_UNICAST) && !SPECIAL_V6.iter().any(inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(address: &str) -> bool {
        is_public(address.parse().unwrap())
    }

    /// The first and last address of a block, and its public neighbours, if
    /// any.
    #[rustfmt::skip]
    const BLOCKS: [[&str; 4]; 21] = [
        ["0.0.0.0", "0.255.255.255", "", "1.0.0.0"],
        ["10.0.0.0", "10.255.255.255", "9.255.255.255", "11.0.0.0"],
        ["100.64.0.0", "100.127.255.255", "100.63.255.255", "100.128.0.0"],
        ["127.0.0.0", "127.255.255.255", "126.255.255.255", "128.0.0.0"],
        ["168.63.129.16", "168.63.129.16", "168.63.129.15", "168.63.129.17"],
        ["169.254.0.0", "169.254.255.255", "169.253.255.255", "169.255.0.0"],
        ["172.16.0.0", "172.31.255.255", "172.15.255.255", "172.32.0.0"],
        ["192.0.0.0", "192.0.0.255", "191.255.255.255", "192.0.1.0"],
        ["192.0.2.0", "192.0.2.255", "192.0.1.255", "192.0.3.0"],
        ["192.88.99.0", "192.88.99.255", "192.88.98.255", "192.88.100.0"],
        ["192.168.0.0", "192.168.255.255", "192.167.255.255", "192.169.0.0"],
        ["198.18.0.0", "198.19.255.255", "198.17.255.255", "198.20.0.0"],
        ["198.51.100.0", "198.51.100.255", "198.51.99.255", "198.51.101.0"],
        ["203.0.113.0", "203.0.113.255", "203.0.112.255", "203.0.114.0"],
        ["224.0.0.0", "255.255.255.255", "223.255.255.255", ""],
        ["::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "", "2000::"],
        ["2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "2000:ffff::", "2001:200::"],
        ["2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db7:ffff::", "2001:db9::"],
        ["2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:ffff::", "2003::"],
        ["3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", "3ffe:ffff::", "3fff:1000::"],
        ["4000::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff:ffff::", ""],
    ];

    #[test]
    fn special_blocks_end_exactly_where_the_registries_say() {
        for [first, last, before, after] in BLOCKS {
            assert!(!verdict(first), "{first}");
            assert!(!verdict(last), "{last}");
            for neighbour in [before, after] {
                assert!(neighbour.is_empty() || verdict(neighbour), "{neighbour}");
            }
        }
    }

    #[test]
    fn an_inner_address_in_disguise_is_refused() {
        for disguised in [
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:8.8.8.8",
            "::127.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b:1::a00:1",
            "2002:7f00:1::",
            "2001:0:a00:1::",
            "fe80::1",
            "fc00::1",
            "fd00:ec2::254",
            "fec0::1",
            "100::1",
            "5f00::1",
            "ff02::1",
        ] {
            assert!(!verdict(disguised), "{disguised}");
        }
    }
}
