//! `DELETE /api/stats`

use actix_web::http::Method;
use slugline_application::VisitErasures;
use slugline_contract::{Code, EraseVisits, ErasedVisits};
use slugline_domain::Erasure;
use slugline_httpkit::Failure;

use crate::{
    extract::{ChangedBy, Context, Query},
    operation_spec::OperationSpec,
    reply::{Either, Json},
};

pub(crate) fn spec() -> OperationSpec {
    OperationSpec {
        method: Method::DELETE,
        path: "/api/stats",
        id: "visits_erase",
        tag: super::TAG,
        summary: "Erase the visits of a link",
        description: "Erases every visit of a link that was recorded before the answer, for good. Later \
                      visits are new, and the link stays. `slug` names a link, `id` also one that no \
                      longer exists. 200 says that no answer has the visits any more. 202 says that the \
                      order is stored and ClickHouse has not carried it out yet; send it again to see \
                      whether it has.",
        needs: VisitErasures::ERASE,
        fails: &[Code::LinkNotFound],
    }
}

pub(crate) async fn handle(
    context: Context,
    ChangedBy(author): ChangedBy,
    Query(query): Query<EraseVisits>,
) -> Result<Either<Json<200, ErasedVisits>, Json<202, ErasedVisits>>, Failure> {
    let which = query.validate()?;
    let (link, erasure) = context.app.erasures.erase(which, &author).await?;
    let shown = ErasedVisits::new(&link, erasure);
    Ok(match erasure {
        Erasure::Done => Either::Left(Json(shown)),
        Erasure::Kept => Either::Right(Json(shown)),
    })
}
