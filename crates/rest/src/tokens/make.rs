//! `POST /api/tokens`

use actix_web::http::Method;
use slugline_application::Tokens;
use slugline_contract::{Code, MakeToken, TokenMade};
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
        id: "token_make",
        tag: super::TAG,
        summary: "Make a token",
        description: "Makes a token with these scopes. The answer is the only one that shows its \
                      text; a lost token is revoked and made again.",
        needs: Tokens::NEEDS,
        fails: &[Code::TokenNameTaken],
    }
}

pub(crate) async fn handle(
    context: Context,
    ChangedBy(author): ChangedBy,
    Body(body): Body<MakeToken>,
) -> Result<Json<201, TokenMade>, Failure> {
    let made = context.app.tokens.make(body.validate()?, &author).await?;
    Ok(Json((&made).into()))
}
