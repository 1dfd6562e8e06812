//! `GET /api/setup`

use actix_web::{FromRequest, HttpRequest, dev::Payload, http::Method};
use aide::OperationInput;
use slugline_application::Access;
use slugline_contract::{Finding, SetupView};
use slugline_domain::Scope;
use slugline_httpkit::{Failure, Guard, ProxyDoubt};

use crate::{
    extract::{CalledBy, Context},
    operation_spec::OperationSpec,
    reply::Json,
};

pub(crate) fn spec() -> OperationSpec {
    OperationSpec {
        method: Method::GET,
        path: "/api/setup",
        id: "setup_get",
        tag: "Set-up",
        summary: "See how the instance is set up",
        description: "Version, bounds, what is switched on, where links and visits are kept, and \
                      what may be set otherwise, worst first, with the setting or command that \
                      mends it. Nothing in it is secret; advice is for tokens with the scope \
                      `admin` only.",
        needs: Access::OPEN,
        fails: &[],
    }
}

pub(crate) async fn handle(
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

/// The problem with the proxy that the request came by.
pub(crate) struct ByProxy(Option<ProxyDoubt>);

impl FromRequest for ByProxy {
    type Error = Failure;
    type Future = std::future::Ready<Result<Self, Failure>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        std::future::ready(Ok(Self(Guard::of(request).proxy_doubt(request))))
    }
}

impl OperationInput for ByProxy {}
