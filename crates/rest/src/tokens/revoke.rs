//! `DELETE /api/tokens`

use actix_web::http::Method;
use slugline_application::Tokens;
use slugline_contract::{Code, RevokeToken};
use slugline_httpkit::Failure;

use crate::{
    extract::{ChangedBy, Context, Query},
    operation_spec::OperationSpec,
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
    ChangedBy(author): ChangedBy,
    Query(query): Query<RevokeToken>,
) -> Result<NoContent, Failure> {
    let name = query.validate()?;
    context.app.tokens.revoke(&name, &author).await?;
    Ok(NoContent)
}
