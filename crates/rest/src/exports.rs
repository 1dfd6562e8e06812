//! `GET /api/stats/export` and `GET /api/logs/export`: analytics as files.

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::{HeaderName, HeaderValue},
};
use aide::{generate::GenContext, openapi::MediaType};
use slugline_application::{Error, StatsService, VisitExport};
use slugline_contract::{
    AnalyticsFilter, CSV_HEAD, Code, ExportVisits, Problem, VisitFile, VisitText, csv_file_name,
    csv_lines,
};
use slugline_domain::{AccessRow, AccessRows, StoredVisit, VisitRows, ports::VisitLogError};
use slugline_httpkit::{Failure, report};
use tokio::task::{self, JoinError};

use crate::{
    body::Query,
    input::Statistics,
    openapi::{Responses, documented, json},
    operation::operations,
    reply::Reply,
    stats::TAG,
    streamed::{Attachment, Parts, Sender},
};

operations! { TAG;
    stats_export: GET "/api/stats/export" => totals, StatsService::NEEDS,
        [TokenBusy, QueryTimeout, MigrationRequired],
        "Totals by link as a file",
        "A CSV file for spreadsheets, in UTF-8: slug, destination, visitors, visits and referers \
         of each slug and destination, most visits first. The header `Slugline-Exact` is `false` \
         if some of these numbers are estimates or lack visits, as `sampling.exact` of other \
         answers.";
    logs_export: GET "/api/logs/export" => visits, StatsService::NEEDS,
        [TokenBusy, QueryTimeout, MigrationRequired],
        "Export visits",
        "The visits themselves, as they are stored, in the order of storage: a JSON object per \
         line, or CSV with a header. Each visit that was stored when the export began, and was not \
         deleted meanwhile, comes once. An export that cannot go on breaks the answer off, which \
         clients report as an error. In CSV, texts that a spreadsheet would run begin with an \
         apostrophe.";
}

async fn totals(
    Statistics(stats): Statistics,
    Query(query): Query<AnalyticsFilter>,
) -> Result<Totals, Failure> {
    let export = stats.access(query.validate()?).await?;
    let file_name = csv_file_name(export.exported_at);
    Ok(Totals::start(file_name, export.rows).await?)
}

async fn visits(
    Statistics(stats): Statistics,
    Query(query): Query<ExportVisits>,
) -> Result<Visits, Failure> {
    let (file, asked) = query.validate()?;
    let export = stats.visits(asked).await?;
    Ok(Visits::start(file, export).await?)
}

/// Says `false` if the numbers of a table are estimates, or some visits are missing.
const EXACT: HeaderName = HeaderName::from_static("slugline-exact");

/// A table of totals.
struct Totals {
    file: Attachment,
    exact: bool,
}

impl Totals {
    /// Reads the first rows before the answer starts, so that an unreadable access log gives an
    /// error and not a broken file.
    async fn start(name: String, mut rows: Box<dyn AccessRows>) -> Result<Self, Error> {
        let first = rows.next().await?;
        let exact = rows.sampling().exact();
        let file = Attachment {
            name,
            media_type: "text/csv; charset=utf-8",
            parts: Parts::sent_by(|parts| send_totals(rows, first, parts)),
        };
        Ok(Self { file, exact })
    }
}

async fn send_totals(
    mut rows: Box<dyn AccessRows>,
    first: Vec<AccessRow>,
    parts: Sender,
) -> Result<(), Problem> {
    let mut lines = format!("{CSV_HEAD}{}", csv_lines(&first));
    while parts.send(lines).await {
        let read = rows.next().await.map_err(broken_off)?;
        if read.is_empty() {
            break;
        }
        lines = csv_lines(&read);
    }
    Ok(())
}

fn broken_off(error: VisitLogError) -> Problem {
    report(Error::from(error))
}

impl Reply for Totals {
    fn respond(self, _: &HttpRequest) -> HttpResponse {
        let exact = HeaderValue::from_static(if self.exact { "true" } else { "false" });
        let mut response = self.file.into_response();
        response.headers_mut().insert(EXACT, exact);
        response
    }

    fn documented(context: &mut GenContext) -> Responses {
        let schema = json(context.schema.subschema_for::<String>());
        documented(200, "A CSV file", [("text/csv", schema)])
    }
}

/// A file of visits.
struct Visits(Attachment);

impl Visits {
    /// Reads the first visits before the answer starts, so that an unreadable access log gives an
    /// error and not a broken file.
    async fn start(file: VisitFile, export: VisitExport) -> Result<Self, Error> {
        let mut rows = export.rows;
        let first = rows.next().await?;
        Ok(Self(Attachment {
            name: file.name(export.exported_at),
            media_type: file.media_type(),
            parts: Parts::sent_by(|parts| send_visits(file, rows, first, parts)),
        }))
    }
}

async fn send_visits(
    file: VisitFile,
    mut rows: Box<dyn VisitRows>,
    mut visits: Vec<StoredVisit>,
    parts: Sender,
) -> Result<(), Problem> {
    let mut text = VisitText::new(file, rows.columns());
    loop {
        let last = visits.is_empty();
        let written = task::spawn_blocking(move || {
            // Away from the threads that answer redirects.
            let part = text.part(&visits);
            (text, part)
        });
        let (rest, part) = written.await.map_err(|error| panicked(&error))?;
        // Gzip keeps what is too little to be packed.
        if !part.is_empty() && !parts.send(part).await {
            return Ok(());
        }
        text = rest;
        if last {
            break;
        }
        visits = rows.next().await.map_err(broken_off)?;
    }
    let end = text.end();
    if !end.is_empty() {
        parts.send(end).await;
    }
    Ok(())
}

fn panicked(error: &JoinError) -> Problem {
    tracing::error!(%error, "an export broke off");
    Problem::new(Code::InternalError, "the export broke off")
}

impl Reply for Visits {
    fn respond(self, _: &HttpRequest) -> HttpResponse {
        self.0.into_response()
    }

    fn documented(_: &mut GenContext) -> Responses {
        let media_types = ["application/x-ndjson", "text/csv", "application/gzip"];
        let content = media_types.map(|media_type| (media_type, MediaType::default()));
        documented(200, "A file of visits", content)
    }
}

#[cfg(test)]
mod tests;
