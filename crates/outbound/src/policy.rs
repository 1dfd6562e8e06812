//! The targets that an instance lets its outbound requests reach.

use std::{net::IpAddr, ops::RangeInclusive};

use ipnet::IpNet;

use crate::is_public;

/// The targets that a client may reach. By default: the web ports of the public
/// internet, also after redirects.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    /// Addresses.
    pub addresses: AddressPolicy,
    /// Ports.
    pub ports: PortPolicy,
    /// The treatment of redirects.
    pub redirects: Redirects,
}

impl Policy {
    /// For servers that the operator named in a setting. They may be anywhere,
    /// but the client does not follow their redirects, which the operator did
    /// not choose.
    pub fn for_operators_servers() -> Self {
        Self {
            addresses: AddressPolicy(Reach::Anywhere),
            ports: PortPolicy::only(vec![1..=u16::MAX]),
            redirects: Redirects::HandBack,
        }
    }
}

/// The treatment of an answer that redirects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Redirects {
    /// Follow it if the request was a GET or HEAD without a body, and check
    /// each hop anew. Other requests cannot be repeated.
    #[default]
    Follow,
    /// Return it like any other answer.
    HandBack,
}

/// The addresses that requests may reach. The default is the public internet;
/// only [`Policy::for_operators_servers`] has no limit.
#[derive(Clone, Debug)]
pub struct AddressPolicy(Reach);

#[derive(Clone, Debug)]
enum Reach {
    PublicAnd(Vec<IpNet>),
    Anywhere,
}

impl AddressPolicy {
    /// Only public addresses.
    pub fn public_only() -> Self {
        Self::public_and(Vec::new())
    }

    /// Public addresses and these networks, such as an intranet whose pages an
    /// operator wants checked.
    pub fn public_and(networks: Vec<IpNet>) -> Self {
        Self(Reach::PublicAnd(networks))
    }

    /// Returns whether requests may reach this address.
    pub fn allows(&self, address: IpAddr) -> bool {
        match &self.0 {
            Reach::PublicAnd(networks) => {
                // The system treats `::ffff:10.0.0.1` as 10.0.0.1, so a listed
                // network must too.
                let plain = address.to_canonical();
                is_public(address) || networks.iter().any(|network| network.contains(&plain))
            }
            Reach::Anywhere => true,
        }
    }

    /// Returns whether requests may reach this machine's own names.
    pub(crate) fn allows_local_names(&self) -> bool {
        match self.0 {
            Reach::PublicAnd(_) => false,
            Reach::Anywhere => true,
        }
    }
}

impl Default for AddressPolicy {
    fn default() -> Self {
        Self::public_only()
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

    /// Returns whether requests may reach this port.
    pub fn allows(&self, port: u16) -> bool {
        self.allowed.iter().any(|range| range.contains(&port))
    }
}

impl Default for PortPolicy {
    /// 80, 443 and 1024 upwards. Web servers on high ports are common. Ports
    /// below 1024 belong to mail, name service or remote login, and some of
    /// those can be made to take an HTTP request for their own protocol.
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
    fn an_operators_servers_may_be_anywhere() {
        let policy = Policy::for_operators_servers();
        for address in ["9.9.9.9", "127.0.0.1", "10.2.0.1", "::1"] {
            assert!(policy.addresses.allows(address.parse().unwrap()));
        }
        assert!(policy.ports.allows(25));
        assert_eq!(policy.redirects, Redirects::HandBack);
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
