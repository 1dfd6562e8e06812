//! A link, its visitor, and changes of values, for tests.

use crate::{
    Destination, DestinationRules, Link, LinkId, Slug, UnixSeconds, Visitor, routing::NoFacts,
};

pub(crate) const NOON: UnixSeconds = match UnixSeconds::new(1_800_000_000) {
    Ok(moment) => moment,
    Err(_) => panic!("in range"),
};

/// A value with a change.
pub(crate) fn with<T>(mut value: T, change: impl FnOnce(&mut T)) -> T {
    change(&mut value);
    value
}

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
