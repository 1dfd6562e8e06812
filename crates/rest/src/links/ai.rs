//! `GET /api/link/ai`

use actix_web::http::Method;
use slugline_application::LinkService;
use slugline_contract::{SlugSuggestion, SuggestSlug};
use slugline_httpkit::Failure;

use crate::{
    extract::{Context, Query},
    operation_spec::OperationSpec,
    reply::Json,
};

pub(crate) fn spec() -> OperationSpec {
    OperationSpec {
        method: Method::GET,
        path: "/api/link/ai",
        id: "slug_suggest",
        tag: super::TAG,
        summary: "Suggest a slug",
        description: "Suggests a slug for a destination: the last part of its path, or its host. The \
                      slug is valid, and may be taken.",
        needs: LinkService::SUGGEST,
        fails: &[],
    }
}

pub(crate) async fn handle(
    context: Context,
    Query(query): Query<SuggestSlug>,
) -> Result<Json<200, SlugSuggestion>, Failure> {
    let destination = query.validate(&context.rules)?;
    let slug = context.app.links.suggested_slug(&destination);
    Ok(Json((&slug).into()))
}
