//! Limits of proxied requests, and the slots that enforce them.

use std::{
    collections::HashMap,
    net::IpAddr,
    num::NonZeroUsize,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use slugline_domain::{ClientNetwork, measure::Counter};
use slugline_httpkit::{Code, Problem};

/// Limits of proxied requests. Each request holds two connections and some
/// buffers for as long as the slower side takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProxyLimits {
    /// The most requests at a time.
    pub requests: NonZeroUsize,
    /// The most requests of one client at a time: of an IPv4 address, or of the
    /// IPv6 /64 that a provider gives a customer.
    pub requests_per_client: NonZeroUsize,
    /// Time without a byte after which a request ends, whichever side is slow.
    pub idle: Duration,
}

/// Slots for requests. A client who finds none is told to come back.
#[derive(Debug)]
pub(super) struct Slots {
    limits: ProxyLimits,
    taken: Mutex<Taken>,
    turned_away: Counter,
}

#[derive(Debug, Default)]
struct Taken {
    all: usize,
    /// Has an entry for each client with requests, so it is bounded too.
    by_client: HashMap<ClientNetwork, usize>,
}

/// The slot of a request, free again when this is dropped.
#[derive(Debug)]
pub(super) struct Slot {
    slots: Arc<Slots>,
    client: ClientNetwork,
}

impl Slots {
    /// A guess: requests take milliseconds to minutes.
    const RETRY_AFTER: Duration = Duration::from_secs(5);

    pub(super) fn new(limits: ProxyLimits) -> Arc<Self> {
        Arc::new(Self {
            limits,
            taken: Mutex::default(),
            turned_away: Counter::default(),
        })
    }

    pub(super) fn turned_away(&self) -> u64 {
        self.turned_away.get()
    }

    /// Takes a slot for a request of this client.
    ///
    /// # Errors
    /// The client, or all clients together, have as many as they may.
    pub(super) fn take(self: &Arc<Self>, client: IpAddr) -> Result<Slot, Problem> {
        let client = ClientNetwork::of(client);
        let mut taken = self.lock();
        let own = taken.by_client.get(&client).copied().unwrap_or(0);
        let detail = if own >= self.limits.requests_per_client.get() {
            "this client has as many proxied requests under way as it may"
        } else if taken.all >= self.limits.requests.get() {
            "as many proxied requests are under way as may be"
        } else {
            taken.all += 1;
            taken.by_client.insert(client, own + 1);
            return Ok(Slot {
                slots: Arc::clone(self),
                client,
            });
        };
        self.turned_away.count();
        Err(Problem {
            retry_after: Some(Self::RETRY_AFTER),
            ..Problem::new(Code::ProxyBusy, detail)
        })
    }

    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut taken = self.slots.lock();
        taken.all -= 1;
        let own = taken.by_client.get_mut(&self.client);
        let left = own.map(|own| {
            *own -= 1;
            *own
        });
        if left == Some(0) {
            taken.by_client.remove(&self.client);
        }
    }
}

/// The answer when a destination fails.
pub(super) fn failed(detail: &str) -> Problem {
    Problem::new(Code::ProxyFailed, detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slots(requests: usize, per_client: usize) -> Arc<Slots> {
        Slots::new(ProxyLimits {
            requests: NonZeroUsize::new(requests).unwrap(),
            requests_per_client: NonZeroUsize::new(per_client).unwrap(),
            idle: Duration::from_secs(1),
        })
    }

    #[test]
    fn a_client_has_its_share_and_all_together_have_theirs() {
        let slots = slots(3, 2);
        let take = |client: &str| slots.take(client.parse().unwrap());
        let first = take("192.0.2.1").unwrap();
        let _second = take("::ffff:192.0.2.1").unwrap();
        let refused = take("192.0.2.1").unwrap_err();
        assert_eq!((refused.code, refused.status()), (Code::ProxyBusy, 503));
        assert_eq!(refused.retry_after, Some(Duration::from_secs(5)));
        let _other = take("2001:db8:1:2:3::4").unwrap();
        assert!(take("192.0.2.9").is_err(), "three are under way");
        drop(first);
        let _again = take("192.0.2.1").unwrap();
        assert!(take("192.0.2.1").is_err());
    }

    #[test]
    fn a_network_of_64_bits_is_one_client_and_no_client_is_remembered_for_nothing() {
        let slots = slots(9, 1);
        let take = |client: &str| slots.take(client.parse().unwrap());
        let here = take("2001:db8:1:2:3::4").unwrap();
        assert!(take("2001:db8:1:2:ffff::9").is_err());
        let there = take("2001:db8:1:3::").unwrap();
        drop((here, there));
        assert_eq!(slots.lock().by_client, HashMap::new());
        assert_eq!(slots.lock().all, 0);
    }
}
