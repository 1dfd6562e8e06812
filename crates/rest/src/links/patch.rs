//! `PATCH /api/link/edit`

use actix_web::http::Method;
use slugline_application::LinkService;
use slugline_contract::{Code, LinkResponse, PatchLink};
use slugline_httpkit::Failure;

use crate::{
    extract::{Body, Context, PublicOrigin},
    registrar::OperationSpec,
    reply::Json,
};

pub(crate) fn spec() -> OperationSpec {
    OperationSpec {
        method: Method::PATCH,
        path: "/api/link/edit",
        id: "link_patch",
        tag: super::TAG,
        summary: "Change some members of a link",
        description: "Members that are left out are kept, `null` removes a member.",
        needs: LinkService::EDIT,
        fails: &[Code::LinkNotFound, Code::LinkModified, Code::Busy],
    }
}

pub(crate) async fn handle(
    context: Context,
    PublicOrigin(origin): PublicOrigin,
    Body(body): Body<PatchLink>,
) -> Result<Json<200, LinkResponse>, Failure> {
    let (slug, patch) = body.check(&context.rules.seen_at(origin.as_str()))?;
    let link = context.app.links.patch(&slug, patch).await?;
    Ok(Json(LinkResponse::new(&link, origin.as_str())))
}
