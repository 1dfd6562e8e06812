//! A table of all links as the body of an answer, sent while it is read.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use actix_web::{
    HttpResponse,
    body::{BodySize, BoxBody, MessageBody},
    http::header,
    web::Bytes,
};
use slugline_application::{Error, ExportPage, LinkService};
use slugline_contract::{ExportText, Problem, TransferFormat};
use slugline_domain::PageSize;
use slugline_httpkit::report;
use tokio::sync::mpsc;

/// A table that is being sent.
pub(crate) struct Table {
    file_name: String,
    pages: Parts,
}

impl Table {
    /// Creates the table that begins with this page. A client that reads slowly slows
    /// down the reading of links; a client that disconnects ends it.
    pub(crate) fn of(links: LinkService, rows: PageSize, first: ExportPage) -> Self {
        let (sender, pages) = mpsc::channel(1);
        let file_name = ExportText::file_name(TransferFormat::Csv, first.exported_at);
        tokio::spawn(async move {
            if let Err(error) = send(&links, rows, first, &sender).await {
                // The answer breaks off, which distinguishes it from a complete one.
                let _ = sender.send(Err(report(error))).await;
            }
        });
        Self {
            file_name,
            pages: Parts(pages),
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
    links: &LinkService,
    rows: PageSize,
    first: ExportPage,
    pages: &mpsc::Sender<Result<Bytes, Problem>>,
) -> Result<(), Error> {
    let mut text = ExportText::new(TransferFormat::Csv);
    let mut part = text.start(first.exported_at);
    let mut page = first.page;
    loop {
        part.extend(text.page(&page.links));
        if pages.send(Ok(part.into())).await.is_err() {
            return Ok(());
        }
        let Some(next) = page.next else {
            return Ok(());
        };
        page = links.export(rows, Some(next)).await?.page;
        part = Vec::new();
    }
}

/// A body that is sent in parts.
pub(crate) struct Parts(pub(crate) mpsc::Receiver<Result<Bytes, Problem>>);

impl MessageBody for Parts {
    type Error = Problem;

    fn size(&self) -> BodySize {
        BodySize::Stream
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Problem>>> {
        self.0.poll_recv(context)
    }
}
