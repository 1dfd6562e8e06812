//! `POST /api/link/explain` and `POST /api/link/check`: what visitors of links get.

use slugline_application::{LinkChecker, LinkService};
use slugline_contract::{CheckLinks, ExplainLink, LinkChecks, LinkExplanation};
use slugline_domain::{FollowedLink, Visitor};
use slugline_httpkit::Failure;

use crate::{
    body::Body,
    imagined_facts::ImaginedFacts,
    input::{CalledBy, Clients, Context, Links, Probing, PublicUrl},
    operation::operations,
    reply::Json,
};

operations! { super::TAG;
    link_explain: POST "/api/link/explain" => explain, LinkService::EXPLAIN, [LinkNotFound],
        "Explain a link",
        "Tells what a visitor would get: the answer to GET, the member of the link that chose the \
         destination, and for each rule before it the first condition that did not hold and the \
         fact that it compared. `draft` explains members before they are stored. Nothing is stored \
         or recorded, and no visit is used up.";
    link_check: POST "/api/link/check" => check, LinkChecker::CHECK, [InvalidCursor, QueryTimeout],
        "Check links",
        "Asks the destinations of links, expired ones too, whether they answer: a few links at a \
         time, by slug. `slug`, `tag` and `onlyBroken` narrow it down. Pass `cursor` back until \
         `list_complete` is true. Destinations are told the `Accept-Language` and `User-Agent` of \
         this request. Destinations that are not on the public internet are not asked.";
}

async fn explain(
    context: Context,
    Links(links): Links,
    PublicUrl(base): PublicUrl,
    Clients(clients): Clients,
    Body(body): Body<ExplainLink>,
) -> Result<Json<200, LinkExplanation>, Failure> {
    let (target, imagined) = body.validate(&context.bounds.seen_at(&base))?;
    let asked = target.domain().clone();
    let (link, now) = links.to_explain(target).await?;
    let at = imagined.at.unwrap_or(now);
    let status = link.status_at(at);
    let used_up = link.visits_left() == Some(0);
    let places_note = links.note_on([&link]);
    let link = FollowedLink::from(link);
    let facts = ImaginedFacts::new(&clients, &imagined, link.id(), at);
    let query = Some(imagined.query.as_str());
    let visitor = Visitor {
        now: at,
        user_agent: &imagined.user_agent,
        country: None,
        query: query.filter(|query| !query.is_empty()),
        rest: imagined.rest(),
        facts: &facts,
    };
    let (why, head) = context.foresight.foresee(&link, &asked, &visitor, used_up);
    Ok(Json(LinkExplanation {
        places_note,
        ..LinkExplanation::new(&link, (at, status), &facts, why, head)
    }))
}

async fn check(
    context: Context,
    CalledBy(caller): CalledBy,
    Probing(client): Probing,
    Body(body): Body<CheckLinks>,
) -> Result<Json<200, LinkChecks>, Failure> {
    let check = body.validate(client)?;
    let scope = check.scope.clone();
    let page = context.app.checks.check(&caller, check).await?;
    Ok(Json(LinkChecks::new(&page, &scope)))
}
