//! `/api/domains`: the hosts that have links of their own.

use slugline_application::Domains;
use slugline_contract::{DomainList, DomainRemoved, DomainView, NamedDomain, RemoveDomain};
use slugline_httpkit::Failure;

use crate::{
    body::{Body, Query},
    input::{CalledBy, ChangedBy, Context, PublicUrl},
    operation::operations,
    reply::Json,
};

const PATH: &str = "/api/domains";

operations! { "Domains";
    domain_list: GET PATH => list, Domains::LIST, [],
        "List domains",
        "The hosts that have links of their own, and what was decided about each. The default \
         domain has no name and is not among them. A token that is bound to domains sees those.";
    domain_add: POST PATH => add, Domains::CHANGE, [DomainExists],
        "Add a domain",
        "Gives a host links of its own, on every node within a second. Until then it was the \
         default domain. Its name has to lead to this service, and a proxy in front needs a \
         certificate for it.";
    domain_edit: PUT PATH => edit, Domains::CHANGE, [DomainNotFound],
        "Edit a domain",
        "Replaces what was decided about a domain. A member that is left out is left to the \
         instance again.";
    domain_remove: DELETE PATH => remove, Domains::CHANGE,
        [DomainNotFound, DomainHasLinks, SlugTaken],
        "Take a domain away",
        "Makes a host the default domain again, on every node within a second. A domain with links \
         stays, unless `links` says what becomes of them. Moving or deleting many links happens in \
         pieces; if a call is cut off, the same call continues.";
}

async fn list(
    context: Context,
    CalledBy(caller): CalledBy,
) -> Result<Json<200, DomainList>, Failure> {
    let domains = context.app.domains.list(caller.reach()).await?;
    Ok(Json(DomainList::new(&domains)))
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

async fn edit(
    context: Context,
    ChangedBy(author): ChangedBy,
    Body(body): Body<NamedDomain>,
) -> Result<Json<200, DomainView>, Failure> {
    let domain = body.validate(&context.bounds)?;
    context.app.domains.edit(&domain, &author).await?;
    Ok(Json((&domain).into()))
}

async fn remove(
    context: Context,
    ChangedBy(author): ChangedBy,
    PublicUrl(base): PublicUrl,
    Query(query): Query<RemoveDomain>,
) -> Result<Json<200, DomainRemoved>, Failure> {
    let (host, fate) = query.validate()?;
    let domains = context.app.domains.seen_at(&base);
    let removed = domains.remove(&host, &fate, &author).await?;
    Ok(Json(removed.into()))
}
