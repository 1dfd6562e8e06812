//! `GET /api/link/migration/status`

use actix_web::http::Method;
use slugline_application::LinkMigration;
use slugline_contract::MigrationView;
use slugline_httpkit::Failure;

use crate::{extract::Context, operation_spec::OperationSpec, reply::Json};

pub(crate) fn spec() -> OperationSpec {
    OperationSpec {
        method: Method::GET,
        path: "/api/link/migration/status",
        id: "migration_status",
        tag: super::TAG,
        summary: "How far links have been moved here",
        description: "Whether the links of an older instance's key-value store are here yet, what \
                      became of them, and which entries could not be moved. Complete where there \
                      is nothing to move.",
        needs: LinkMigration::STATUS,
        fails: &[],
    }
}

pub(crate) async fn handle(context: Context) -> Result<Json<200, MigrationView>, Failure> {
    let status = context.app.migration.status().await?;
    Ok(Json((&status).into()))
}
