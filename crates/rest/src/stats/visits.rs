//! `GET /api/logs/export`

use actix_web::http::Method;
use slugline_application::StatsService;
use slugline_contract::ExportVisits;
use slugline_httpkit::Failure;

use crate::{
    extract::{Query, Statistics},
    operation_spec::OperationSpec,
    visit_body::VisitBody,
};

pub(crate) fn spec() -> OperationSpec {
    OperationSpec {
        method: Method::GET,
        path: "/api/logs/export",
        id: "logs_export",
        tag: super::TAG,
        summary: "Export visits",
        description: "The visits themselves, as they are stored, in the order of storage: a JSON \
                      object per line, or CSV with a header. Each visit that was stored when the \
                      export began, and was not deleted meanwhile, comes once. An export that \
                      cannot go on breaks the answer off, which clients report as an error. In \
                      CSV, texts that a spreadsheet would run begin with an apostrophe.",
        needs: StatsService::NEEDS,
        fails: super::FAILS,
    }
}

pub(crate) async fn handle(
    Statistics(stats): Statistics,
    Query(query): Query<ExportVisits>,
) -> Result<VisitBody, Failure> {
    let (file, asked) = query.validate()?;
    let export = stats.visits(asked).await?;
    Ok(VisitBody::start(file, export).await?)
}
