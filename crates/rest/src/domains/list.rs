//! `GET /api/domains`

use actix_web::http::Method;
use slugline_application::Domains;
use slugline_contract::DomainList;
use slugline_httpkit::Failure;

use crate::{
    extract::{CalledBy, Context},
    operation_spec::OperationSpec,
    reply::Json,
};

pub(crate) fn spec() -> OperationSpec {
    OperationSpec {
        method: Method::GET,
        path: super::PATH,
        id: "domain_list",
        tag: super::TAG,
        summary: "List domains",
        description: "The hosts that have links of their own, and what was decided about each. The \
                      default domain has no name and is not among them. A token that is bound to \
                      domains sees those.",
        needs: Domains::LIST,
        fails: &[],
    }
}

pub(crate) async fn handle(
    context: Context,
    CalledBy(caller): CalledBy,
) -> Result<Json<200, DomainList>, Failure> {
    let domains = context.app.domains.list(caller.reach()).await?;
    Ok(Json(DomainList::new(&domains)))
}
