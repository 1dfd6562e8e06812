//! `/api/domains`: the hosts that have links of their own.

use actix_web::http::Method;
use slugline_application::Domains;
use slugline_contract::{Code, DomainList, DomainRemoved, DomainView, NamedDomain, RemoveDomain};
use slugline_httpkit::Failure;

use crate::{
    body::{Body, Query},
    input::{CalledBy, ChangedBy, Context, PublicOrigin},
    operation::{Operation, OperationSpec},
    reply::Json,
};

/// The group of these operations in the document.
const TAG: &str = "Domains";
const PATH: &str = "/api/domains";

/// `GET PATH`
pub(crate) fn domain_list() -> Operation {
    let spec = OperationSpec {
        tag: TAG,
        summary: "List domains",
        description: "The hosts that have links of their own, and what was decided about each. The \
                      default domain has no name and is not among them. A token that is bound to \
                      domains sees those.",
        ..OperationSpec::new(Method::GET, PATH, "domain_list", Domains::LIST)
    };
    Operation::new(spec, list)
}

async fn list(
    context: Context,
    CalledBy(caller): CalledBy,
) -> Result<Json<200, DomainList>, Failure> {
    let domains = context.app.domains.list(caller.reach()).await?;
    Ok(Json(DomainList::new(&domains)))
}

/// `POST PATH`
pub(crate) fn domain_add() -> Operation {
    let spec = OperationSpec {
        tag: TAG,
        summary: "Add a domain",
        description: "Gives a host links of its own, on every node within a second. Until then it was \
                      the default domain. Its name has to lead to this service, and a proxy in front \
                      needs a certificate for it.",
        fails: &[Code::DomainExists],
        ..OperationSpec::new(Method::POST, PATH, "domain_add", Domains::CHANGE)
    };
    Operation::new(spec, add)
}

async fn add(
    context: Context,
    ChangedBy(author): ChangedBy,
    Body(body): Body<NamedDomain>,
) -> Result<Json<201, DomainView>, Failure> {
    let domain = body.validate(&context.bounds)?;
    context.app.domains.add(&domain, &author).await?;
    Ok(Json((&domain).into()))
}

/// `PUT PATH`
pub(crate) fn domain_edit() -> Operation {
    let spec = OperationSpec {
        tag: TAG,
        summary: "Edit a domain",
        description: "Replaces what was decided about a domain. A member that is left out is left to \
                      the instance again.",
        fails: &[Code::DomainNotFound],
        ..OperationSpec::new(Method::PUT, PATH, "domain_edit", Domains::CHANGE)
    };
    Operation::new(spec, edit)
}

async fn edit(
    context: Context,
    ChangedBy(author): ChangedBy,
    Body(body): Body<NamedDomain>,
) -> Result<Json<200, DomainView>, Failure> {
    let domain = body.validate(&context.bounds)?;
    context.app.domains.edit(&domain, &author).await?;
    Ok(Json((&domain).into()))
}

/// `DELETE PATH`
pub(crate) fn domain_remove() -> Operation {
    let spec = OperationSpec {
        tag: TAG,
        summary: "Take a domain away",
        description: "Makes a host the default domain again, on every node within a second. A domain \
                      with links stays, unless `links` says what becomes of them. Moving or deleting \
                      many links happens in pieces; if a call is cut off, the same call continues.",
        fails: &[Code::DomainNotFound, Code::DomainHasLinks, Code::SlugTaken],
        ..OperationSpec::new(Method::DELETE, PATH, "domain_remove", Domains::CHANGE)
    };
    Operation::new(spec, remove)
}

async fn remove(
    context: Context,
    ChangedBy(author): ChangedBy,
    PublicOrigin(origin): PublicOrigin,
    Query(query): Query<RemoveDomain>,
) -> Result<Json<200, DomainRemoved>, Failure> {
    let (host, fate) = query.validate()?;
    let domains = context.app.domains.seen_at(origin.as_str());
    let removed = domains.remove(&host, &fate, &author).await?;
    Ok(Json(removed.into()))
}
