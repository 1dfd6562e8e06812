//! Tokens, and the caller of a request.

use actix_web::http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use slugline_application::{Access, Caller, Forbidden, Tokens};
use slugline_contract::{
    CallersToken, Code, Location, MakeToken, RevokeToken, SignIn, SignedIn, TokenList, TokenMade,
};
use slugline_httpkit::Failure;

use crate::{
    body::{Body, Query},
    input::{CalledBy, ChangedBy, ClientPlace, CodeDesk, Context, PublicOrigin},
    operation::{Operation, OperationSpec},
    reply::{Json, NoContent},
};

/// The group of these operations in the document.
const TAG: &str = "Access";
const TOKENS: &str = "/api/tokens";

/// `GET TOKENS`
pub(crate) fn token_list() -> Operation {
    let spec = OperationSpec {
        tag: TAG,
        summary: "List tokens",
        description: "Every named token by name, with its scopes, its end and its last use. The \
                      site token is not among them, and the secret texts are stored nowhere.",
        ..OperationSpec::new(Method::GET, TOKENS, "token_list", Tokens::NEEDS)
    };
    Operation::new(spec, list)
}

async fn list(context: Context) -> Result<Json<200, TokenList>, Failure> {
    let tokens = context.app.tokens.list().await?;
    Ok(Json(TokenList::new(&tokens)))
}

/// `POST TOKENS`
pub(crate) fn token_make() -> Operation {
    let spec = OperationSpec {
        tag: TAG,
        summary: "Make a token",
        description: "Makes a token with these scopes. The answer is the only one that shows its \
                      text; a lost token is revoked and made again.",
        fails: &[Code::TokenNameTaken],
        ..OperationSpec::new(Method::POST, TOKENS, "token_make", Tokens::NEEDS)
    };
    Operation::new(spec, make)
}

async fn make(
    context: Context,
    ChangedBy(author): ChangedBy,
    Body(body): Body<MakeToken>,
) -> Result<Json<201, TokenMade>, Failure> {
    let made = context.app.tokens.make(body.validate()?, &author).await?;
    Ok(Json((&made).into()))
}

/// `DELETE TOKENS`
pub(crate) fn token_revoke() -> Operation {
    let spec = OperationSpec {
        tag: TAG,
        summary: "Revoke a token",
        description: "Ends a token for good, on every node, from now on. Its name is free again.",
        fails: &[Code::TokenNotFound],
        ..OperationSpec::new(Method::DELETE, TOKENS, "token_revoke", Tokens::NEEDS)
    };
    Operation::new(spec, revoke)
}

async fn revoke(
    context: Context,
    ChangedBy(author): ChangedBy,
    Query(query): Query<RevokeToken>,
) -> Result<NoContent, Failure> {
    let name = query.validate()?;
    context.app.tokens.revoke(&name, &author).await?;
    Ok(NoContent)
}

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

/// `GET /api/verify`
pub(crate) fn token_verify() -> Operation {
    let spec = OperationSpec {
        tag: TAG,
        summary: "Check the token",
        description: "Answers when the token is right, with its name, its scopes and the links that it is bound to; 401 \
                      otherwise.",
        ..OperationSpec::new(Method::GET, "/api/verify", "token_verify", Access::OPEN)
    };
    Operation::new(spec, verify)
}

async fn verify(
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

/// `POST /_dashboard/sign-in`
pub(crate) fn code_redeem() -> Operation {
    let spec = OperationSpec {
        tag: TAG,
        summary: "Exchange a one-time code for the site token",
        description: "The first start and `slugline token show` print an address of the dashboard \
                      with a code, which is valid once, for ten minutes. Answers with the site \
                      token. Wrong codes count as wrong tokens do.",
        fails: &[
            Code::Unauthorized,
            Code::TooManyAttempts,
            Code::InternalError,
            Code::Unavailable,
        ],
        ..OperationSpec::new(
            Method::POST,
            "/_dashboard/sign-in",
            "code_redeem",
            Access::without_token(Forbidden::Tokens),
        )
    };
    Operation::new(spec, redeem)
}

async fn redeem(desk: CodeDesk, Body(body): Body<SignIn>) -> Result<Json<200, SignedIn>, Failure> {
    let token = desk.redeem(&body.validate()?).await?;
    Ok(Json(SignedIn { token }))
}

/// `GET /api/location`
pub(crate) fn location_get() -> Operation {
    let spec = OperationSpec {
        tag: TAG,
        summary: "Where the caller is",
        description: "Coordinates of the caller's own address, for a map to open at; an empty \
                      object when they are unknown.",
        ..OperationSpec::new(Method::GET, "/api/location", "location_get", Access::OPEN)
    };
    Operation::new(spec, locate)
}

async fn locate(ClientPlace(place): ClientPlace) -> Result<Json<200, Location>, Failure> {
    Ok(Json(place.coordinates.into()))
}
