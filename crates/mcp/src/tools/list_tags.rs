//! `list_tags`

use slugline_application::LinkService;
use slugline_contract::{NoArguments, TagList};
use slugline_httpkit::Failure;

use super::tool::{ToolContext, ToolEffect, ToolSpec};

pub(super) fn spec() -> ToolSpec {
    ToolSpec {
        name: "list_tags",
        description: "List every tag with the number of links that have it, expired ones included, by name. Pass \
        a name as tag to list_links or search_links.",
        needs: LinkService::TAGS,
        effect: ToolEffect::Reads,
    }
}

pub(super) async fn call(context: ToolContext, input: NoArguments) -> Result<TagList, Failure> {
    let NoArguments {} = input;
    let counts = context.links().tags().await?;
    Ok(TagList::new(&counts))
}
