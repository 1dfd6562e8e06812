//! `delete_link`

use slugline_application::{Access, LinkService};
use slugline_contract::{DeleteLink, DeletedLink, Problem};
use slugline_httpkit::report;

use super::tool::{Context, Hints, Tool};

pub(crate) struct DeleteLinkTool;

impl Tool for DeleteLinkTool {
    const NAME: &'static str = "delete_link";
    const DESCRIPTION: &'static str = "Delete a link for good, by its slug: its short URL \
        stops working at once. The answer holds the deleted link, and `deleted: false` when no \
        link has the slug. Visits that were counted stay in the analytics.";
    const NEEDS: Access = LinkService::DELETE;
    const HINTS: Hints = Hints::Removes;
    type Input = DeleteLink;
    type Output = DeletedLink;

    async fn call(context: Context<'_>, input: DeleteLink) -> Result<DeletedLink, Problem> {
        let slug = input.validate()?;
        let deleted = context.writer().delete(&slug).await;
        Ok(DeletedLink::new(&slug, deleted.map_err(report)?.as_ref()))
    }
}
