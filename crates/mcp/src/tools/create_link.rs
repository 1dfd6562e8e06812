//! `create_link`

use slugline_application::{Access, LinkService};
use slugline_contract::{CreateLink, LinkResponse, Problem};
use slugline_httpkit::report;

use super::tool::{Context, Hints, Tool};

pub(crate) struct CreateLinkTool;

impl Tool for CreateLinkTool {
    const NAME: &'static str = "create_link";
    const DESCRIPTION: &'static str = "Make a new short link to a URL. Only url is required; \
        without slug a free random one is chosen. Fails with 409 when an active link already has \
        the slug, and names a free one; upsert_link returns the link in the way instead. Returns \
        the link, as get_link does, and its public address in shortLink.";
    const NEEDS: Access = LinkService::CREATE;
    const HINTS: Hints = Hints::Adds;
    type Input = CreateLink;
    type Output = LinkResponse;

    async fn call(context: Context<'_>, input: CreateLink) -> Result<LinkResponse, Problem> {
        let new = input.validate(&context.rules_here())?;
        let link = context.writer().create(new).await.map_err(report)?;
        Ok(LinkResponse::new(&link, context.origin))
    }
}
