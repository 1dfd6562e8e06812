//! The facts about a visitor whom a client describes.

use std::{net::IpAddr, sync::Arc};

use slugline_contract::ImaginedVisitor;
use slugline_domain::{
    LocalSeconds, Place, TimeZoneName, UnixSeconds, first_language, referring_host,
    routing::{AgentFacts, VisitorFacts},
};
use slugline_httpkit::{Edge, local_time};

/// The facts about a visitor whom a client describes, as a request of that visitor would tell them.
#[derive(Debug)]
pub(crate) struct ImaginedFacts<'v> {
    edge: &'v Edge,
    visitor: &'v ImaginedVisitor,
    /// The identity of the link that asks.
    link: &'v str,
    now: UnixSeconds,
    agent: Option<Arc<AgentFacts>>,
    place: Place,
    referrer: Option<String>,
}

impl<'v> ImaginedFacts<'v> {
    /// The facts for the link with this identity.
    pub(crate) fn new(
        edge: &'v Edge,
        visitor: &'v ImaginedVisitor,
        link: &'v str,
        now: UnixSeconds,
    ) -> Self {
        let agents = edge
            .agents
            .as_deref()
            .filter(|_| !visitor.user_agent.is_empty());
        let by_address = visitor.address.map(|address| edge.place_of(address));
        Self {
            edge,
            visitor,
            link,
            now,
            agent: agents.map(|agents| agents.read(&visitor.user_agent)),
            place: visitor.place.clone().or(by_address.unwrap_or_default()),
            referrer: referring_host(&visitor.referrer),
        }
    }
}

impl VisitorFacts for ImaginedFacts<'_> {
    fn agent(&self) -> Option<&AgentFacts> {
        self.agent.as_deref()
    }

    fn place(&self) -> Option<&Place> {
        Some(&self.place)
    }

    fn language(&self) -> Option<&str> {
        first_language(&self.visitor.languages)
    }

    fn referrer(&self) -> Option<&str> {
        self.referrer.as_deref()
    }

    fn address(&self) -> Option<IpAddr> {
        self.visitor.address
    }

    fn local_time(&self, zone: &TimeZoneName) -> Option<LocalSeconds> {
        local_time(zone, self.now)
    }

    fn lot(&self) -> Option<u64> {
        let address = self.visitor.address?;
        Some(self.edge.lots.of(address, self.link))
    }
}
