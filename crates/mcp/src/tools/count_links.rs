//! `count_links`

use slugline_application::{Access, LinkService};
use slugline_contract::{CountLinks, LinkCount, Problem};
use slugline_httpkit::report;

use super::tool::{Context, Hints, Tool};

pub(crate) struct CountLinksTool;

impl Tool for CountLinksTool {
    const NAME: &'static str = "count_links";
    const DESCRIPTION: &'static str = "Count links: all active ones, or those that meet the conditions, which are those of \
        search_links. Cheaper than listing links to count them.";
    const NEEDS: Access = LinkService::COUNT;
    const HINTS: Hints = Hints::Reads;
    type Input = CountLinks;
    type Output = LinkCount;

    async fn call(context: Context<'_>, input: CountLinks) -> Result<LinkCount, Problem> {
        let search = input.validate(context.rules)?;
        let count = context.links().count(search).await.map_err(report)?;
        Ok(LinkCount { count })
    }
}
