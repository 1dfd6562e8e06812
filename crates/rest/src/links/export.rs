//! `GET /api/link/export`

use actix_web::http::Method;
use slugline_application::LinkService;
use slugline_contract::{Code, ExportLinks, LinkExport, TransferFormat};
use slugline_domain::PageSize;
use slugline_httpkit::Failure;

use crate::{
    extract::{Links, Query},
    operation_spec::OperationSpec,
    reply::{NoStore, PageOrTable},
    table::Table,
};

pub(crate) fn spec() -> OperationSpec {
    OperationSpec {
        method: Method::GET,
        path: "/api/link/export",
        id: "link_export",
        tag: super::TAG,
        summary: "Export links",
        description: "All links, or those of a `domain`, with their stored passwords, expired ones too, newest first. JSON \
                      comes page by page: pass `cursor` back until `list_complete` is true. CSV \
                      comes as a whole: a column per member, moments in Unix seconds, tags \
                      separated by commas, country destinations as lines of code and URL. Cells \
                      that a spreadsheet would run begin with an apostrophe, which the import \
                      removes.",
        needs: LinkService::EXPORT,
        fails: &[Code::InvalidCursor, Code::QueryTimeout],
    }
}

/// The number of links that a table reads at once.
const ROWS: i64 = 500;

pub(crate) async fn handle(
    Links(links): Links,
    Query(query): Query<ExportLinks>,
) -> Result<NoStore<PageOrTable<LinkExport>>, Failure> {
    let (format, domain, after) = query.validate()?;
    Ok(NoStore(match format {
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
            PageOrTable::Table(Table::of(links, domain, rows, first))
        }
    }))
}
