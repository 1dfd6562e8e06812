//! `DELETE /api/tokens`

use actix_web::http::Method;
use slugline_application::Tokens;
use slugline_contract::{Code, RevokeToken};
use slugline_httpkit::Failure;

use crate::{
    extract::{Context, Query},
    registrar::OperationSpec,
    reply::NoContent,
};

pub(crate) fn spec() -> OperationSpec {
    OperationSpec {
        method: Method::DELETE,
        path: super::PATH,
        id: "token_revoke",
        tag: super::TAG,
        summary: "Revoke a token",
        description: "Ends a token for good, on every node, from now on. Its name is free again.",
        needs: Tokens::NEEDS,
        fails: &[Code::TokenNotFound],
    }
}

pub(crate) async fn handle(
    context: Context,
    Query(query): Query<RevokeToken>,
) -> Result<NoContent, Failure> {
    context.app.tokens.revoke(&query.validate()?).await?;
    Ok(NoContent)
}
