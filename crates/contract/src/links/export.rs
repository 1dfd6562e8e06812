//! Exports of links: the request, its answer, and files of any size.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use slugline_application::ExportPage;
use slugline_domain::{DomainName, Link, Position, UnixMillis};

use super::{
    ExportedLink, cursor,
    key::{host_schema, listed_domain},
    listing::{Listing, Sort, Status},
    parts::IN_TABLES,
    table::to_cell,
};
use crate::{
    Problem,
    scalars::iso_8601,
    sent::{Sent, options},
    table_rows::text_of_rows,
    validation::Validation,
};

/// Links of a domain, or of all, newest first.
fn listing(domain: Option<DomainName>) -> Listing {
    Listing {
        domain,
        sort: Sort::Newest,
        status: Status::All,
        ..Listing::default()
    }
}

/// Where to go on exporting, and in which form.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ExportLinks {
    /// Where to continue: the cursor of the previous page.
    #[schemars(length(max = cursor::MAX_CHARS))]
    pub cursor: Sent<String>,
    /// Only links of this domain, by its host; an empty text for the default one. All links if left out.
    #[schemars(schema_with = "host_schema")]
    pub domain: Sent<String>,
    /// A page of JSON, or all links as CSV.
    #[schemars(extend("default" = "json"))]
    pub format: Sent<TransferFormat>,
}

/// The forms in which links are exported and imported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TransferFormat {
    /// Sink's document.
    #[default]
    Json,
    /// A table with a header.
    Csv,
}

options!(TransferFormat);

impl ExportLinks {
    /// Returns the form, the domain if it is one alone, and the position to continue from.
    ///
    /// # Errors
    /// Lists every member that is of another type, or says that the cursor was
    /// not issued by an export.
    pub fn validate(
        &self,
    ) -> Result<(TransferFormat, Option<DomainName>, Option<Position>), Problem> {
        let mut validation = Validation::default();
        let cursor = validation.value(&["cursor"], &self.cursor);
        let format = validation.value(&["format"], &self.format);
        let is_given = self.domain != Sent::Absent;
        let domain = listed_domain(&mut validation, &self.domain).filter(|_| is_given);
        let format = validation.finish(|| Some(format.copied().unwrap_or_default()))?;
        let after = cursor::read(cursor, &listing(domain.clone()))?;
        Ok((format, domain, after))
    }
}

/// A page of an export.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinkExport {
    /// Version of this form.
    pub version: &'static str,
    /// When the links were read: ISO 8601, UTC.
    #[schemars(extend("format" = "date-time"))]
    pub exported_at: String,
    /// Links on this page.
    pub count: usize,
    /// The links, newest first, with their stored passwords.
    pub links: Vec<ExportedLink>,
    /// True if this is the last page.
    #[serde(rename = "list_complete")]
    pub list_complete: bool,
    /// Where the next page starts; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

impl LinkExport {
    /// The version of the format, the same as Sink's.
    pub const VERSION: &'static str = "1.0";

    /// Shows a page of a domain's links, or of all, with a cursor that continues after it.
    pub fn new(export: &ExportPage, domain: Option<DomainName>) -> Self {
        let page = &export.page;
        Self {
            version: Self::VERSION,
            exported_at: iso_8601(export.exported_at),
            count: page.links.len(),
            links: page.links.iter().map(ExportedLink::from).collect(),
            list_complete: page.next.is_none(),
            cursor: page
                .next
                .as_ref()
                .map(|position| cursor::encode(position, &listing(domain))),
        }
    }
}

/// A text that is being built: its start, then pages, then its end. It holds no link, so
/// it takes as little memory for many links as for few.
///
/// JSON is Sink's document with a link per line. CSV follows RFC 4180 in UTF-8,
/// with a header.
#[derive(Debug)]
pub struct ExportText {
    format: TransferFormat,
    written: usize,
}

impl ExportText {
    /// Starts an empty export.
    pub fn new(format: TransferFormat) -> Self {
        Self { format, written: 0 }
    }

    /// Returns a name for the file, such as
    /// `slugline-links-2026-11-21T12-00-00-000Z.csv`.
    pub fn file_name(format: TransferFormat, exported_at: UnixMillis) -> String {
        let moment = iso_8601(exported_at).replace([':', '.'], "-");
        let extension = match format {
            TransferFormat::Json => "json",
            TransferFormat::Csv => "csv",
        };
        format!("slugline-links-{moment}.{extension}")
    }

    /// Returns the text before the links.
    pub fn start(&self, exported_at: UnixMillis) -> Vec<u8> {
        match self.format {
            TransferFormat::Json => format!(
                "{{\"version\":\"{}\",\"exportedAt\":\"{}\",\"links\":[",
                LinkExport::VERSION,
                iso_8601(exported_at)
            )
            .into_bytes(),
            TransferFormat::Csv => {
                let names: Vec<String> =
                    IN_TABLES.iter().map(|part| part.name.to_owned()).collect();
                text_of_rows([names].into_iter())
            }
        }
    }

    /// Returns the text of some links.
    pub fn page(&mut self, links: &[Link]) -> Vec<u8> {
        let first = self.written == 0;
        self.written += links.len();
        let exported = links.iter().map(ExportedLink::from);
        match self.format {
            TransferFormat::Json => {
                let mut text = Vec::new();
                for (index, link) in exported.enumerate() {
                    let separator = if first && index == 0 { "\n" } else { ",\n" };
                    text.extend_from_slice(separator.as_bytes());
                    serde_json::to_writer(&mut text, &link).expect("a link is plain data");
                }
                text
            }
            TransferFormat::Csv => text_of_rows(exported.map(|link| {
                let members = link.into_members();
                let cells = IN_TABLES.iter().map(|part| to_cell(members.get(part.name)));
                cells.collect::<Vec<_>>()
            })),
        }
    }

    /// Returns the text after the links.
    pub fn end(self) -> Vec<u8> {
        match self.format {
            TransferFormat::Json => {
                format!("\n],\"count\":{},\"list_complete\":true}}\n", self.written).into_bytes()
            }
            TransferFormat::Csv => Vec::new(),
        }
    }

    /// Returns the number of links so far.
    pub fn written(&self) -> usize {
        self.written
    }
}
