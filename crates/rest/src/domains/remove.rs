//! `DELETE /api/domains`

use actix_web::http::Method;
use slugline_application::Domains;
use slugline_contract::{Code, DomainRemoved, RemoveDomain};
use slugline_httpkit::Failure;

use crate::{
    extract::{ChangedBy, Context, Query},
    operation_spec::OperationSpec,
    reply::Json,
};

pub(crate) fn spec() -> OperationSpec {
    OperationSpec {
        method: Method::DELETE,
        path: super::PATH,
        id: "domain_remove",
        tag: super::TAG,
        summary: "Take a domain away",
        description: "Makes a host the default domain again, on every node within a second. A domain \
                      with links stays, unless `links` says what becomes of them. Moving or deleting \
                      many links happens in pieces; if a call is cut off, the same call continues.",
        needs: Domains::CHANGE,
        fails: &[Code::DomainNotFound, Code::DomainHasLinks, Code::SlugTaken],
    }
}

pub(crate) async fn handle(
    context: Context,
    ChangedBy(author): ChangedBy,
    Query(query): Query<RemoveDomain>,
) -> Result<Json<200, DomainRemoved>, Failure> {
    let (host, fate) = query.validate()?;
    let removed = context.app.domains.remove(&host, &fate, &author).await?;
    Ok(Json(removed.into()))
}
