//! `PATCH /api/link/edit`

use actix_web::http::Method;
use slugline_application::LinkService;
use slugline_contract::{Code, LinkResponse, PatchLink};
use slugline_httpkit::Failure;

use crate::{
    conditional::{IfMatch, Tagged},
    extract::{Body, ChangedBy, Context, PublicOrigin},
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
        description: "Members that are left out are kept, `null` removes a member. Without `If-Match`, \
                      a change that somebody else makes at the same time is kept, too.",
        needs: LinkService::EDIT,
        fails: &[
            Code::LinkNotFound,
            Code::LinkModified,
            Code::PreconditionFailed,
            Code::Busy,
        ],
    }
}

pub(crate) async fn handle(
    context: Context,
    ChangedBy(author): ChangedBy,
    PublicOrigin(origin): PublicOrigin,
    IfMatch(meant): IfMatch,
    Body(body): Body<PatchLink>,
) -> Result<Tagged<Json<200, LinkResponse>>, Failure> {
    let (slug, patch) = body.validate(&context.rules.seen_at(origin.as_str()))?;
    let link = context
        .app
        .links
        .by(author)
        .patch_if(&slug, patch, &meant)
        .await?;
    let shown = LinkResponse::new(&link, origin.as_str());
    Ok(Tagged::new(&link, Json(shown)))
}
