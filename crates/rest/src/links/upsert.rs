//! `POST /api/link/upsert`

use actix_web::http::Method;
use slugline_application::{CreateTerms, Keep, LinkService, Upserted};
use slugline_contract::{Code, LinkUpserted, UpsertLink};
use slugline_domain::Link;
use slugline_httpkit::Failure;

use crate::{
    conditional::Tagged,
    extract::{Body, CalledBy, Changes, Context, PublicOrigin},
    operation_spec::OperationSpec,
    repeatable::{Once, Repeatable, once},
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
        fails: &[
            Code::SlugTaken,
            Code::IdTaken,
            Code::Busy,
            Code::IdempotencyKeyInUse,
            Code::IdempotencyKeyReused,
        ],
    }
}

pub(crate) async fn handle(
    context: Context,
    CalledBy(caller): CalledBy,
    Changes(links): Changes,
    PublicOrigin(origin): PublicOrigin,
    Repeatable { body, request }: Repeatable<Body<UpsertLink>>,
) -> Result<Once<Answer>, Failure> {
    let Body(body) = body;
    let (new, terms) = body.validate(&context.rules.seen_at(origin.as_str()))?;
    let validate_only = terms.validate_only;
    // What is only checked may be checked again.
    let request = request.filter(|_| !validate_only);
    let show = move |outcome: &Upserted| answer(outcome, validate_only, origin.as_str());
    let is_kept = |outcome: &Upserted| matches!(outcome, Upserted::Created(_));
    let upsert = async |keep: Option<Keep<Upserted>>| {
        let stored = |link: &Link| Box::new(Upserted::Created(link.clone().into()));
        let keep = keep.map(|keep| keep.of(stored));
        links.upsert_as(new, &CreateTerms { keep, ..terms }).await
    };
    once(
        &context.app.repeats,
        &caller,
        request,
        show,
        is_kept,
        upsert,
    )
    .await
}

type Answer = Tagged<Either<Json<201, LinkUpserted>, Json<200, LinkUpserted>>>;

fn answer(outcome: &Upserted, validate_only: bool, origin: &str) -> Answer {
    let shown = LinkUpserted::new(outcome, validate_only, origin);
    match outcome {
        Upserted::Created(_) if validate_only => Tagged::without(Either::Right(Json(shown))),
        Upserted::Created(link) => Tagged::new(link, Either::Left(Json(shown))),
        Upserted::Existing(link) => Tagged::seen(link, Either::Right(Json(shown))),
    }
}
