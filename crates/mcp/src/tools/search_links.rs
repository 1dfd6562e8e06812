//! `search_links`

use slugline_application::{Access, LinkService};
use slugline_contract::{FoundLinks, Problem, SearchLinks};
use slugline_httpkit::report;

use super::tool::{Context, Hints, Tool};

pub(crate) struct SearchLinksTool;

impl Tool for SearchLinksTool {
    const NAME: &'static str = "search_links";
    const DESCRIPTION: &'static str = "Find links by a text in slug, URL, comment or tags (q, without regard to case), or by their \
        destination (url, whatever its query string); tag and status narrow it down. Without q \
        and url nothing is found: use list_links. Returns slug, url, tags and comment; \
        get_link has the rest.";
    const NEEDS: Access = LinkService::SEARCH;
    const HINTS: Hints = Hints::Reads;
    type Input = SearchLinks;
    type Output = FoundLinks;

    async fn call(context: Context<'_>, input: SearchLinks) -> Result<FoundLinks, Problem> {
        let (search, size) = input.validate(context.rules)?;
        let links = context.links().search(search, size).await.map_err(report)?;
        Ok(FoundLinks::new(&links))
    }
}
