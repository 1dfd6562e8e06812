//! `POST /_dashboard/sign-in`, with which the dashboard exchanges a one-time code.
//!
//! It is below the dashboard's path, so that whatever guards the one in front of the service
//! guards the other.

use actix_web::http::Method;
use slugline_application::{Access, Forbidden};
use slugline_contract::{Code, SignIn, SignedIn};
use slugline_httpkit::Failure;

use crate::{
    extract::{Body, CodeDesk},
    operation_spec::OperationSpec,
    reply::Json,
};

pub(crate) fn spec() -> OperationSpec {
    OperationSpec {
        method: Method::POST,
        path: "/_dashboard/sign-in",
        id: "code_redeem",
        tag: "Access",
        summary: "Exchange a one-time code for the site token",
        description: "The first start and `slugline token show` print an address of the dashboard \
                      with a code, which is valid once, for ten minutes. Answers with the site \
                      token. Wrong codes count as wrong tokens do.",
        needs: Access::without_token(Forbidden::Tokens),
        fails: &[
            Code::Unauthorized,
            Code::TooManyAttempts,
            Code::InternalError,
            Code::Unavailable,
        ],
    }
}

pub(crate) async fn handle(
    desk: CodeDesk,
    Body(body): Body<SignIn>,
) -> Result<Json<200, SignedIn>, Failure> {
    let token = desk.redeem(&body.validate()?).await?;
    Ok(Json(SignedIn { token }))
}
