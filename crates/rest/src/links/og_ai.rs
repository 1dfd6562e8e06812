//! `GET /api/link/og-ai`

use actix_web::http::Method;
use slugline_application::LinkService;
use slugline_contract::{PreviewSuggestion, SuggestPreview};
use slugline_domain::SuggestedPreview;
use slugline_httpkit::Failure;

use crate::{
    extract::{Context, Query},
    operation_spec::OperationSpec,
    reply::Json,
};

pub(crate) fn spec() -> OperationSpec {
    OperationSpec {
        method: Method::GET,
        path: "/api/link/og-ai",
        id: "preview_suggest",
        tag: super::TAG,
        summary: "Suggest a preview",
        description: "Suggests a title and a text for the preview of a destination: its host, and \
                      a sentence with its address.",
        needs: LinkService::SUGGEST,
        fails: &[],
    }
}

pub(crate) async fn handle(
    context: Context,
    Query(query): Query<SuggestPreview>,
) -> Result<Json<200, PreviewSuggestion>, Failure> {
    let destination = query.validate(&context.rules)?;
    Ok(Json(
        (&SuggestedPreview::from_destination(&destination)).into(),
    ))
}
