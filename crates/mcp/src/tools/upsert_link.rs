//! `upsert_link`

use slugline_application::LinkService;
use slugline_contract::{Keyed, LinkUpserted, UpsertLink, asked};
use slugline_httpkit::Failure;

use super::tool::{ToolContext, ToolEffect, ToolSpec};

pub(super) fn spec() -> ToolSpec {
    ToolSpec {
        name: "upsert_link",
        description: "Make a short link unless its slug is in use. status says \
        created, or existing when an active link has the slug: that link is returned unchanged, \
        whatever you sent. To change it use update_link.",
        needs: LinkService::UPSERT,
        effect: ToolEffect::AddsOnce,
    }
}

pub(super) async fn call(
    context: ToolContext,
    input: Keyed<UpsertLink>,
) -> Result<LinkUpserted, Failure> {
    let key = input.key()?;
    let (mut new, terms) = input.arguments.validate(&context.bounds_here())?;
    new.asked = key.map(|key| asked(&new, &key, None));
    let outcome = context.changes().upsert(new, terms).await?;
    let origin = context.origin.as_str();
    Ok(LinkUpserted::new(&outcome, terms.validate_only, origin))
}
