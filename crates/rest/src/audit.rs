//! `GET /api/audit`

use actix_web::http::Method;
use slugline_application::AuditService;
use slugline_contract::{AuditList, Code, ListAudit};
use slugline_httpkit::Failure;

use crate::{
    extract::{Context, Query},
    operation_spec::OperationSpec,
    reply::Json,
};

pub(crate) fn spec() -> OperationSpec {
    OperationSpec {
        method: Method::GET,
        path: "/api/audit",
        id: "audit_list",
        tag: "Audit",
        summary: "List changes",
        description: "Who changed what, the newest change first: a line for each link that was \
                      created, edited, deleted, imported or moved here, and for each token that \
                      was added or revoked. Requests that changed nothing have no line. Pass \
                      `cursor` back until `list_complete` is true. `SLUGLINE_AUDIT_DAYS` says how \
                      long lines are kept.",
        needs: AuditService::LIST,
        fails: &[Code::InvalidCursor],
    }
}

pub(crate) async fn handle(
    context: Context,
    Query(query): Query<ListAudit>,
) -> Result<Json<200, AuditList>, Failure> {
    let page = context.app.audit.list(query.validate()?).await?;
    Ok(Json(AuditList::new(&query, &page)))
}
