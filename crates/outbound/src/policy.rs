//! What an instance lets its outbound requests reach.

use std::{net::IpAddr, ops::RangeInclusive};

use ipnet::IpNet;

use crate::is_public;

/// The addresses that requests may reach. The default, and the only thing to
/// be had without naming networks, is the public internet.
#[derive(Clone, Debug, Default)]
pub struct AddressPolicy {
    allowed: Vec<IpNet>,
}

impl AddressPolicy {
    /// Public addresses and nothing else.
    pub fn public_only() -> Self {
        Self::default()
    }

    /// Public addresses and these networks, such as an intranet whose pages an
    /// operator wants checked.
    pub fn public_and(networks: Vec<IpNet>) -> Self {
        Self { allowed: networks }
    }

    /// Whether requests may reach this address.
    pub fn allows(&self, address: IpAddr) -> bool {
        // `::ffff:10.0.0.1` is 10.0.0.1 to the system, so it is to a listed network.
        let plain = address.to_canonical();
        is_public(address) || self.allowed.iter().any(|network| network.contains(&plain))
    }
}

/// The ports that requests may reach.
#[derive(Clone, Debug)]
pub struct PortPolicy {
    allowed: Vec<RangeInclusive<u16>>,
}

impl PortPolicy {
    /// These ports only.
    pub fn only(ranges: Vec<RangeInclusive<u16>>) -> Self {
        Self { allowed: ranges }
    }

    /// Whether requests may reach this port.
    pub fn allows(&self, port: u16) -> bool {
        self.allowed.iter().any(|range| range.contains(&port))
    }
}

impl Default for PortPolicy {
    /// 80, 443 and 1024 upwards: web servers on odd ports are common, but what
    /// listens below 1024 is mail, name service or remote login, some of which
    /// can be made to take an HTTP request for their own protocol.
    fn default() -> Self {
        Self::only(vec![80..=80, 443..=443, 1024..=u16::MAX])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listed_networks_are_added_to_the_public_ones() {
        let intranet = AddressPolicy::public_and(vec!["10.1.0.0/16".parse().unwrap()]);
        for (address, by_default, listed) in [
            ("9.9.9.9", true, true),
            ("10.1.2.3", false, true),
            ("::ffff:10.1.2.3", false, true),
            ("::ffff:9.9.9.9", false, false),
            ("10.2.0.1", false, false),
            ("::1", false, false),
        ] {
            let address = address.parse().unwrap();
            assert_eq!(AddressPolicy::public_only().allows(address), by_default);
            assert_eq!(intranet.allows(address), listed);
        }
    }

    #[test]
    fn ports_of_mail_and_login_are_closed_by_default() {
        let ports = PortPolicy::default();
        for open in [80, 443, 1024, 8443, 65_535] {
            assert!(ports.allows(open), "{open}");
        }
        for closed in [0, 22, 25, 53, 81, 1023] {
            assert!(!ports.allows(closed), "{closed}");
        }
    }
}
