//! `check_links`

use slugline_application::{Access, LinkChecker};
use slugline_contract::{CheckLinks, LinkChecks, Problem};
use slugline_httpkit::report;

use super::tool::{Context, Hints, Tool};

pub(crate) struct CheckLinksTool;

impl Tool for CheckLinksTool {
    const NAME: &'static str = "check_links";
    const DESCRIPTION: &'static str = "Ask destinations whether they answer: of one link (slug), of \
        links with a tag, or of all, expired ones too; a few at a time, by slug, so it takes \
        seconds. onlyBroken finds broken links with the fewest calls. While list_complete is \
        false, call again with the returned cursor and the same tag. status is the final HTTP \
        status, 0 when there was none; ok is true from 1 to 399; error says why not. Destinations \
        that are not on the public internet are not asked.";
    const NEEDS: Access = LinkChecker::CHECK;
    const HINTS: Hints = Hints::ReadsWorld;
    type Input = CheckLinks;
    type Output = LinkChecks;

    async fn call(context: Context<'_>, input: CheckLinks) -> Result<LinkChecks, Problem> {
        let check = input.validate(context.client.clone())?;
        let scope = check.scope.clone();
        let page = context.app.checks.check(context.caller, check).await;
        Ok(LinkChecks::new(&page.map_err(report)?, &scope))
    }
}
