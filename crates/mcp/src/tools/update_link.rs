//! `update_link`

use slugline_application::{Access, LinkService};
use slugline_contract::{LinkUpdate, LinkUpdated, Problem, UpdateLink};
use slugline_httpkit::report;

use super::tool::{Context, Hints, Tool};

pub(crate) struct UpdateLinkTool;

impl Tool for UpdateLinkTool {
    const NAME: &'static str = "update_link";
    const DESCRIPTION: &'static str = "Change a link: with `partial: true` members you leave out \
        are kept and null removes one; without it the link is REPLACED, and members you leave out \
        are removed and named in `removed`, except the password, which stays. Never send the \
        password mask back. The slug, the id and the creation time cannot be changed. Fails with \
        404 when no link has the slug, and with 409 when the link changed at the same time: read \
        it again.";
    const NEEDS: Access = LinkService::EDIT;
    const HINTS: Hints = Hints::Replaces;
    type Input = UpdateLink;
    type Output = LinkUpdated;

    async fn call(context: Context<'_>, input: UpdateLink) -> Result<LinkUpdated, Problem> {
        let links = context.writer();
        match input.validate(&context.rules_here())? {
            LinkUpdate::Whole(edit) => {
                let edited = links.edit(edit).await.map_err(report)?;
                Ok(LinkUpdated::replaced(&edited, context.origin))
            }
            LinkUpdate::Partial(slug, patch) => {
                let link = links.patch(&slug, patch).await.map_err(report)?;
                Ok(LinkUpdated::changed(&link, context.origin))
            }
        }
    }
}
