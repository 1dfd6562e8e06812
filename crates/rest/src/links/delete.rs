//! `POST /api/link/delete`

use actix_web::http::Method;
use slugline_contract::{Code, DeleteLink};
use slugline_httpkit::Failure;

use crate::{
    extract::{Body, Context},
    permit::MayDelete,
    registrar::About,
    reply::NoContent,
};

pub(crate) fn about() -> About {
    About {
        method: Method::POST,
        path: "/api/link/delete",
        id: "link_delete",
        tag: super::TAG,
        summary: "Delete a link",
        description: "Deletes a link for good. Deleting a slug that no link has succeeds too.",
        fails: &[Code::PreviewMode, Code::MigrationRequired],
    }
}

pub(crate) async fn handle(
    _: MayDelete,
    context: Context,
    Body(body): Body<DeleteLink>,
) -> Result<NoContent, Failure> {
    context.app.links.delete(&body.check()?).await?;
    Ok(NoContent)
}
