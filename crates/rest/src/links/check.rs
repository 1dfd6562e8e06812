//! `POST /api/link/check`

use actix_web::{FromRequest, HttpRequest, dev::Payload, http::Method};
use aide::OperationInput;
use slugline_application::LinkChecker;
use slugline_contract::{CheckLinks, Code, LinkChecks};
use slugline_domain::ProbeCaller;
use slugline_httpkit::{Failure, probe_caller};

use crate::{
    extract::{Body, CalledBy, Context},
    operation_spec::OperationSpec,
    reply::Json,
};

pub(crate) fn spec() -> OperationSpec {
    OperationSpec {
        method: Method::POST,
        path: "/api/link/check",
        id: "link_check",
        tag: super::TAG,
        summary: "Check links",
        description: "Asks the destinations of links, expired ones too, whether they answer: a few \
                      links at a time, by slug. `slug`, `tag` and `onlyBroken` narrow it down. Pass `cursor` back until `list_complete` is \
                      true. Destinations are told the `Accept-Language` and `User-Agent` of this \
                      request. Destinations that are not on the public internet are not asked.",
        needs: LinkChecker::CHECK,
        fails: &[Code::InvalidCursor, Code::QueryTimeout],
    }
}

pub(crate) async fn handle(
    context: Context,
    CalledBy(caller): CalledBy,
    Client(client): Client,
    Body(body): Body<CheckLinks>,
) -> Result<Json<200, LinkChecks>, Failure> {
    let check = body.validate(client)?;
    let scope = check.scope.clone();
    let page = context.app.checks.check(&caller, check).await?;
    Ok(Json(LinkChecks::new(&page, &scope)))
}

/// The facts about this request that destinations get.
pub(crate) struct Client(ProbeCaller);

impl FromRequest for Client {
    type Error = Failure;
    type Future = std::future::Ready<Result<Self, Failure>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        std::future::ready(Ok(Self(probe_caller(request))))
    }
}

impl OperationInput for Client {}
