//! `PUT /api/link/edit`

use actix_web::http::Method;
use slugline_application::LinkService;
use slugline_contract::{Code, EditLink, LinkResponse};
use slugline_httpkit::Failure;

use crate::{
    conditional::{IfMatch, Tagged},
    extract::{Body, Changes, Context, PublicOrigin},
    operation_spec::OperationSpec,
    reply::Json,
};

pub(crate) fn spec() -> OperationSpec {
    OperationSpec {
        method: Method::PUT,
        path: "/api/link/edit",
        id: "link_edit",
        tag: super::TAG,
        summary: "Replace a link",
        description: "Replaces everything a link holds but its slug, id and creation: members \
                      that are left out are removed, except the password. To change some members \
                      and keep the others, use PATCH.",
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
) -> Result<Tagged<Json<201, LinkResponse>>, Failure> {
    let edit = body.validate(&context.rules.seen_at(origin.as_str()))?;
    let link = links.edit_if(edit, &meant).await?.link;
    let shown = LinkResponse::new(&link, origin.as_str());
    Ok(Tagged::new(&link, Json(shown)))
}
