//! `GET /api/link/search`

use actix_web::http::Method;
use slugline_application::LinkService;
use slugline_contract::{FoundLink, FoundLinks, SearchLinks};
use slugline_httpkit::{Code, Failure};

use crate::{
    extract::{Context, Links, Query},
    operation_spec::OperationSpec,
    reply::Json,
};

pub(crate) fn spec() -> OperationSpec {
    OperationSpec {
        method: Method::GET,
        path: "/api/link/search",
        id: "link_search",
        tag: super::TAG,
        summary: "Search links",
        description: "Finds links by text or destination, by slug; without `q` and `url` nothing \
                      is found.",
        needs: LinkService::SEARCH,
        fails: &[Code::QueryTimeout],
    }
}

pub(crate) async fn handle(
    context: Context,
    Links(links): Links,
    Query(query): Query<SearchLinks>,
) -> Result<Json<200, Vec<FoundLink>>, Failure> {
    let (search, size) = query.validate(&context.rules)?;
    let found = links.search(search, size).await?;
    let standings = links.standings(&found).await?;
    Ok(Json(FoundLinks::new(&found, &standings).links))
}
