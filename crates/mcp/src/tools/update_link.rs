//! `update_link`

use std::sync::LazyLock;

use slugline_application::LinkService;
use slugline_contract::{LinkUpdated, UpdateLink, kept_members};
use slugline_httpkit::Failure;

use super::tool::{ToolContext, ToolEffect, ToolSpec};

pub(super) fn spec() -> ToolSpec {
    ToolSpec {
        name: "update_link",
        description: &DESCRIPTION,
        needs: LinkService::EDIT,
        effect: ToolEffect::Replaces,
    }
}

static DESCRIPTION: LazyLock<String> = LazyLock::new(|| {
    format!(
        "Change a link. With `partial: true` members you leave out are kept and null removes one. \
        Without it the link is REPLACED: members you leave out are removed and named in \
        `removed`, except password, unsafe, and those that null removes: {}. Never send the \
        password mask back. Slug, id and creation time cannot change. Fails with 404 when no \
        link has the slug, and with 409 when the link changed at the same time: read it again.",
        kept_members()
    )
});

pub(super) async fn call(context: ToolContext, input: UpdateLink) -> Result<LinkUpdated, Failure> {
    let edit = input.validate(&context.bounds_here())?;
    let edited = context.changes().edit(&edit).await?;
    let (origin, undo) = (context.origin.as_str(), context.undo());
    Ok(LinkUpdated::new(&edited, !input.is_partial(), origin, undo))
}
