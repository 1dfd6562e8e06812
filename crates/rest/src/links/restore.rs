//! `POST /api/link/restore`

use actix_web::http::Method;
use slugline_application::{LinkService, Restored};
use slugline_contract::{Code, LinkChanged, RestoreLink};
use slugline_httpkit::Failure;

use crate::{
    conditional::Tagged,
    extract::{Body, CalledBy, Changes, Context, PublicOrigin},
    operation_spec::OperationSpec,
    repeatable::{Once, Repeatable, once},
    reply::Json,
};

pub(crate) fn spec() -> OperationSpec {
    OperationSpec {
        method: Method::POST,
        path: "/api/link/restore",
        id: "link_restore",
        tag: super::TAG,
        summary: "Bring a link back",
        description: "Brings back a deleted link, or gives a link what an older version of it had, the \
                      password included. Either way that is a new version, and visits that were \
                      counted stay counted. Without `version` it undoes the deletion or the last \
                      change. If another link has the slug of a deleted one by now, send `slug`.",
        needs: LinkService::RESTORE,
        fails: &[
            Code::LinkNotFound,
            Code::VersionNotFound,
            Code::SlugTaken,
            Code::LinkModified,
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
    Repeatable { body, request }: Repeatable<Body<RestoreLink>>,
) -> Result<Once<Tagged<Json<200, LinkChanged>>>, Failure> {
    let Body(body) = body;
    let restore = body.validate(&context.rules.seen_at(origin.as_str()))?;
    let show = move |Restored { link, .. }: &Restored| {
        let shown = LinkChanged::new(link, false, origin.as_str());
        Tagged::seen(link, Json(shown))
    };
    let is_kept = |restored: &Restored| restored.is_new;
    let change = |keep| links.restore_keeping(&restore, keep);
    once(
        &context.app.repeats,
        &caller,
        request,
        show,
        is_kept,
        change,
    )
    .await
}
