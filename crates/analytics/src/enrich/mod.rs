//! What is derived from a visit once it has left the redirect's path.

pub(crate) mod bounds;
mod language;
mod referer;

use slugline_domain::{Country, Visit};

use crate::{
    row::{Client, Place, Row, Target},
    sampling::Sampled,
    visitor::VisitorHash,
};

/// The row that a visit becomes.
pub(crate) fn row(visit: &Visit, visitor: VisitorHash, sampled: Sampled) -> Row<'_> {
    Row {
        at: visit.at,
        target: Target {
            link_id: visit.link.id.as_str(),
            slug: visit.link.slug.as_str(),
            url: bounds::truncate(
                visit.link.content.destination.as_str(),
                bounds::URL_MAX_BYTES,
            ),
        },
        client: Client {
            user_agent: bounds::truncate(&visit.user_agent, bounds::USER_AGENT_MAX_BYTES),
            ..Client::default()
        },
        place: Place {
            country: visit.country.as_ref().map_or("", Country::as_str),
            ..Place::default()
        },
        referer: referer::host(&visit.referer).into(),
        language: language::first_preference(&visit.accept_language),
        visitor,
        sampled,
    }
}
