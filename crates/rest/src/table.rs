//! A table of links as the body of an answer, sent while it is read.

use actix_web::{HttpResponse, body::BoxBody, http::header};
use slugline_application::{Error, ExportPage, LinkReader};
use slugline_contract::{ExportText, TransferFormat};
use slugline_domain::{DomainName, PageSize};
use slugline_httpkit::report;

use crate::parts::{Parts, Sender};

/// A table that is being sent.
pub(crate) struct Table {
    file_name: String,
    pages: Parts,
}

impl Table {
    /// Creates the table that begins with this page. A client that reads slowly slows
    /// down the reading of links; a client that disconnects ends it.
    pub(crate) fn of(
        links: LinkReader,
        domain: Option<DomainName>,
        rows: PageSize,
        first: ExportPage,
    ) -> Self {
        let file_name = ExportText::file_name(TransferFormat::Csv, first.exported_at);
        Self {
            file_name,
            pages: Parts::sent_by(async move |pages| {
                send(&links, domain, rows, first, &pages)
                    .await
                    .map_err(report)
            }),
        }
    }

    pub(crate) fn into_response(self) -> HttpResponse<BoxBody> {
        let disposition = format!("attachment; filename=\"{}\"", self.file_name);
        HttpResponse::Ok()
            .insert_header((
                header::CONTENT_TYPE,
                "text/csv; charset=utf-8; header=present",
            ))
            .insert_header((header::CONTENT_DISPOSITION, disposition))
            .body(self.pages)
    }
}

async fn send(
    links: &LinkReader,
    domain: Option<DomainName>,
    rows: PageSize,
    first: ExportPage,
    pages: &Sender,
) -> Result<(), Error> {
    let mut text = ExportText::new(TransferFormat::Csv);
    let mut part = text.start(first.exported_at);
    let mut page = first.page;
    loop {
        part.extend(text.page(&page.links));
        if !pages.send(part).await {
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
