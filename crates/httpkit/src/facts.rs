//! The facts about a visitor that rules of links ask for, and what a redirect would answer.

use std::{cell::OnceCell, fmt, net::IpAddr, sync::Arc};

use actix_web::{
    HttpRequest,
    http::header::{ACCEPT_LANGUAGE, REFERER, USER_AGENT},
};
use jiff::{Timestamp, tz::TimeZone};
use slugline_domain::{
    AnswerHead, Country, DomainName, Explanation, FollowedLink, LocalSeconds, Place, TimeZoneName,
    UnixSeconds, Visitor, first_language, referring_host,
    routing::{AgentFacts, VisitorFacts},
};

use crate::{edge::Edge, header::header};

/// The facts in a request, each worked out when a link first asks for it.
#[derive(Debug)]
pub struct RequestFacts<'r> {
    edge: &'r Edge,
    request: &'r HttpRequest,
    /// The identity of the link that asks.
    link: &'r str,
    now: UnixSeconds,
    /// The place that a proxy names.
    forwarded: Option<&'r Place>,
    agent: OnceCell<Option<Arc<AgentFacts>>>,
    country: OnceCell<Option<Country>>,
    place: OnceCell<Place>,
    language: OnceCell<Option<String>>,
    referrer: OnceCell<Option<String>>,
}

impl<'r> RequestFacts<'r> {
    /// The facts for the link with this identity. `forwarded` is
    /// [`Edge::forwarded_place`].
    pub fn new(
        edge: &'r Edge,
        request: &'r HttpRequest,
        link: &'r str,
        now: UnixSeconds,
        forwarded: Option<&'r Place>,
    ) -> Self {
        Self {
            edge,
            request,
            link,
            now,
            forwarded,
            agent: OnceCell::new(),
            country: OnceCell::new(),
            place: OnceCell::new(),
            language: OnceCell::new(),
            referrer: OnceCell::new(),
        }
    }
}

impl VisitorFacts for RequestFacts<'_> {
    fn agent(&self) -> Option<&AgentFacts> {
        let read = || {
            let agents = self.edge.agents.as_deref()?;
            let user_agent = header(self.request, &USER_AGENT).filter(|text| !text.is_empty());
            Some(agents.read(&user_agent?))
        };
        self.agent.get_or_init(read).as_deref()
    }

    /// The country alone costs less than the place.
    fn country(&self) -> Option<Country> {
        let look_up = || {
            let forwarded = self.forwarded.and_then(|place| place.country);
            forwarded.or_else(|| self.edge.look_up_country(self.request))
        };
        *self.country.get_or_init(look_up)
    }

    fn place(&self) -> Option<&Place> {
        let place = self
            .place
            .get_or_init(|| self.edge.client_place(self.request));
        Some(place)
    }

    fn language(&self) -> Option<&str> {
        let first = || {
            let accepted = header(self.request, &ACCEPT_LANGUAGE)?;
            first_language(&accepted).map(str::to_owned)
        };
        self.language.get_or_init(first).as_deref()
    }

    fn referrer(&self) -> Option<&str> {
        let host = || referring_host(&header(self.request, &REFERER)?);
        self.referrer.get_or_init(host).as_deref()
    }

    fn address(&self) -> Option<IpAddr> {
        Some(self.edge.client_address(self.request))
    }

    fn local_time(&self, zone: &TimeZoneName) -> Option<LocalSeconds> {
        local_time(zone, self.now)
    }

    fn lot(&self) -> Option<u64> {
        let client = self.edge.client_address(self.request);
        Some(self.edge.lots.of(client, self.link))
    }
}

/// Returns the time that clocks in a zone show at a moment; `None` if no zone has the name, or the
/// moment is beyond the calendar.
pub fn local_time(zone: &TimeZoneName, moment: UnixSeconds) -> Option<LocalSeconds> {
    let zone = TimeZone::get(zone.as_str()).ok()?;
    let moment = Timestamp::from_second(moment.get()).ok()?;
    let ahead = i64::from(zone.to_offset(moment).seconds());
    Some(LocalSeconds::new(moment.as_second() + ahead))
}

/// Tells what a redirect would answer. Nothing is recorded, and no visit is used up.
pub trait Foresight: fmt::Debug + Send + Sync {
    /// Explains the answer to a browser of this visitor, and tells its head. `asked` is the domain
    /// of the request, which may fall through to the link of another one; `used_up` tells if no
    /// visit of the link is left.
    fn foresee<'l>(
        &self,
        link: &'l FollowedLink,
        asked: &DomainName,
        visitor: &Visitor<'_>,
        used_up: bool,
    ) -> (Explanation<'l>, AnswerHead);
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;
    use slugline_domain::ports::AgentReader;

    use super::*;

    #[derive(Debug)]
    struct People;

    impl AgentReader for People {
        fn read(&self, _: &str) -> Arc<AgentFacts> {
            Arc::new(AgentFacts::default())
        }
    }

    #[test]
    fn an_empty_user_agent_tells_nothing() {
        let edge = Edge {
            agents: Some(Arc::new(People)),
            ..Edge::default()
        };
        let now = UnixSeconds::new(0).unwrap();
        for (user_agent, is_known) in [("curl/8.7.1", true), ("", false)] {
            let request = TestRequest::default().insert_header((USER_AGENT, user_agent));
            let request = request.to_http_request();
            let facts = RequestFacts::new(&edge, &request, "id", now, None);
            assert_eq!(facts.agent().is_some(), is_known, "{user_agent:?}");
        }
    }

    #[test]
    fn clocks_are_put_forward_in_summer() {
        let berlin = TimeZoneName::parse("Europe/Berlin").unwrap();
        for (utc, ahead) in [(1_800_000_000, 3_600), (1_783_000_000, 7_200)] {
            let moment = UnixSeconds::new(utc).unwrap();
            assert_eq!(local_time(&berlin, moment).unwrap().get(), utc + ahead);
        }
        let nowhere = TimeZoneName::parse("Mars/Olympus").unwrap();
        let moment = UnixSeconds::new(0).unwrap();
        assert_eq!(local_time(&nowhere, moment), None);
        let late = UnixSeconds::new(UnixSeconds::MAX).unwrap();
        assert_eq!(local_time(&berlin, late), None);
    }
}
