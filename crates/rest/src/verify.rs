//! `GET /api/verify`, with which clients check their token.

use actix_web::http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use slugline_application::{Access, Caller};
use slugline_contract::CallersToken;
use slugline_httpkit::Failure;

use crate::{
    extract::{CalledBy, Context, PublicOrigin},
    operation_spec::OperationSpec,
    reply::Json,
};

/// The caller.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Identity {
    /// The software's name.
    name: &'static str,
    /// The address of this instance.
    url: String,
    /// The way the caller was recognised: `site-token`, or `token` for a named one.
    auth_method: &'static str,
    /// Always `root`.
    #[serde(rename = "userID")]
    user_id: &'static str,
    /// `root` at this host.
    user_email: String,
    /// True if another way of signing in is configured.
    access_enabled: bool,
    #[serde(flatten)]
    token: CallersToken,
}

pub(crate) fn spec() -> OperationSpec {
    OperationSpec {
        method: Method::GET,
        path: "/api/verify",
        id: "token_verify",
        tag: "Access",
        summary: "Check the token",
        description: "Answers when the token is right, with its name, its scopes and the links that it is bound to; 401 \
                      otherwise.",
        needs: Access::OPEN,
        fails: &[],
    }
}

pub(crate) async fn handle(
    context: Context,
    PublicOrigin(origin): PublicOrigin,
    CalledBy(caller): CalledBy,
) -> Result<Json<200, Identity>, Failure> {
    let listed = match &caller {
        Caller::Token(record) => Some(context.app.tokens.listed((**record).clone()).await?),
        Caller::Site | Caller::Operator => None,
    };
    Ok(Json(Identity {
        name: "Slugline",
        url: origin.to_string(),
        auth_method: match caller {
            Caller::Token(_) => "token",
            Caller::Site | Caller::Operator => "site-token",
        },
        user_id: "root",
        user_email: format!("root@{}", origin.host_name()),
        access_enabled: false,
        token: CallersToken::new(&caller, listed.as_ref()),
    }))
}
