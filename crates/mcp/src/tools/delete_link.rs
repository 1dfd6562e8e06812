//! `delete_link`

use slugline_application::{LinkService, Precondition};
use slugline_contract::{DeleteLink, DeletedLink};
use slugline_httpkit::Failure;

use super::tool::{ToolContext, ToolEffect, ToolSpec};

pub(super) fn spec() -> ToolSpec {
    ToolSpec {
        name: "delete_link",
        description: "Delete a link, by its slug: its short URL \
        stops working at once. The answer holds the deleted link, and `deleted: false` when no \
        link has the slug; `undo` says where a person can bring it back. Visits that were counted \
        stay in the analytics.",
        needs: LinkService::DELETE,
        effect: ToolEffect::Removes,
    }
}

pub(super) async fn call(context: ToolContext, input: DeleteLink) -> Result<DeletedLink, Failure> {
    let key = input.validate()?;
    let deleted = context.changes().delete(&key, &Precondition::None).await;
    Ok(DeletedLink::new(&key, deleted?.as_ref(), context.undo()))
}
