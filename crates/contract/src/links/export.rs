//! Exports of links.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use slugline_application::ExportPage;
use slugline_domain::{DomainName, Position};

use super::{
    ExportedLink, cursor,
    key::{host_schema, listed_domain},
    listing::{Listing, Sort, Status},
};
use crate::{
    Problem,
    iso_8601::iso_8601,
    sent::{Sent, options},
    validation::Validation,
};

/// Links of a domain, or of all, newest first.
const fn listing(domain: Option<DomainName>) -> Listing {
    Listing {
        sort: Sort::Newest,
        status: Status::All,
        tag: None,
        text: None,
        domain,
        keys: None,
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
