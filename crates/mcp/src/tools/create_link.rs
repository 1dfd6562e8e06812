//! `create_link`

use serde_json::Value;
use slugline_application::LinkService;
use slugline_contract::{CreateLink, Keyed, LinkResponse, asked};
use slugline_domain::Scope;
use slugline_httpkit::Failure;

use super::tool::{ToolContext, ToolEffect, ToolSpec};

pub(super) fn spec() -> ToolSpec {
    ToolSpec {
        name: "create_link",
        description: "Make a new short link to a URL. Only url is required; without slug a free random one is \
        chosen. Fails with 409 when an active link has the slug, and names a free one; \
        upsert_link returns the link in the way instead. With idempotencyKey a call that failed \
        may be repeated as it is. Returns the link, as get_link does, and \
        its public address in shortLink.",
        needs: LinkService::CREATE,
        effect: ToolEffect::Adds,
    }
}

pub(super) async fn call(
    context: ToolContext,
    input: Keyed<CreateLink>,
) -> Result<LinkResponse, Failure> {
    let key = input.key()?;
    let (mut new, terms) = input.arguments.validate(&context.bounds_here())?;
    new.asked = key.map(|key| asked(&new, &key, None));
    let created = context.changes().create(new, terms).await?;
    let origin = context.origin.as_str();
    Ok(LinkResponse::new(&created, terms.validate_only, origin))
}

/// The answer to a call that reuses links tells about another link.
pub(super) fn also_needs(arguments: &Value) -> Option<Scope> {
    (arguments["reuse"] == true).then_some(Scope::LinksRead)
}
