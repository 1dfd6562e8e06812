//! `get_link`

use slugline_application::LinkService;
use slugline_contract::{GetLink, LinkView};
use slugline_httpkit::Failure;

use super::tool::{ToolContext, ToolEffect, ToolSpec};

pub(super) fn spec() -> ToolSpec {
    ToolSpec {
        name: "get_link",
        description: "Read one link by its slug, expired ones included. A \
        password is shown as a mask only. Fails with 404 when no link has the slug; list_links \
        shows which exist.",
        needs: LinkService::GET,
        effect: ToolEffect::Reads,
    }
}

pub(super) async fn call(context: ToolContext, input: GetLink) -> Result<LinkView, Failure> {
    let links = context.links();
    let link = links.get(&input.validate()?).await?;
    let states = links.states([&link]).await?;
    Ok(LinkView::of(&link, &states))
}
