//! `PUT /api/domains`

use actix_web::http::Method;
use slugline_application::Domains;
use slugline_contract::{Code, DomainView, NamedDomain};
use slugline_httpkit::Failure;

use crate::{
    extract::{Body, ChangedBy, Context},
    operation_spec::OperationSpec,
    reply::Json,
};

pub(crate) fn spec() -> OperationSpec {
    OperationSpec {
        method: Method::PUT,
        path: super::PATH,
        id: "domain_edit",
        tag: super::TAG,
        summary: "Edit a domain",
        description: "Replaces what was decided about a domain. A member that is left out is left to \
                      the instance again.",
        needs: Domains::CHANGE,
        fails: &[Code::DomainNotFound],
    }
}

pub(crate) async fn handle(
    context: Context,
    ChangedBy(author): ChangedBy,
    Body(body): Body<NamedDomain>,
) -> Result<Json<200, DomainView>, Failure> {
    let domain = body.validate(&context.rules)?;
    context.app.domains.edit(&domain, &author).await?;
    Ok(Json((&domain).into()))
}
