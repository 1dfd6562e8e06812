//! `GET /api/link/count`

use actix_web::http::Method;
use slugline_application::LinkService;
use slugline_contract::{CountLinks, LinkCount};
use slugline_httpkit::{Code, Failure};

use crate::{
    extract::{Context, Links, Query},
    operation_spec::OperationSpec,
    reply::Json,
};

pub(crate) fn spec() -> OperationSpec {
    OperationSpec {
        method: Method::GET,
        path: "/api/link/count",
        id: "link_count",
        tag: super::TAG,
        summary: "Count links",
        description: "Counts active links, or those that meet the conditions.",
        needs: LinkService::COUNT,
        fails: &[Code::QueryTimeout],
    }
}

pub(crate) async fn handle(
    context: Context,
    Links(links): Links,
    Query(query): Query<CountLinks>,
) -> Result<Json<200, LinkCount>, Failure> {
    let search = query.validate(&context.rules)?;
    Ok(Json(LinkCount {
        count: links.count(search).await?,
    }))
}
