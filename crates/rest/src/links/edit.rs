//! `PUT /api/link/edit`

use actix_web::http::Method;
use slugline_application::LinkService;
use slugline_contract::{Code, EditLink, LinkChanged};
use slugline_httpkit::Failure;

use crate::{
    conditional::{IfMatch, Tagged},
    extract::{Body, Changes, Context, PublicOrigin},
    operation_spec::OperationSpec,
    reply::{Either, Json},
};

pub(crate) fn spec() -> OperationSpec {
    OperationSpec {
        method: Method::PUT,
        path: "/api/link/edit",
        id: "link_edit",
        tag: super::TAG,
        summary: "Replace a link",
        description: "Replaces everything a link holds but its slug, id and creation: members \
                      that are left out are removed, except those that the schema of the body names \
                      as kept. To change some members and keep the others, use PATCH. With `validateOnly` nothing is stored, and \
                      the status is 200.",
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
    Body(body): Body<EditLink>,
) -> Result<Tagged<Either<Json<201, LinkChanged>, Json<200, LinkChanged>>>, Failure> {
    let (edit, mut terms) = body.validate(&context.rules.seen_at(origin.as_str()))?;
    terms.precondition = meant;
    let link = links.edit_as(edit, &terms).await?.link;
    let shown = LinkChanged::new(&link, terms.validate_only, origin.as_str());
    Ok(if terms.validate_only {
        Tagged::without(Either::Right(Json(shown)))
    } else {
        Tagged::seen(&link, Either::Left(Json(shown)))
    })
}
