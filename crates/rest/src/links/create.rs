//! `POST /api/link/create`

use actix_web::http::Method;
use slugline_application::{CreateTerms, Created, Keep, LinkService};
use slugline_contract::{Code, CreateLink, LinkResponse};
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
    Repeatable { body, request }: Repeatable<Body<CreateLink>>,
) -> Result<Once<Answer>, Failure> {
    let Body(body) = body;
    let (new, terms) = body.validate(&context.rules.seen_at(origin.as_str()))?;
    let validate_only = terms.validate_only;
    // What is only checked may be checked again.
    let request = request.filter(|_| !validate_only);
    let show = move |created: &Created| answer(created, validate_only, origin.as_str());
    let is_kept = |created: &Created| matches!(created, Created::Stored(_));
    let create = async |keep: Option<Keep<Created>>| {
        let stored = |link: &Link| Box::new(Created::Stored(link.clone().into()));
        let keep = keep.map(|keep| keep.of(stored));
        links.create_as(new, &CreateTerms { keep, ..terms }).await
    };
    once(
        &context.app.repeats,
        &caller,
        request,
        show,
        is_kept,
        create,
    )
    .await
}

type Answer = Tagged<Either<Json<201, LinkResponse>, Json<200, LinkResponse>>>;

fn answer(created: &Created, validate_only: bool, origin: &str) -> Answer {
    let shown = LinkResponse::new(created, validate_only, origin);
    match created {
        Created::Stored(link) => Tagged::new(link, Either::Left(Json(shown))),
        Created::Reused(link) => Tagged::new(link, Either::Right(Json(shown))),
        Created::Valid(_) => Tagged::without(Either::Right(Json(shown))),
    }
}
