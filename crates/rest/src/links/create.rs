//! `POST /api/link/create`

use actix_web::http::Method;
use slugline_application::LinkService;
use slugline_contract::{Code, CreateLink, LinkResponse};
use slugline_httpkit::Failure;

use crate::{
    conditional::Tagged,
    extract::{Body, Changes, Context, PublicOrigin},
    operation_spec::OperationSpec,
    reply::Json,
};

pub(crate) fn spec() -> OperationSpec {
    OperationSpec {
        method: Method::POST,
        path: "/api/link/create",
        id: "link_create",
        tag: super::TAG,
        summary: "Create a link",
        description: "Makes a short link. Leave `slug` out to get a free random one; \
                      a slug that an active link owns is refused.",
        needs: LinkService::CREATE,
        fails: &[Code::SlugTaken, Code::IdTaken, Code::Busy],
    }
}

pub(crate) async fn handle(
    context: Context,
    Changes(links): Changes,
    PublicOrigin(origin): PublicOrigin,
    Body(body): Body<CreateLink>,
) -> Result<Tagged<Json<201, LinkResponse>>, Failure> {
    let new = body.validate(&context.rules.seen_at(origin.as_str()))?;
    let link = links.create(new).await?;
    let shown = LinkResponse::new(&link, origin.as_str());
    Ok(Tagged::new(&link, Json(shown)))
}
