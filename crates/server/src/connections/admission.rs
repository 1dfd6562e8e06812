//! Limits the connections of each client.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use slugline_domain::{ClientNetwork, measure::Counter};
use slugline_httpkit::TrustedProxies;

/// The interval between log lines about refused connections.
const WARNING_INTERVAL: Duration = Duration::from_mins(1);

/// Counts the open connections of each client.
#[derive(Debug)]
pub(super) struct Admissions {
    per_client: usize,
    /// A proxy's connection carries many clients, so this does not count it.
    trusted: TrustedProxies,
    open: Mutex<Open>,
    refused: Arc<Counter>,
}

#[derive(Debug, Default)]
struct Open {
    connections: HashMap<ClientNetwork, usize>,
    warned_at: Option<Instant>,
}

impl Admissions {
    pub(super) fn new(per_client: usize, trusted: TrustedProxies, refused: Arc<Counter>) -> Self {
        Self {
            per_client,
            trusted,
            open: Mutex::default(),
            refused,
        }
    }

    /// Admits one more connection of this peer; `None` if the peer has reached its limit.
    pub(super) fn admit(self: &Arc<Self>, peer: IpAddr) -> Option<Admission> {
        if self.trusted.trusts(peer) {
            return Some(Admission(None));
        }
        let client = ClientNetwork::of(peer);
        let mut open = self.open();
        let connections = open.connections.entry(client).or_default();
        if *connections >= self.per_client {
            self.refused.count();
            self.warn(&mut open, client);
            return None;
        }
        *connections += 1;
        drop(open);
        Some(Admission(Some((Arc::clone(self), client))))
    }

    fn warn(&self, open: &mut Open, client: ClientNetwork) {
        let now = Instant::now();
        let recently = |at: Instant| now.duration_since(at) < WARNING_INTERVAL;
        if open.warned_at.is_some_and(recently) {
            return;
        }
        open.warned_at = Some(now);
        tracing::warn!(
            client = %client.address(),
            connections = self.per_client,
            "a client has as many connections as it may, and more are refused; if it is a proxy, \
             name it in SLUGLINE_TRUSTED_PROXIES, otherwise SLUGLINE_CONNECTIONS_PER_CLIENT is the \
             limit"
        );
    }

    fn leave(&self, client: ClientNetwork) {
        let mut open = self.open();
        let Some(connections) = open.connections.get_mut(&client) else {
            return;
        };
        *connections -= 1;
        if *connections == 0 {
            open.connections.remove(&client);
        }
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An admitted connection, counted until this is dropped.
#[derive(Debug)]
pub(super) struct Admission(Option<(Arc<Admissions>, ClientNetwork)>);

impl Drop for Admission {
    fn drop(&mut self) {
        if let Some((admissions, client)) = &self.0 {
            admissions.leave(*client);
        }
    }
}

#[cfg(test)]
mod tests {
    use slugline_httpkit::ClientHeader;

    use super::*;

    fn admissions(per_client: usize) -> Arc<Admissions> {
        let trusted =
            TrustedProxies::new(vec!["10.0.0.0/8".parse().unwrap()], ClientHeader::default());
        Arc::new(Admissions::new(per_client, trusted, Arc::default()))
    }

    fn admit(admissions: &Arc<Admissions>, peer: &str) -> Option<Admission> {
        admissions.admit(peer.parse().unwrap())
    }

    #[test]
    fn a_client_has_its_number_and_gets_it_back() {
        let admissions = admissions(2);
        let first = admit(&admissions, "192.0.2.1");
        let second = admit(&admissions, "::ffff:192.0.2.1");
        assert!(first.is_some() && second.is_some());
        assert!(admit(&admissions, "192.0.2.1").is_none());
        assert!(admit(&admissions, "192.0.2.2").is_some());
        drop(first);
        assert!(admit(&admissions, "192.0.2.1").is_some());
        drop(second);
        assert!(admissions.open().connections.is_empty());
    }

    #[test]
    fn the_addresses_of_one_network_of_64_bits_are_one_client() {
        let admissions = admissions(1);
        let _first = admit(&admissions, "2001:db8:1:2::1");
        assert!(admit(&admissions, "2001:db8:1:2:ffff::9").is_none());
        assert!(admit(&admissions, "2001:db8:1:3::1").is_some());
    }

    #[test]
    fn a_trusted_proxy_is_not_counted() {
        let admissions = admissions(1);
        let both = [
            admit(&admissions, "10.1.2.3"),
            admit(&admissions, "10.1.2.3"),
        ];
        assert!(both.iter().all(Option::is_some));
    }
}
