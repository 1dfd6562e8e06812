//! `POST /api/link/upsert`

use actix_web::http::Method;
use slugline_application::LinkService;
use slugline_contract::{Code, CreateLink, LinkUpserted, UpsertStatus};
use slugline_httpkit::Failure;

use crate::{
    extract::{Body, Context, PublicOrigin},
    registrar::OperationSpec,
    reply::MadeOrFound,
};

pub(crate) fn spec() -> OperationSpec {
    OperationSpec {
        method: Method::POST,
        path: "/api/link/upsert",
        id: "link_upsert",
        tag: super::TAG,
        summary: "Create a link unless its slug is in use",
        description: "Makes a link (201), or answers with the active link that has the slug (200), \
                      which stays as it is; `status` says which.",
        needs: LinkService::UPSERT,
        fails: &[Code::SlugTaken, Code::IdTaken, Code::Busy],
    }
}

pub(crate) async fn handle(
    context: Context,
    PublicOrigin(origin): PublicOrigin,
    Body(body): Body<CreateLink>,
) -> Result<MadeOrFound<LinkUpserted>, Failure> {
    let new = body.check(&context.rules.seen_at(origin.as_str()))?;
    let outcome = context.app.links.upsert(new).await?;
    let shown = LinkUpserted::new(&outcome, origin.as_str());
    Ok(match shown.status {
        UpsertStatus::Created => MadeOrFound::Made(shown),
        UpsertStatus::Existing => MadeOrFound::Found(shown),
    })
}
