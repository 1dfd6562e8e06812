//! `update_link`

use std::sync::LazyLock;

use slugline_application::LinkService;
use slugline_contract::{LinkUpdate, LinkUpdated, UpdateLink, kept_members};
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
    let links = context.changes();
    let (update, terms) = input.validate(&context.bounds_here())?;
    let (origin, undo) = (context.origin.as_str(), context.undo());
    Ok(match update {
        LinkUpdate::Whole(edit) => {
            let edited = links.edit_as(*edit, &terms).await?;
            LinkUpdated::replaced(&edited, origin, undo)
        }
        LinkUpdate::Partial(key, patch) => {
            let edited = links.patch_as(&key, *patch, &terms).await?;
            LinkUpdated::changed(&edited, origin, undo)
        }
    })
}
