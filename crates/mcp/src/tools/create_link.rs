//! `create_link`

use slugline_application::{Access, Error, LinkService};
use slugline_contract::{CreateLink, LinkResponse, Problem};
use slugline_domain::Slug;
use slugline_httpkit::report;

use super::{Context, Hints, Tool};

pub(crate) struct CreateLinkTool;

impl Tool for CreateLinkTool {
    const NAME: &'static str = "create_link";
    const DESCRIPTION: &'static str = "Make a new short link to a URL. Only url is required; \
        without slug a free random one is chosen. Fails with 409 when an active link already has \
        the slug, and names a free one; upsert_link returns the link in the way instead. Returns \
        the link and its public address in shortLink.";
    const NEEDS: Access = Access::Links;
    const HINTS: Hints = Hints::Adds;
    type Input = CreateLink;
    type Output = LinkResponse;

    async fn call(context: Context<'_>, input: CreateLink) -> Result<LinkResponse, Problem> {
        let new = input.check(context.rules)?;
        let links = &context.app.links;
        match links.create(new).await {
            Ok(link) => Ok(LinkResponse::new(&link, context.origin)),
            Err(Error::SlugTaken(slug)) => {
                let free = free_beside(links, &slug).await;
                let mut taken = report(Error::SlugTaken(slug));
                if let Some(free) = free {
                    taken.detail =
                        format!("{}; the slug {:?} is free", taken.detail, free.as_str());
                }
                Err(taken)
            }
            Err(other) => Err(report(other)),
        }
    }
}

/// The first of `docs-2`, `docs-3` and so on that no link has, not even an
/// expired one. A few look-ups cost less than a model's guess.
async fn free_beside(links: &LinkService, taken: &Slug) -> Option<Slug> {
    for number in 2..=5 {
        let slug = Slug::parse(&format!("{}-{number}", taken.as_str())).ok()?;
        if let Err(Error::LinkNotFound(_)) = links.get(&slug).await {
            return Some(slug);
        }
    }
    None
}
