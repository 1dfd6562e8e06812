//! `list_tags`

use slugline_application::LinkService;
use slugline_contract::{ListTags, TagList};
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

pub(super) async fn call(context: ToolContext, input: ListTags) -> Result<TagList, Failure> {
    let counts = context.links().tags(input.validate()?).await?;
    Ok(TagList::new(&counts))
}
