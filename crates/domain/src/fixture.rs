//! A link and its visitor, for tests.

use crate::{
    Destination, DestinationRules, Link, LinkId, Slug, UnixSeconds, Visitor, routing::NoFacts,
};

pub(crate) const NOON: UnixSeconds = match UnixSeconds::new(1_800_000_000) {
    Ok(moment) => moment,
    Err(_) => panic!("in range"),
};

pub(crate) fn to(url: &str) -> Destination {
    Destination::parse(url, &DestinationRules::default()).unwrap()
}

pub(crate) fn link(url: &str) -> Link {
    let key = Slug::parse("docs").unwrap().into();
    Link::new(LinkId::parse("id").unwrap(), key, to(url), NOON)
}

pub(crate) fn visitor() -> Visitor<'static> {
    Visitor {
        now: NOON,
        user_agent: "",
        country: None,
        query: None,
        rest: None,
        facts: &NoFacts,
    }
}
