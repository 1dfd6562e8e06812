//! `list_tags`

use slugline_application::{Access, LinkService};
use slugline_contract::{NoArguments, Problem, TagList};
use slugline_httpkit::report;

use super::tool::{Context, Hints, Tool};

pub(crate) struct ListTagsTool;

impl Tool for ListTagsTool {
    const NAME: &'static str = "list_tags";
    const DESCRIPTION: &'static str = "List every tag with the number of links that have it, expired ones included, by name. Pass \
        a name as tag to list_links or search_links.";
    const NEEDS: Access = LinkService::TAGS;
    const HINTS: Hints = Hints::Reads;
    type Input = NoArguments;
    type Output = TagList;

    async fn call(context: Context<'_>, input: NoArguments) -> Result<TagList, Problem> {
        let NoArguments {} = input;
        let counts = context.links().tags().await.map_err(report)?;
        Ok(TagList::new(&counts))
    }
}
