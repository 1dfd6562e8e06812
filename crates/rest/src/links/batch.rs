//! `POST /api/link/batch`

use actix_web::http::Method;
use slugline_application::LinkService;
use slugline_contract::{BatchLinks, Code, LinkBatch};
use slugline_httpkit::{Failure, report};

use crate::{
    extract::{Body, Changes},
    operation_spec::OperationSpec,
    reply::Json,
};

pub(crate) fn spec() -> OperationSpec {
    OperationSpec {
        method: Method::POST,
        path: "/api/link/batch",
        id: "link_batch",
        tag: super::TAG,
        summary: "Change or delete many links",
        description: "Deletes links, adds or removes tags, sets or removes the expiry: of up to \
                      500 `slugs`, or of the links that meet a `filter`, 500 by slug at a time; \
                      pass `cursor` back until `list_complete` is true. Each link is changed \
                      wholly or not at all, one by one: there is a result for each, and what was \
                      done before a failure stays. Sending a request again is harmless; links \
                      that are that way already are `unchanged`, or `notFound` when they were \
                      to be deleted. `dryRun` changes nothing and tells what would happen.",
        needs: LinkService::EDIT,
        fails: &[Code::InvalidCursor, Code::QueryTimeout],
    }
}

pub(crate) async fn handle(
    Changes(links): Changes,
    Body(body): Body<BatchLinks>,
) -> Result<Json<200, LinkBatch>, Failure> {
    let done = links.change_many(body.validate()?).await?;
    Ok(Json(LinkBatch::new(&body, done, report)))
}
