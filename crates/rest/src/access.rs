//! Tokens, and the caller of a request.

use schemars::JsonSchema;
use serde::Serialize;
use slugline_application::{Access, Caller, Forbidden, Tokens};
use slugline_contract::{
    CallersToken, Location, MakeToken, RevokeToken, SignIn, SignedIn, TokenList, TokenMade,
};
use slugline_httpkit::Failure;

use crate::{
    body::{Body, Query},
    input::{CalledBy, ChangedBy, ClientPlace, CodeDesk, Context, PublicUrl},
    operation::operations,
    reply::{Headed, Json, NoContent},
};

const TOKENS: &str = "/api/tokens";

operations! { "Access";
    token_list: GET TOKENS => list, Tokens::NEEDS, [],
        "List tokens",
        "Every named token by name, with its scopes, its end and its last use. The site token is \
         not among them, and the secret texts are stored nowhere.";
    token_make: POST TOKENS => make, Tokens::NEEDS, [TokenNameTaken],
        "Make a token",
        "Makes a token with these scopes. The answer is the only one that shows its text; a lost \
         token is revoked and made again.";
    token_revoke: DELETE TOKENS => revoke, Tokens::NEEDS, [TokenNotFound],
        "Revoke a token",
        "Ends a token for good, on every node, from now on. Its name is free again.";
    token_verify: GET "/api/verify" => verify, Access::OPEN, [],
        "Check the token",
        "Answers when the token is right, with its name, its scopes and the links that it is bound \
         to; 401 otherwise.";
    code_redeem: POST "/_dashboard/sign-in" => redeem, Access::without_token(Forbidden::Tokens),
        [Unauthorized, TooManyAttempts, InternalError, Unavailable],
        "Exchange a one-time code for the site token",
        "The first start and `slugline token show` print an address of the dashboard with a code, \
         which is valid once, for ten minutes. Answers with the site token. Wrong codes count as \
         wrong tokens do.";
    location_get: GET "/api/location" => locate, Access::OPEN, [],
        "Where the caller is",
        "Coordinates of the caller's own address, for a map to open at; an empty object when they \
         are unknown.";
}

async fn list(context: Context) -> Result<Json<200, TokenList>, Failure> {
    let tokens = context.app.tokens.list().await?;
    Ok(Json(TokenList::new(&tokens)))
}

async fn make(
    context: Context,
    ChangedBy(author): ChangedBy,
    Body(body): Body<MakeToken>,
) -> Result<Headed<Json<201, TokenMade>>, Failure> {
    let made = context.app.tokens.make(body.validate()?, &author).await?;
    Ok(Headed::secret(Json((&made).into())))
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

async fn verify(
    context: Context,
    PublicUrl(base): PublicUrl,
    CalledBy(caller): CalledBy,
) -> Result<Json<200, Identity>, Failure> {
    let listed = match &caller {
        Caller::Token(record) => Some(context.app.tokens.listed((**record).clone()).await?),
        Caller::Site | Caller::Operator => None,
    };
    Ok(Json(Identity {
        name: "Slugline",
        url: base.to_string(),
        auth_method: match caller {
            Caller::Token(_) => "token",
            Caller::Site | Caller::Operator => "site-token",
        },
        user_id: "root",
        user_email: format!("root@{}", base.origin().host_name()),
        access_enabled: false,
        token: CallersToken::new(&caller, listed.as_ref()),
    }))
}

async fn redeem(
    desk: CodeDesk,
    Body(body): Body<SignIn>,
) -> Result<Headed<Json<200, SignedIn>>, Failure> {
    let token = desk.redeem(&body.validate()?).await?;
    Ok(Headed::secret(Json(SignedIn { token })))
}

async fn locate(ClientPlace(place): ClientPlace) -> Result<Json<200, Location>, Failure> {
    Ok(Json(place.coordinates.into()))
}
