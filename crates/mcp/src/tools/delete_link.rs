//! `delete_link`

use slugline_contract::{DeleteLink, DeletedLink, Problem};

use super::{Context, Hints, Tool, problem};
use crate::Services;

pub(crate) struct DeleteLinkTool;

impl Tool for DeleteLinkTool {
    const NAME: &'static str = "delete_link";
    const DESCRIPTION: &'static str = "Delete a link for good, by its slug. There is no undo: \
        its short URL stops working at once. Succeeds too when no link has the slug. Visits that \
        were counted stay in the analytics.";
    const HINTS: Hints = Hints::Removes;
    type Input = DeleteLink;
    type Output = DeletedLink;

    fn permit(services: &Services) -> Result<(), Problem> {
        services.links.may_delete().map_err(problem)
    }

    async fn call(context: Context<'_>, input: DeleteLink) -> Result<DeletedLink, Problem> {
        let slug = input.check()?;
        context
            .services
            .links
            .delete(&slug)
            .await
            .map_err(problem)?;
        Ok(DeletedLink::new(&slug))
    }
}
