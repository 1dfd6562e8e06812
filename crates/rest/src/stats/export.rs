//! `GET /api/stats/export`

use actix_web::http::Method;
use slugline_application::StatsService;
use slugline_contract::{AnalyticsFilter, csv_file_name};
use slugline_httpkit::Failure;

use crate::{
    csv::Csv,
    extract::{Query, Statistics},
    operation_spec::OperationSpec,
};

pub(crate) fn spec() -> OperationSpec {
    OperationSpec {
        method: Method::GET,
        path: "/api/stats/export",
        id: "stats_export",
        tag: super::TAG,
        summary: "Totals by link as a file",
        description: "A CSV file for spreadsheets, in UTF-8: slug, destination, visitors, visits \
                      and referers of each slug and destination, most visits first. The header \
                      `Slugline-Exact` is `false` if some of these numbers are estimates or lack \
                      visits, as `sampling.exact` of other answers.",
        needs: StatsService::NEEDS,
        fails: super::FAILS,
    }
}

pub(crate) async fn handle(
    Statistics(stats): Statistics,
    Query(query): Query<AnalyticsFilter>,
) -> Result<Csv, Failure> {
    let export = stats.access(query.validate()?).await?;
    let file_name = csv_file_name(export.exported_at);
    Ok(Csv::start(file_name, export.rows).await?)
}
