//! `list_links`

use serde_json::Value;
use slugline_application::LinkService;
use slugline_contract::{FoundLink, LinkList, ListLinks};
use slugline_domain::Scope;
use slugline_httpkit::Failure;

use super::tool::{ToolContext, ToolEffect, ToolSpec};

pub(super) fn spec() -> ToolSpec {
    ToolSpec {
        name: "list_links",
        description: "List links page by page, by default the newest first and none that is over. While \
        list_complete is false, call again with the returned cursor and the rest as it was. Rows \
        hold slug, url, tags, comment and expiration, with sort visits their visits, too; \
        get_link has the rest.",
        needs: LinkService::LIST,
        effect: ToolEffect::Reads,
    }
}

/// The order by visits reads the access log.
pub(super) fn also_needs(arguments: &Value) -> Option<Scope> {
    (arguments["sort"] == "visits").then_some(Scope::AnalyticsRead)
}

pub(super) async fn call(
    context: ToolContext,
    input: ListLinks,
) -> Result<LinkList<FoundLink>, Failure> {
    let page = context
        .app
        .lists
        .list(&context.caller, input.validate()?)
        .await;
    let page = page?;
    let states = context.links().states(page.links()).await?;
    Ok(LinkList::new(&input, &page, |link| {
        FoundLink::of(link, &states)
    }))
}
