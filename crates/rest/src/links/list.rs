//! `GET /api/link/list`

use actix_web::http::Method;
use slugline_application::LinkService;
use slugline_contract::{Code, LinkList, LinkView, ListLinks};
use slugline_httpkit::Failure;

use crate::{
    extract::{CalledBy, Context, Query},
    operation_spec::OperationSpec,
    reply::Json,
};

pub(crate) fn spec() -> OperationSpec {
    OperationSpec {
        method: Method::GET,
        path: "/api/link/list",
        id: "link_list",
        tag: super::TAG,
        summary: "List links",
        description: "Lists links page by page, newest first unless `sort` says otherwise. \
                      Pass `cursor` back until `list_complete` is true. By `visits`, links with \
                      as many are ordered by slug, and those without any come last, newest \
                      first; `ranking` says how far the order can be trusted. That order needs \
                      the scope `analytics:read`, too.",
        needs: LinkService::LIST,
        fails: &[Code::InvalidCursor, Code::QueryTimeout],
    }
}

pub(crate) async fn handle(
    context: Context,
    CalledBy(caller): CalledBy,
    Query(query): Query<ListLinks>,
) -> Result<Json<200, LinkList>, Failure> {
    let page = context.app.lists.list(&caller, query.validate()?).await?;
    let links = context.app.links.seen_by(&caller);
    let standings = links.standings(page.links()).await?;
    Ok(Json(LinkList::new(&query, &page, |link| {
        LinkView::of(link, &standings)
    })))
}
