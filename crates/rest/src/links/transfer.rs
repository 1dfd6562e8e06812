//! `GET /api/link/export` and `POST /api/link/import`: links as files.

use std::{future::Future, pin::Pin};

use actix_web::{FromRequest, HttpRequest, HttpResponse, dev::Payload, web};
use aide::{
    OperationInput,
    generate::GenContext,
    openapi::{Operation as Documented, ReferenceOr},
};
use slugline_application::{Error, ExportPage, LinkReader, LinkService};
use slugline_contract::{
    Bounds, ExportLinks, ExportText, ImportLimit, ImportLinks, ImportTerms, LinkExport, LinkFile,
    LinkImport, LinksToImport, TransferFormat, asked,
};
use slugline_domain::{DomainName, PageSize};
use slugline_httpkit::{Failure, Guard, media_type, read_body, report};

use crate::{
    body::{Body, Query},
    conditional::RequestKey,
    input::{Changes, Links, state},
    openapi::{Responses, text},
    operation::operations,
    reply::{Headed, Json, Reply},
    streamed::{Attachment, Parts, Sender},
};

operations! { super::TAG;
    link_export: GET "/api/link/export" => export, LinkService::EXPORT,
        [InvalidCursor, QueryTimeout],
        "Export links",
        "All links, or those of a `domain`, with their stored passwords, expired ones too, newest \
         first. JSON comes page by page: pass `cursor` back until `list_complete` is true. CSV \
         comes as a whole: a column per member, moments in Unix seconds, tags separated by commas, \
         country destinations as lines of code and URL. Cells that a spreadsheet would run begin \
         with an apostrophe, which the import removes.";
    link_import: POST "/api/link/import" => import, LinkService::IMPORT,
        [TooManyLinks, InvalidCsv, Busy],
        "Import links",
        "Takes over links from an export, ours or Sink's, as JSON or as CSV, and of other products: \
         their tables, JSON of Dub and Bitly, and the lines of `slugline import --sql` \
         (`application/x-ndjson`). A link that is wrong \
         refuses the whole request, by name: `links.57.url`. A slug that an active link owns is \
         skipped, an expired one replaced, so sending the same links again is harmless. A slug of \
         null, or an empty cell, gets a free random slug each time. Members and columns that links \
         do not have are named in `ignoredNames`, mistyped ones are refused. Cells are separated \
         by commas, semicolons or tabs, as in the first line. Stored passwords are kept, those in \
         clear hashed. With `validateOnly` nothing is stored, and the answer tells what would \
         become of each link.";
}

/// The number of links that a table reads at once.
const ROWS: i64 = 500;

async fn export(
    Links(links): Links,
    Query(query): Query<ExportLinks>,
) -> Result<Headed<PageOrTable>, Failure> {
    let (format, domain, after) = query.validate()?;
    Ok(Headed::never_cached(match format {
        TransferFormat::Json => {
            let size = PageSize::new(LinkService::EXPORT_PAGE.into());
            let size = size.expect("fewer links than on the largest page");
            let page = links.export(domain.clone(), size, after).await?;
            PageOrTable::Page(LinkExport::new(&page, domain))
        }
        TransferFormat::Csv => {
            let rows = PageSize::new(ROWS).expect("fewer links than on the largest page");
            // The first page is read before the answer starts, so that a store that is
            // down gives an error response.
            let first = links.export(domain.clone(), rows, after).await?;
            PageOrTable::Table(table(links, domain, rows, first))
        }
    }))
}

/// A page as JSON, or a table of all rows.
enum PageOrTable {
    Page(LinkExport),
    Table(Attachment),
}

impl Reply for PageOrTable {
    fn respond(self, request: &HttpRequest) -> HttpResponse {
        match self {
            Self::Page(page) => Json::<200, _>(page).respond(request),
            Self::Table(table) => table.into_response(),
        }
    }

    fn documented(context: &mut GenContext) -> Responses {
        let mut responses = Json::<200, LinkExport>::documented(context);
        for (_, response) in &mut responses {
            response.content.insert("text/csv".into(), text());
        }
        responses
    }
}

