//! `/api/link/migration/…`: links of an older instance.

use slugline_application::LinkMigration;
use slugline_contract::{MigrationReport, MigrationView, RunMigration};
use slugline_httpkit::Failure;

use crate::{
    body::QueryOrBody,
    input::{ChangedBy, Context},
    operation::operations,
    reply::Json,
};

operations! { "Migration";
    migration_status: GET "/api/link/migration/status" => status, LinkMigration::STATUS, [],
        "How far links have been moved here",
        "Whether the links of an older instance's key-value store are here yet, what became of \
         them, and which entries could not be moved. Complete where there is nothing to move.";
    migration_run: POST "/api/link/migration/run" => run, LinkMigration::RUN,
        [InvalidCursor, MigrationRunGone, MigrationPageDone],
        "Move a page of links here",
        "Moves some links from an older instance's key-value store, which stays as it is. Call it \
         until `list_complete` is true, with `cursor` or without: a run goes on where it is, also \
         after a failure. Links that are here are not changed. Entries that hold no link are named \
         in the report and stop nothing.";
}

async fn status(context: Context) -> Result<Json<200, MigrationView>, Failure> {
    let status = context.app.migration.status().await?;
    Ok(Json((&status).into()))
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
