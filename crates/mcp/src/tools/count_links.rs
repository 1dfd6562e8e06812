//! `count_links`

use slugline_application::LinkService;
use slugline_contract::{CountLinks, LinkCount};
use slugline_httpkit::Failure;

use super::tool::{ToolContext, ToolEffect, ToolSpec};

pub(super) fn spec() -> ToolSpec {
    ToolSpec {
        name: "count_links",
        description: "Count links: all that are not over, or those that meet the conditions, which are those of \
        search_links. Cheaper than listing links to count them.",
        needs: LinkService::COUNT,
        effect: ToolEffect::Reads,
    }
}

pub(super) async fn call(context: ToolContext, input: CountLinks) -> Result<LinkCount, Failure> {
    let search = input.validate(&context.bounds)?;
    let count = context.links().count(search).await?;
    Ok(LinkCount { count })
}
