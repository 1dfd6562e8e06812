//! `search_links`

use slugline_application::LinkService;
use slugline_contract::{FoundLinks, SearchLinks};
use slugline_httpkit::Failure;

use super::tool::{ToolContext, ToolEffect, ToolSpec};

pub(super) fn spec() -> ToolSpec {
    ToolSpec {
        name: "search_links",
        description: "Find links by a text in slug, URL, comment or tags (q, without regard to case), or by \
        their destination (url, whatever its query string); tag and status narrow it down. \
        Without q and url nothing is found: use list_links. Returns slug, url, tags and comment; \
        get_link has the rest.",
        needs: LinkService::SEARCH,
        effect: ToolEffect::Reads,
    }
}

pub(super) async fn call(context: ToolContext, input: SearchLinks) -> Result<FoundLinks, Failure> {
    let (search, size) = input.validate(&context.bounds)?;
    let reader = context.links();
    let links = reader.search(search, size).await?;
    let states = reader.states(&links).await?;
    Ok(FoundLinks::new(&links, &states))
}
