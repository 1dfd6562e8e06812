//! `GET /api/link/trash`

use actix_web::http::Method;
use slugline_application::LinkService;
use slugline_contract::{Code, ListTrash, TrashList};
use slugline_httpkit::Failure;

use crate::{
    extract::{Links, Query},
    operation_spec::OperationSpec,
    reply::Json,
};

pub(crate) fn spec() -> OperationSpec {
    OperationSpec {
        method: Method::GET,
        path: "/api/link/trash",
        id: "link_trash",
        tag: super::TAG,
        summary: "List deleted links",
        description: "The links that can be brought back, the one deleted last first, and until \
                      when. An expired link whose slug a new link took is among them. Pass `cursor` \
                      back until `list_complete` is true. `SLUGLINE_TRASH_DAYS` says how long links \
                      are kept.",
        needs: LinkService::TRASH,
        fails: &[Code::InvalidCursor],
    }
}

pub(crate) async fn handle(
    Links(links): Links,
    Query(query): Query<ListTrash>,
) -> Result<Json<200, TrashList>, Failure> {
    let page = links.trash(query.validate()?).await?;
    Ok(Json(TrashList::new(&query, &page, links.keeping())))
}
