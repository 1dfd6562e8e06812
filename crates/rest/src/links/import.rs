//! `POST /api/link/import`

use std::{future::Future, pin::Pin};

use actix_web::{FromRequest, HttpRequest, dev::Payload, error::PayloadError, http::Method, web};
use aide::{
    OperationInput,
    generate::GenContext,
    openapi::{Operation, ReferenceOr},
};
use slugline_application::{ImportedLink, LinkService};
use slugline_contract::{
    Code, ImportLimit, ImportLinks, ImportTerms, LinkImport, LinksToImport, Rules,
};
use slugline_httpkit::{Failure, Guard, unreadable_body};

use crate::{
    extract::{Body, CalledBy, Changes, Context, Query, media_type, state},
    operation_spec::OperationSpec,
    repeatable::{Once, Repeatable, once},
    reply::{Json, NoStore, csv},
};

pub(crate) fn spec() -> OperationSpec {
    OperationSpec {
        method: Method::POST,
        path: "/api/link/import",
        id: "link_import",
        tag: super::TAG,
        summary: "Import links",
        description: "Takes over links from an export, ours or Sink's, as JSON or as CSV. A link \
                      that is wrong refuses the whole request, by name: `links.57.url`. A slug \
                      that an active link owns is skipped, an expired one replaced, so sending the \
                      same links again is harmless. A slug of null, or an empty cell, gets a free \
                      random slug each time. Members and columns that links do not have are \
                      named in `ignoredNames`, mistyped ones are refused. Cells are separated by \
                      commas, semicolons or tabs, as in the first line. Stored passwords are \
                      kept, those in clear hashed. With `validateOnly` nothing is stored, and the \
                      answer tells what would become of each link.",
        needs: LinkService::IMPORT,
        fails: &[
            Code::TooManyLinks,
            Code::InvalidCsv,
            Code::Busy,
            Code::IdempotencyKeyInUse,
            Code::IdempotencyKeyReused,
        ],
    }
}

pub(crate) async fn handle(
    context: Context,
    CalledBy(caller): CalledBy,
    Changes(writer): Changes,
    Query(terms): Query<ImportTerms>,
    Repeatable { body, request }: Repeatable<Links>,
) -> Result<Once<NoStore<Json<200, LinkImport>>>, Failure> {
    let Links(LinksToImport {
        links,
        ignored,
        validate_only,
    }) = body;
    if terms.validate()? || validate_only {
        let checked = writer.validate_import(links).await?;
        return Ok(Once::Made(NoStore(Json(LinkImport {
            validate_only: Some(true),
            ..LinkImport::new(&checked, ignored)
        }))));
    }
    let show = move |imported: &Vec<ImportedLink>| {
        NoStore(Json(LinkImport::new(imported, ignored.clone())))
    };
    let import = |keep| writer.import_keeping(links, keep);
    once(
        &context.app.repeats,
        &caller,
        request,
        show,
        |_| true,
        import,
    )
    .await
}

/// The links of a body, JSON or CSV, checked.
pub(crate) struct Links(LinksToImport);

impl FromRequest for Links {
    type Error = Failure;
    type Future = Pin<Box<dyn Future<Output = Result<Self, Failure>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let state = state(request).clone();
        let media_type = media_type(request);
        let origin = Guard::of(request).origin(request);
        let body = web::Payload::from_request(request, payload);
        Box::pin(async move {
            let rules = &state.rules.seen_at(origin.as_str());
            let limit = state.import_limit;
            let body = body.await.map_err(|error| unreadable_body(&error))?;
            let bytes = body
                .to_bytes_limited(body_limit(rules, limit))
                .await
                .map_err(|_| PayloadError::Overflow)?
                .map_err(|error| unreadable_body(&error))?;
            let links = match media_type.as_str() {
                "text/csv" => ImportLinks::read_table(&bytes, rules, limit)?,
                // As in Sink, a body that says it is plain text or a form is read as
                // that; neither can hold links.
                other if is_no_json(other, &bytes) => {
                    ImportLinks::read_document(b"\"\"", rules, limit)?
                }
                _ => ImportLinks::read_document(&bytes, rules, limit)?,
            };
            Ok(Self(links))
        })
    }
}

fn is_no_json(media_type: &str, bytes: &[u8]) -> bool {
    let object = bytes.trim_ascii_start().starts_with(b"{");
    media_type.starts_with("text/") || media_type == "application/x-www-form-urlencoded" && !object
}

/// Returns the most bytes of a body: this many links with the longest possible texts, a quarter
/// more for JSON escapes, and no more than a small machine can spare.
fn body_limit(rules: &Rules, ImportLimit(links): ImportLimit) -> usize {
    const TEXTS: usize = 16 << 10;
    const FRAME: usize = 64 << 10;
    const MOST: usize = 64 << 20;
    let link = TEXTS + 4 * rules.destinations.max_chars();
    links.saturating_mul(link).saturating_add(FRAME).min(MOST)
}

impl OperationInput for Links {
    fn operation_input(context: &mut GenContext, operation: &mut Operation) {
        Body::<ImportLinks>::operation_input(context, operation);
        if let Some(ReferenceOr::Item(body)) = &mut operation.request_body {
            body.content.insert("text/csv".into(), csv());
        }
    }
}
