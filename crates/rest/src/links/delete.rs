//! `POST /api/link/delete`

use actix_web::http::Method;
use slugline_application::LinkService;
use slugline_contract::DeleteLink;
use slugline_httpkit::Failure;

use crate::{
    extract::{Body, Context},
    registrar::OperationSpec,
    reply::NoContent,
};

pub(crate) fn spec() -> OperationSpec {
    OperationSpec {
        method: Method::POST,
        path: "/api/link/delete",
        id: "link_delete",
        tag: super::TAG,
        summary: "Delete a link",
        description: "Deletes a link for good. Deleting a slug that no link has succeeds too.",
        needs: LinkService::DELETE,
        fails: &[],
    }
}

pub(crate) async fn handle(
    context: Context,
    Body(body): Body<DeleteLink>,
) -> Result<NoContent, Failure> {
    context.app.links.delete(&body.check()?).await?;
    Ok(NoContent)
}
