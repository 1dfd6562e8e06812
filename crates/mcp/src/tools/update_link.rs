//! `update_link`

use slugline_contract::{EditLink, LinkCreated, Problem};

use super::{Context, Hints, Tool, problem};
use crate::Services;

pub(crate) struct UpdateLinkTool;

impl Tool for UpdateLinkTool {
    const NAME: &'static str = "update_link";
    const DESCRIPTION: &'static str = "Replace everything a link holds. Members you leave out are \
        removed, so read the link with get_link first and send back what should stay; only the \
        password and a warning (unsafe) are kept when left out; an empty password removes it. Never send the password \
        mask back. The slug, the id and the creation time cannot be changed. Fails with 404 when \
        no link has the slug, and with 409 when somebody else changed it at the same time: read \
        it again.";
    const HINTS: Hints = Hints::Replaces;
    type Input = EditLink;
    type Output = LinkCreated;

    fn permit(services: &Services) -> Result<(), Problem> {
        services.links.may_edit().map_err(problem)
    }

    async fn call(context: Context<'_>, input: EditLink) -> Result<LinkCreated, Problem> {
        let edit = input.check(&context.services.rules)?;
        let link = context.services.links.edit(edit).await.map_err(problem)?;
        Ok(LinkCreated::new(&link, context.origin))
    }
}
