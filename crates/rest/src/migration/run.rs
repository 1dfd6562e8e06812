//! `POST /api/link/migration/run`

use actix_web::http::Method;
use slugline_application::LinkMigration;
use slugline_contract::{Code, MigrationReport, RunMigration};
use slugline_httpkit::Failure;

use crate::{
    extract::{ChangedBy, Context, QueryOrBody},
    operation_spec::OperationSpec,
    reply::Json,
};

pub(crate) fn spec() -> OperationSpec {
    OperationSpec {
        method: Method::POST,
        path: "/api/link/migration/run",
        id: "migration_run",
        tag: super::TAG,
        summary: "Move a page of links here",
        description: "Moves some links from an older instance's key-value store, which stays as \
                      it is. Call it until `list_complete` is true, with `cursor` or without: a \
                      run goes on where it is, also after a failure. Links that are here are not \
                      changed. Entries that hold no link are named in the report and stop nothing.",
        needs: LinkMigration::RUN,
        fails: &[
            Code::InvalidCursor,
            Code::MigrationRunGone,
            Code::MigrationPageDone,
        ],
    }
}

pub(crate) async fn handle(
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
