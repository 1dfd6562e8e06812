//! `upsert_link`

use slugline_application::{Access, LinkService};
use slugline_contract::{CreateLink, LinkUpserted, Problem};
use slugline_httpkit::report;

use super::tool::{Context, Hints, Tool};

pub(crate) struct UpsertLinkTool;

impl Tool for UpsertLinkTool {
    const NAME: &'static str = "upsert_link";
    const DESCRIPTION: &'static str = "Make a short link unless its slug is in use. status says \
        created, or existing when an active link has the slug: that link is returned unchanged, \
        whatever you sent. To change it use update_link.";
    const NEEDS: Access = LinkService::UPSERT;
    const HINTS: Hints = Hints::AddsOnce;
    type Input = CreateLink;
    type Output = LinkUpserted;

    async fn call(context: Context<'_>, input: CreateLink) -> Result<LinkUpserted, Problem> {
        let new = input.validate(&context.rules_here())?;
        let outcome = context.writer().upsert(new).await.map_err(report)?;
        Ok(LinkUpserted::new(&outcome, context.origin))
    }
}
