//! `GET /api/link/history`

use actix_web::http::Method;
use slugline_application::LinkService;
use slugline_contract::{Code, GetHistory, LinkHistory};
use slugline_httpkit::Failure;

use crate::{
    extract::{Links, Query},
    operation_spec::OperationSpec,
    reply::Json,
};

pub(crate) fn spec() -> OperationSpec {
    OperationSpec {
        method: Method::GET,
        path: "/api/link/history",
        id: "link_history",
        tag: super::TAG,
        summary: "List the versions of a link",
        description: "The versions of a link that are kept, the newest first: when each began, who \
                      made it, and the members that changed, old and new. `slug` names a link that \
                      is there, `id` also one in the trash. `SLUGLINE_HISTORY_VERSIONS` says how many \
                      are kept.",
        needs: LinkService::HISTORY,
        fails: &[Code::LinkNotFound],
    }
}

pub(crate) async fn handle(
    Links(links): Links,
    Query(query): Query<GetHistory>,
) -> Result<Json<200, LinkHistory>, Failure> {
    let (link, versions) = links.history(&query.validate()?).await?;
    let shown = LinkHistory::new(&link, &versions, links.keeping());
    Ok(Json(shown))
}
