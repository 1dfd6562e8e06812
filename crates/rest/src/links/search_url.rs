//! `POST /api/link/search`

use actix_web::http::Method;
use slugline_application::LinkService;
use slugline_contract::{ExactUrlSearch, FoundLink, FoundLinks};
use slugline_httpkit::{Code, Failure};

use crate::{
    extract::{Body, Context, Links},
    operation_spec::OperationSpec,
    reply::Json,
};

pub(crate) fn spec() -> OperationSpec {
    OperationSpec {
        method: Method::POST,
        path: "/api/link/search",
        id: "link_search_url",
        tag: super::TAG,
        summary: "Search links by a long destination",
        description: "Finds active links that lead to a destination which is too long for a query \
                      string.",
        needs: LinkService::SEARCH,
        fails: &[Code::QueryTimeout],
    }
}

pub(crate) async fn handle(
    context: Context,
    Links(links): Links,
    Body(body): Body<ExactUrlSearch>,
) -> Result<Json<200, Vec<FoundLink>>, Failure> {
    let (search, size) = body.validate(&context.rules)?;
    let found = links.search(search, size).await?;
    let standings = links.standings(&found).await?;
    Ok(Json(FoundLinks::new(&found, &standings).links))
}
