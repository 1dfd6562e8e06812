//! `POST /api/link/delete`

use actix_web::http::Method;
use slugline_application::LinkService;
use slugline_contract::{Code, DeleteLink};
use slugline_httpkit::Failure;

use crate::{
    conditional::IfMatch,
    extract::{Body, Changes},
    operation_spec::OperationSpec,
    reply::NoContent,
};

pub(crate) fn spec() -> OperationSpec {
    OperationSpec {
        method: Method::POST,
        path: "/api/link/delete",
        id: "link_delete",
        tag: super::TAG,
        summary: "Delete a link",
        description: "Deletes a link for good. Deleting a slug that no link has succeeds too, unless \
                      `If-Match` asks for one.",
        needs: LinkService::DELETE,
        fails: &[Code::PreconditionFailed, Code::LinkModified],
    }
}

pub(crate) async fn handle(
    Changes(links): Changes,
    IfMatch(meant): IfMatch,
    Body(body): Body<DeleteLink>,
) -> Result<NoContent, Failure> {
    let key = body.validate()?;
    links.delete_if(&key, &meant).await?;
    Ok(NoContent)
}
