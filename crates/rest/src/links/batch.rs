//! `POST /api/link/batch`

use actix_web::http::Method;
use slugline_application::LinkService;
use slugline_contract::{BatchLinks, Code, LinkBatch};
use slugline_httpkit::{Failure, report};

use crate::{
    extract::{Body, CalledBy, Changes, Context},
    operation_spec::OperationSpec,
    repeatable::{Once, Repeatable, once_at_length},
    reply::Json,
};

pub(crate) fn spec() -> OperationSpec {
    OperationSpec {
        method: Method::POST,
        path: "/api/link/batch",
        id: "link_batch",
        tag: super::TAG,
        summary: "Change or delete many links",
        description: "Deletes links, adds or removes tags, sets or removes the expiry: of up to \
                      500 `slugs`, or of the links that meet a `filter`, 500 by slug at a time; \
                      pass `cursor` back until `list_complete` is true. Each link is changed \
                      wholly or not at all, one by one: there is a result for each, and what was \
                      done before a failure stays. Sending a request again is harmless; links \
                      that are that way already are `unchanged`, or `notFound` when they were \
                      to be deleted. `dryRun` changes nothing and tells what would happen.",
        needs: LinkService::EDIT,
        fails: &[
            Code::InvalidCursor,
            Code::QueryTimeout,
            Code::IdempotencyKeyInUse,
            Code::IdempotencyKeyReused,
        ],
    }
}

pub(crate) async fn handle(
    context: Context,
    CalledBy(caller): CalledBy,
    Changes(links): Changes,
    Repeatable { body, request }: Repeatable<Body<BatchLinks>>,
) -> Result<Once<Json<200, LinkBatch>>, Failure> {
    let Body(body) = body;
    let change = body.validate()?;
    // What is only tried may be tried again.
    let request = request.filter(|_| !change.dry_run);
    let work = async || {
        let done = links.change_many(change).await?;
        let is_final = done.is_final();
        Ok((LinkBatch::new(&body, done, report), is_final))
    };
    let show = |(shown, _): &(LinkBatch, bool)| Json(shown.clone());
    let repeats = &context.app.repeats;
    once_at_length(
        repeats,
        &caller,
        request,
        show,
        |(_, is_final)| *is_final,
        work,
    )
    .await
}
