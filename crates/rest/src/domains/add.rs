//! `POST /api/domains`

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
        method: Method::POST,
        path: super::PATH,
        id: "domain_add",
        tag: super::TAG,
        summary: "Add a domain",
        description: "Gives a host links of its own, on every node within a second. Until then it was \
                      the default domain. Its name has to lead to this service, and a proxy in front \
                      needs a certificate for it.",
        needs: Domains::CHANGE,
        fails: &[Code::DomainExists],
    }
}

pub(crate) async fn handle(
    context: Context,
    ChangedBy(author): ChangedBy,
    Body(body): Body<NamedDomain>,
) -> Result<Json<201, DomainView>, Failure> {
    let domain = body.validate(&context.rules)?;
    context.app.domains.add(&domain, &author).await?;
    Ok(Json((&domain).into()))
}
