//! `POST /api/link/delete`

use actix_web::http::Method;
use slugline_application::LinkService;
use slugline_contract::{Code, Deletion, LinkDeletion};
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
        description: "Deletes a link, whose slug is free at once. `/api/link/restore` brings it back \
                      while it is in the trash. `purge: true` erases it with all of its versions, \
                      also if it is in the trash already, and needs the scope `admin`. Deleting a \
                      slug that no link has succeeds too, unless `If-Match` asks for one.",
        needs: LinkService::DELETE,
        fails: &[Code::PreconditionFailed, Code::LinkModified],
    }
}

pub(crate) async fn handle(
    Changes(links): Changes,
    IfMatch(meant): IfMatch,
    Body(body): Body<LinkDeletion>,
) -> Result<NoContent, Failure> {
    match body.validate()? {
        Deletion::Delete(key) => drop(links.delete_if(&key, &meant).await?),
        Deletion::Purge(which) => drop(links.purge_if(&which, &meant).await?),
    }
    Ok(NoContent)
}
