//! Entry points for `fuzz/`: headers and queries of visitors.

use slugline_domain::VisitHeaders;

use super::{campaign::Campaigns, headers};
use crate::{
    bounds::{LANGUAGE_MAX_BYTES, NAME_MAX_BYTES, REFERER_MAX_BYTES, UTM_MAX_BYTES},
    user_agent::Agent,
};

/// Takes bytes for each of the headers that the access log reads, and for the query.
///
/// # Panics
/// A stored text is longer than its bound.
pub fn fuzz_visit_headers(bytes: &[u8]) {
    let header = String::from_utf8_lossy(bytes);
    let agent = Agent::parse(&header);
    for name in [&agent.os, &agent.browser, &agent.device] {
        assert!(name.len() <= NAME_MAX_BYTES, "{name}");
    }
    assert!(headers::first_preference(&header).len() <= LANGUAGE_MAX_BYTES);
    assert!(headers::host(&header).len() <= REFERER_MAX_BYTES);
    let kept = VisitHeaders::default().with_query(&header);
    let named = Campaigns::new(1).of(kept.campaign_query(), &header);
    let campaign = named.parts();
    for value in [campaign.source, campaign.medium, campaign.name] {
        assert!(
            value.len() <= UTM_MAX_BYTES && !value.contains(char::is_control),
            "{value}"
        );
    }
}
