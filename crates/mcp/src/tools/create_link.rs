//! `create_link`

use slugline_contract::{CreateLink, LinkCreated, Problem};

use super::{Context, Hints, Tool, problem};

pub(crate) struct CreateLinkTool;

impl Tool for CreateLinkTool {
    const NAME: &'static str = "create_link";
    const DESCRIPTION: &'static str = "Make a new short link to a URL. Only url is required; \
        without slug a free random one is chosen. Fails with 409 when an active link already has \
        the slug: read it with get_link, or choose another slug. Returns the link and its public \
        address in shortLink.";
    const HINTS: Hints = Hints::Adds;
    type Input = CreateLink;
    type Output = LinkCreated;

    async fn call(context: Context<'_>, input: CreateLink) -> Result<LinkCreated, Problem> {
        let new = input.check(&context.services.rules)?;
        let link = context.services.links.create(new).await.map_err(problem)?;
        Ok(LinkCreated::new(&link, context.origin))
    }
}
