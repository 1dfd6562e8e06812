//! `GET /api/tokens`

use actix_web::http::Method;
use slugline_application::Tokens;
use slugline_contract::TokenList;
use slugline_httpkit::Failure;

use crate::{extract::Context, operation_spec::OperationSpec, reply::Json};

pub(crate) fn spec() -> OperationSpec {
    OperationSpec {
        method: Method::GET,
        path: super::PATH,
        id: "token_list",
        tag: super::TAG,
        summary: "List tokens",
        description: "Every named token by name, with its scopes, its end and its last use. The \
                      site token is not among them, and the secret texts are stored nowhere.",
        needs: Tokens::NEEDS,
        fails: &[],
    }
}

pub(crate) async fn handle(context: Context) -> Result<Json<200, TokenList>, Failure> {
    let tokens = context.app.tokens.list().await?;
    Ok(Json(TokenList::new(&tokens)))
}