/// The table that begins with this page.
fn table(
    links: LinkReader,
    domain: Option<DomainName>,
    rows: PageSize,
    first: ExportPage,
) -> Attachment {
    Attachment {
        name: ExportText::file_name(TransferFormat::Csv, first.exported_at),
        media_type: "text/csv; charset=utf-8; header=present",
        parts: Parts::sent_by(async move |parts| {
            let sent = send_table(&links, domain, rows, first, &parts);
            sent.await.map_err(report)
        }),
    }
}

async fn send_table(
    links: &LinkReader,
    domain: Option<DomainName>,
    rows: PageSize,
    first: ExportPage,
    parts: &Sender,
) -> Result<(), Error> {
    let mut text = ExportText::new(TransferFormat::Csv);
    let mut part = text.start(first.exported_at);
    let mut page = first.page;
    loop {
        part.extend(text.page(&page.links));
        if !parts.send(part).await {
            return Ok(());
        }
        let Some(next) = page.next else {
            return Ok(());
        };
        let rest = links.export(domain.clone(), rows, Some(next));
        page = rest.await?.page;
        part = Vec::new();
    }
}

async fn import(
    Changes(writer): Changes,
    Query(terms): Query<ImportTerms>,
    RequestKey(key): RequestKey,
    Imported(body): Imported,
) -> Result<Headed<Json<200, LinkImport>>, Failure> {
    let LinksToImport {
        mut links,
        ignored,
        validate_only,
    } = body;
    let (only_checked, domain) = terms.validate()?;
    let validate_only = only_checked || validate_only;
    if let Some(domain) = domain {
        for link in &mut links {
            link.domain = domain.clone();
        }
    }
    let imported = if validate_only {
        writer.validate_import(links).await?
    } else {
        if let Some(key) = key {
            for (position, link) in (0..).zip(&mut links) {
                link.asked = Some(asked(link, &key, Some(position)));
            }
        }
        writer.import(links).await?
    };
    Ok(Headed::never_cached(Json(LinkImport {
        validate_only: validate_only.then_some(true),
        note: writer.note_on(imported.iter().map(|it| &it.link)),
        ..LinkImport::new(&imported, ignored)
    })))
}

/// The links of a body, JSON or CSV, checked.
pub(crate) struct Imported(LinksToImport);

impl FromRequest for Imported {
    type Error = Failure;
    type Future = Pin<Box<dyn Future<Output = Result<Self, Failure>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let state = state(request).clone();
        let base = Guard::of(request).base_url(request);
        let body = web::Payload::from_request(request, payload);
        let request = request.clone();
        Box::pin(async move {
            let bounds = &state.bounds.seen_at(&base);
            let limit = state.import_limit;
            let body = body.await.expect("every request has one");
            let bytes = read_body(&request, body, body_limit(bounds, limit)).await?;
            let links = match media_type(&request).as_str() {
                "text/csv" => ImportLinks::read_file(LinkFile::Table, &bytes, bounds, limit)?,
                "application/x-ndjson" => {
                    ImportLinks::read_file(LinkFile::Lines, &bytes, bounds, limit)?
                }
                // As in Sink, a body that says it is plain text or a form is read as
                // that; neither can hold links.
                other if is_no_json(other, &bytes) => {
                    ImportLinks::read_document(b"\"\"", bounds, limit)?
                }
                _ => ImportLinks::read_document(&bytes, bounds, limit)?,
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
fn body_limit(bounds: &Bounds, ImportLimit(links): ImportLimit) -> usize {
    const TEXTS: usize = 16 << 10;
    const FRAME: usize = 64 << 10;
    const MOST: usize = 64 << 20;
    let link = TEXTS + 4 * bounds.destinations.max_bytes();
    links.saturating_mul(link).saturating_add(FRAME).min(MOST)
}

impl OperationInput for Imported {
    fn operation_input(context: &mut GenContext, operation: &mut Documented) {
        Body::<ImportLinks>::operation_input(context, operation);
        if let Some(ReferenceOr::Item(body)) = &mut operation.request_body {
            body.content.insert("text/csv".into(), text());
            body.content.insert("application/x-ndjson".into(), text());
        }
    }
}
