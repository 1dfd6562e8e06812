//! `list_links`

use slugline_application::{Access, LinkService};
use slugline_contract::{FoundLink, LinkList, ListLinks, Problem};
use slugline_httpkit::report;

use super::tool::{Context, Hints, Tool};

pub(crate) struct ListLinksTool;

impl Tool for ListLinksTool {
    const NAME: &'static str = "list_links";
    const DESCRIPTION: &'static str = "List links page by page, newest first unless sort says \
        otherwise; active ones only unless status says otherwise. While list_complete is false, \
        call again with the returned cursor and otherwise the same input. Rows hold slug, url, \
        tags, comment and expiration, with sort visits their visits, too; get_link has the rest.";
    const NEEDS: Access = LinkService::LIST;
    const HINTS: Hints = Hints::Reads;
    type Input = ListLinks;
    type Output = LinkList<FoundLink>;

    async fn call(context: Context<'_>, input: ListLinks) -> Result<LinkList<FoundLink>, Problem> {
        let page = context
            .app
            .lists
            .list(context.caller, input.validate()?)
            .await;
        let page = page.map_err(report)?;
        Ok(LinkList::new(&input, &page))
    }
}
