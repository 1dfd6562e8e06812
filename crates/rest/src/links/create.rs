//! `POST /api/link/create`

use actix_web::http::Method;
use slugline_application::{Created, LinkService};
use slugline_contract::{Code, CreateLink, LinkResponse};
use slugline_httpkit::Failure;

use crate::{
    conditional::Tagged,
    extract::{Body, Changes, Context, PublicOrigin},
    operation_spec::OperationSpec,
    reply::{Either, Json},
};

pub(crate) fn spec() -> OperationSpec {
    OperationSpec {
        method: Method::POST,
        path: "/api/link/create",
        id: "link_create",
        tag: super::TAG,
        summary: "Create a link",
        description: "Makes a short link. Leave `slug` out to get a free random one; \
                      a slug that an active link owns is refused. Answered with 200 where nothing \
                      is stored: with `validateOnly`, or with `reuse` if an active link without \
                      password and limit of visits is equal in every member; `reuse` needs the \
                      scope `links:read`, too.",
        needs: LinkService::CREATE,
        fails: &[Code::SlugTaken, Code::IdTaken, Code::Busy],
    }
}

pub(crate) async fn handle(
    context: Context,
    Changes(links): Changes,
    PublicOrigin(origin): PublicOrigin,
    Body(body): Body<CreateLink>,
) -> Result<Tagged<Either<Json<201, LinkResponse>, Json<200, LinkResponse>>>, Failure> {
    let (new, terms) = body.validate(&context.rules.seen_at(origin.as_str()))?;
    let created = links.create_as(new, terms).await?;
    let shown = LinkResponse::created(&created, origin.as_str());
    Ok(match &created {
        Created::Stored(link) => Tagged::new(link, Either::Left(Json(shown))),
        Created::Reused(link) => Tagged::new(link, Either::Right(Json(shown))),
        Created::Valid(_) => Tagged::without(Either::Right(Json(shown))),
    })
}
