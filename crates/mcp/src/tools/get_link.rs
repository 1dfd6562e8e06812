//! `get_link`

use slugline_application::{Access, LinkService};
use slugline_contract::{GetLink, LinkView, Problem};
use slugline_httpkit::report;

use super::tool::{Context, Hints, Tool};

pub(crate) struct GetLinkTool;

impl Tool for GetLinkTool {
    const NAME: &'static str = "get_link";
    const DESCRIPTION: &'static str = "Read one link by its slug, expired ones included. A \
        password is shown as a mask only. Fails with 404 when no link has the slug; list_links \
        shows which exist.";
    const NEEDS: Access = LinkService::GET;
    const HINTS: Hints = Hints::Reads;
    type Input = GetLink;
    type Output = LinkView;

    async fn call(context: Context<'_>, input: GetLink) -> Result<LinkView, Problem> {
        let link = context
            .links()
            .get(&input.validate()?)
            .await
            .map_err(report)?;
        Ok((&link).into())
    }
}
