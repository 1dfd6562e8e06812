//! `create_link`

use serde_json::Value;
use slugline_application::LinkService;
use slugline_contract::{CreateLink, LinkResponse};
use slugline_domain::Scope;
use slugline_httpkit::Failure;

use super::tool::{ToolContext, ToolEffect, ToolSpec};

pub(super) fn spec() -> ToolSpec {
    ToolSpec {
        name: "create_link",
        description: "Make a new short link to a URL. Only url is required; without slug a free random one is \
        chosen. Fails with 409 when an active link has the slug, and names a free one; \
        upsert_link returns the link in the way instead. Returns the link, as get_link does, and \
        its public address in shortLink.",
        needs: LinkService::CREATE,
        effect: ToolEffect::Adds,
    }
}

pub(super) async fn call(context: ToolContext, input: CreateLink) -> Result<LinkResponse, Failure> {
    let (new, terms) = input.validate(&context.bounds_here())?;
    let created = context.changes().create_as(new, &terms).await?;
    let origin = context.origin.as_str();
    Ok(LinkResponse::new(&created, terms.validate_only, origin))
}

/// The answer to a call that reuses links tells about another link.
pub(super) fn also_needs(arguments: &Value) -> Option<Scope> {
    (arguments["reuse"] == true).then_some(Scope::LinksRead)
}
