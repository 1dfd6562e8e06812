//! The instance: its set-up and its audit trail.

use slugline_application::{Access, AuditService};
use slugline_contract::{AuditList, Finding, ListAudit, SetupView};
use slugline_domain::Scope;
use slugline_httpkit::{Failure, ProxyDoubt};

use crate::{
    body::Query,
    input::{ByProxy, CalledBy, Context},
    operation::operations,
    reply::Json,
};

operations! { "Set-up";
    setup_get: GET "/api/setup" => setup, Access::OPEN, [],
        "See how the instance is set up",
        "Version, bounds, what is switched on, where links and visits are kept, and what may be \
         set otherwise, worst first, with the setting or command that mends it. Nothing in it is \
         secret; advice is for tokens with the scope `admin` only.";
}

operations! { "Audit";
    audit_list: GET "/api/audit" => audit, AuditService::LIST, [InvalidCursor],
        "List changes",
        "Who changed what, the newest change first: a line for each link that was created, edited, \
         deleted, imported or moved here, and for each token that was added or revoked. Requests \
         that changed nothing have no line. Pass `cursor` back until `list_complete` is true. \
         `SLUGLINE_AUDIT_DAYS` says how long lines are kept.";
}

async fn setup(
    context: Context,
    CalledBy(caller): CalledBy,
    ByProxy(doubt): ByProxy,
) -> Result<Json<200, SetupView>, Failure> {
    let mut setup = SetupView::clone(&context.setup);
    let migration_required = context.app.links.permit(Access::LINKS_ARE_HERE).is_err();
    setup.switches.migration_required = migration_required;
    if caller.may(Scope::Admin).is_err() {
        setup.findings.clear();
        return Ok(Json(setup));
    }
    let troubles = context.app.stats.log_troubles();
    setup
        .findings
        .extend(troubles.into_iter().map(Finding::from));
    if context.links_watch.is_damaged() {
        setup.findings.push(Finding::links_damaged());
    }
    if migration_required {
        setup.findings.push(Finding::migration_required());
    }
    setup.findings.extend(doubt.map(|doubt| match doubt {
        ProxyDoubt::Untrusted { peer, sent } => Finding::untrusted_proxy(peer, sent.as_str()),
        ProxyDoubt::OtherHeader {
            peer,
            sent,
            believed,
        } => Finding::other_client_header(peer, sent.as_str(), believed.as_str()),
    }));
    if let Some(outside) = &context.outside {
        setup.findings.extend(outside.findings().await);
    }
    setup.findings.sort_by_key(|finding| finding.level);
    Ok(Json(setup))
}

async fn audit(
    context: Context,
    Query(query): Query<ListAudit>,
) -> Result<Json<200, AuditList>, Failure> {
    let page = context.app.audit.list(query.validate()?).await?;
    Ok(Json(AuditList::new(&query, &page)))
}
