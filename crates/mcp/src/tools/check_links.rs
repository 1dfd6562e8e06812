//! `check_links`

use slugline_application::LinkChecker;
use slugline_contract::{CheckLinks, LinkChecks};
use slugline_httpkit::Failure;

use super::tool::{ToolContext, ToolEffect, ToolSpec};

pub(super) fn spec() -> ToolSpec {
    ToolSpec {
        name: "check_links",
        description: "Ask destinations whether they answer: of one link (slug), of links with a tag, or of \
        all, expired ones too; a few at a time, by slug, so it takes seconds. onlyBroken finds \
        broken links with the fewest calls. While list_complete is false, call again with the \
        returned cursor and the same tag. status is the final HTTP status, 0 for none; ok is \
        true from 1 to 399; error says why not. Only destinations on the public internet are \
        asked.",
        needs: LinkChecker::CHECK,
        effect: ToolEffect::ReadsWorld,
    }
}

pub(super) async fn call(context: ToolContext, input: CheckLinks) -> Result<LinkChecks, Failure> {
    let check = input.validate(context.client.clone())?;
    let scope = check.scope.clone();
    let page = context.app.checks.check(&context.caller, check).await;
    Ok(LinkChecks::new(&page?, &scope))
}
