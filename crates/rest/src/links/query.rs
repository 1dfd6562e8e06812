//! `GET /api/link/query`

use actix_web::http::Method;
use slugline_application::LinkService;
use slugline_contract::{Code, GetLink, LinkView};
use slugline_httpkit::Failure;

use crate::{
    conditional::{IfNoneMatch, NotModified, Tagged, UnlessKnown},
    extract::{Links, Query},
    operation_spec::OperationSpec,
    reply::Json,
};

pub(crate) fn spec() -> OperationSpec {
    OperationSpec {
        method: Method::GET,
        path: "/api/link/query",
        id: "link_get",
        tag: super::TAG,
        summary: "Read a link",
        description: "Reads one link by its slug, expired or not. `ETag` names its version, for \
                      `If-Match` of a later change.",
        needs: LinkService::GET,
        fails: &[Code::LinkNotFound],
    }
}

pub(crate) async fn handle(
    Links(links): Links,
    IfNoneMatch(known): IfNoneMatch,
    Query(query): Query<GetLink>,
) -> Result<UnlessKnown<Json<200, LinkView>>, Failure> {
    let link = links.get(&query.validate()?).await?;
    let standings = links.standings([&link]).await?;
    Ok(if known.include(&link) && !standings.may_change(&link) {
        UnlessKnown::Known(Tagged::new(&link, NotModified))
    } else {
        let shown = LinkView::of(&link, &standings);
        UnlessKnown::Shown(Tagged::new(&link, Json(shown)))
    })
}
