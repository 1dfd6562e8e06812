//! `/api/link/migration/…`: links of an older instance.

use actix_web::http::Method;
use slugline_application::LinkMigration;
use slugline_contract::{Code, MigrationReport, MigrationView, RunMigration};
use slugline_httpkit::Failure;

use crate::{
    body::QueryOrBody,
    input::{ChangedBy, Context},
    operation::{Operation, OperationSpec},
    reply::Json,
};

/// The group of these operations in the document.
const TAG: &str = "Migration";

/// `GET /api/link/migration/status`
pub(crate) fn migration_status() -> Operation {
    let spec = OperationSpec {
        tag: TAG,
        summary: "How far links have been moved here",
        description: "Whether the links of an older instance's key-value store are here yet, what \
                      became of them, and which entries could not be moved. Complete where there \
                      is nothing to move.",
        ..OperationSpec::new(
            Method::GET,
            "/api/link/migration/status",
            "migration_status",
            LinkMigration::STATUS,
        )
    };
    Operation::new(spec, status)
}

async fn status(context: Context) -> Result<Json<200, MigrationView>, Failure> {
    let status = context.app.migration.status().await?;
    Ok(Json((&status).into()))
}

/// `POST /api/link/migration/run`
pub(crate) fn migration_run() -> Operation {
    let spec = OperationSpec {
        tag: TAG,
        summary: "Move a page of links here",
        description: "Moves some links from an older instance's key-value store, which stays as \
                      it is. Call it until `list_complete` is true, with `cursor` or without: a \
                      run goes on where it is, also after a failure. Links that are here are not \
                      changed. Entries that hold no link are named in the report and stop nothing.",
        fails: &[
            Code::InvalidCursor,
            Code::MigrationRunGone,
            Code::MigrationPageDone,
        ],
        ..OperationSpec::new(
            Method::POST,
            "/api/link/migration/run",
            "migration_run",
            LinkMigration::RUN,
        )
    };
    Operation::new(spec, run)
}

async fn run(
    context: Context,
    ChangedBy(author): ChangedBy,
    QueryOrBody(request): QueryOrBody<RunMigration>,
) -> Result<Json<200, MigrationReport>, Failure> {
    let report = context
        .app
        .migration
        .run(request.validate()?, &author)
        .await?;
    Ok(Json((&report).into()))
}
