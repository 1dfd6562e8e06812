//! Exports of all links as text, page by page.

use slugline_domain::{Link, UnixMillis};

use super::{ExportedLink, LinkExport, TransferFormat, parts::IN_TABLES, table::to_cell};
use crate::{iso_8601::iso_8601, table_text::rows};

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
                rows([names].into_iter())
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
            TransferFormat::Csv => rows(exported.map(|link| {
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
