//! `POST /api/link/explain`

use actix_web::http::Method;
use slugline_application::LinkService;
use slugline_contract::{Code, ExplainLink, LinkExplanation};
use slugline_domain::{FollowedLink, Visitor};
use slugline_httpkit::{Failure, ImaginedFacts};

use crate::{
    extract::{Body, Clients, Context, Links, PublicOrigin},
    operation_spec::OperationSpec,
    reply::Json,
};

pub(crate) fn spec() -> OperationSpec {
    OperationSpec {
        method: Method::POST,
        path: "/api/link/explain",
        id: "link_explain",
        tag: super::TAG,
        summary: "Explain a link",
        description: "Tells what a visitor would get: the answer to GET, the member of the link that \
                      chose the destination, and for each rule before it the first condition that \
                      did not hold and the fact that it compared. `draft` explains members before \
                      they are stored. Nothing is stored or recorded, and no visit is used up.",
        needs: LinkService::EXPLAIN,
        fails: &[Code::LinkNotFound],
    }
}

pub(crate) async fn handle(
    context: Context,
    Links(links): Links,
    PublicOrigin(origin): PublicOrigin,
    Clients(clients): Clients,
    Body(body): Body<ExplainLink>,
) -> Result<Json<200, LinkExplanation>, Failure> {
    let rules = context.rules.seen_at(origin.as_str());
    let (target, imagined) = body.validate(&rules)?;
    let asked = target.domain().clone();
    let (link, now) = links.to_explain(target, &rules.own_addresses).await?;
    let at = imagined.at.unwrap_or(now);
    let status = link.status_at(at);
    let used_up = link.visits_left() == Some(0);
    let link = FollowedLink::from(link);
    let facts = ImaginedFacts::new(&clients, &imagined, link.id(), at);
    let query = Some(imagined.query.as_str());
    let visitor = Visitor::new(at)
        .with_user_agent(&imagined.user_agent)
        .with_query(query.filter(|query| !query.is_empty()))
        .with_rest(imagined.rest())
        .with_facts(&facts);
    let (why, head) = context.foresight.foresee(&link, &asked, &visitor, used_up);
    Ok(Json(LinkExplanation::new(
        &link,
        (at, status),
        &facts,
        why,
        head,
    )))
}
