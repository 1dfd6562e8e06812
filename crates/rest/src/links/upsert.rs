//! `POST /api/link/upsert`

use actix_web::http::Method;
use slugline_application::{LinkService, Upserted};
use slugline_contract::{Code, LinkUpserted, UpsertLink};
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
        path: "/api/link/upsert",
        id: "link_upsert",
        tag: super::TAG,
        summary: "Create a link unless its slug is in use",
        description: "Makes a link (201), or answers with the active link that has the slug (200), \
                      which stays as it is; `status` says which. With `validateOnly` nothing is \
                      stored, and the status is 200.",
        needs: LinkService::UPSERT,
        fails: &[Code::SlugTaken, Code::IdTaken, Code::Busy],
    }
}

pub(crate) async fn handle(
    context: Context,
    Changes(links): Changes,
    PublicOrigin(origin): PublicOrigin,
    Body(body): Body<UpsertLink>,
) -> Result<Tagged<Either<Json<201, LinkUpserted>, Json<200, LinkUpserted>>>, Failure> {
    let (new, terms) = body.validate(&context.rules.seen_at(origin.as_str()))?;
    let outcome = links.upsert_as(new, terms).await?;
    let shown = LinkUpserted::new(&outcome, origin.as_str()).checked(terms.validate_only);
    Ok(match &outcome {
        Upserted::Created(_) if terms.validate_only => Tagged::without(Either::Right(Json(shown))),
        Upserted::Created(link) => Tagged::new(link, Either::Left(Json(shown))),
        Upserted::Existing(link) => Tagged::seen(link, Either::Right(Json(shown))),
    })
}
