//! `PATCH /api/link/edit`

use actix_web::http::Method;
use slugline_application::LinkService;
use slugline_contract::{Code, LinkChanged, PatchLink};
use slugline_httpkit::Failure;

use crate::{
    conditional::{IfMatch, Tagged},
    extract::{Body, Changes, Context, PublicOrigin},
    operation_spec::OperationSpec,
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
                      a change that somebody else makes at the same time is kept, too. With \
                      `validateOnly` nothing is stored.",
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
    Changes(links): Changes,
    PublicOrigin(origin): PublicOrigin,
    IfMatch(meant): IfMatch,
    Body(body): Body<PatchLink>,
) -> Result<Tagged<Json<200, LinkChanged>>, Failure> {
    let (key, patch, mut terms) = body.validate(&context.rules.seen_at(origin.as_str()))?;
    terms.precondition = meant;
    let link = links.patch_as(&key, patch, &terms).await?.link;
    let shown = LinkChanged::new(&link, terms.validate_only, origin.as_str());
    Ok(if terms.validate_only {
        Tagged::without(Json(shown))
    } else {
        Tagged::seen(&link, Json(shown))
    })
}
