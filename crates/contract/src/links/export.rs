//! Exports of links.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use slugline_application::ExportPage;
use slugline_domain::Position;

use super::{
    ExportedLink, cursor,
    listing::{Listing, Sort, Status},
};
use crate::{absent::present, iso_8601::iso_8601, problem::Problem};

/// All links, newest first.
const LISTING: Listing = Listing {
    sort: Sort::Newest,
    status: Status::All,
    tag: None,
};

/// Where to go on exporting, and in which form.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct ExportLinks {
    /// Where to continue: the cursor of the previous page.
    #[serde(default, deserialize_with = "present")]
    #[schemars(length(max = cursor::MAX_CHARS))]
    pub cursor: Option<String>,
    /// A page of JSON, or all links as CSV.
    #[serde(default, deserialize_with = "present")]
    #[schemars(extend("default" = "json"))]
    pub format: Option<TransferFormat>,
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

impl ExportLinks {
    /// The place to continue from.
    ///
    /// # Errors
    /// The cursor was not issued by an export.
    pub fn check(&self) -> Result<Option<Position>, Problem> {
        cursor::read(self.cursor.as_deref(), &LISTING)
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
    /// Whether this is the last page.
    #[serde(rename = "list_complete")]
    pub list_complete: bool,
    /// Where the next page starts; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

impl LinkExport {
    /// The version that Sink writes.
    pub const VERSION: &'static str = "1.0";

    /// Shows a page, with a cursor that continues after it.
    pub fn new(export: &ExportPage) -> Self {
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
                .map(|place| cursor::encode(place, &LISTING)),
        }
    }
}
