//! The forms of files of visits, their columns, and the request for one.

use schemars::JsonSchema;
use serde::Deserialize;
use slugline_application::TaggedQuery;
use slugline_domain::{
    Derivation, Dimension, UnixMillis, VisitColumn, VisitColumnKind, VisitFilter,
};

use crate::{
    Problem,
    scalars::{BoolOrString, iso_8601},
    sent::{Sent, options},
    stats::AnalyticsFilter,
};

/// The forms in which visits are exported and imported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum VisitFormat {
    /// A table with a header.
    Csv,
    /// A JSON object per line.
    #[default]
    Ndjson,
}

options!(VisitFormat);

/// The form of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VisitFile {
    /// The form of the text.
    pub format: VisitFormat,
    /// `true` if the text is packed with gzip.
    pub gzip: bool,
}

impl VisitFile {
    /// Returns the form that a file's name says; `None` if it says none.
    pub fn of_name(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let (name, gzip) = match name.strip_suffix(".gz") {
            Some(name) => (name, true),
            None => (name.as_str(), false),
        };
        let format = match name.rsplit_once('.')?.1 {
            "csv" => VisitFormat::Csv,
            "ndjson" => VisitFormat::Ndjson,
            _ => return None,
        };
        Some(Self { format, gzip })
    }

    /// Returns a name for a file, such as `slugline-visits-2026-11-21T12-00-00-000Z.csv.gz`.
    pub fn name(self, exported_at: UnixMillis) -> String {
        let moment = iso_8601(exported_at).replace([':', '.'], "-");
        let extension = match self.format {
            VisitFormat::Csv => "csv",
            VisitFormat::Ndjson => "ndjson",
        };
        let packed = if self.gzip { ".gz" } else { "" };
        format!("slugline-visits-{moment}.{extension}{packed}")
    }

    /// Returns its media type.
    pub fn media_type(self) -> &'static str {
        match self {
            Self { gzip: true, .. } => "application/gzip",
            Self {
                format: VisitFormat::Csv,
                ..
            } => "text/csv; charset=utf-8; header=present",
            Self {
                format: VisitFormat::Ndjson,
                ..
            } => "application/x-ndjson",
        }
    }
}

/// A column of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    Time,
    Link,
    /// The text at this position, and what it may hold.
    Text(usize, VisitColumnKind),
    /// A text that follows from others. Exports have it, and imports ignore it.
    Derived(&'static Derivation),
    Visitor,
    Interval,
    Coherent,
}

/// Every column with its name, in the order of a file.
pub(super) fn columns_of(texts: &[VisitColumn]) -> Vec<(&'static str, Column)> {
    let texts = texts.iter().enumerate();
    let texts = texts.map(|(position, text)| (text.name, Column::Text(position, text.kind)));
    let derived = Dimension::ALL.iter().copied().filter_map(|dimension| {
        let derivation = dimension.derivation()?;
        Some((dimension.column(), Column::Derived(derivation)))
    });
    [("ts_ms", Column::Time), ("link_id", Column::Link)]
        .into_iter()
        .chain(texts)
        .chain(derived)
        .chain([
            ("visitor", Column::Visitor),
            ("sampling_interval", Column::Interval),
            ("coherent", Column::Coherent),
        ])
        .collect()
}

/// The names without which a visit says nothing.
pub(super) const REQUIRED: [&str; 5] = ["ts_ms", "link_id", "slug", "url", "visitor"];

/// Which visits, and in which form.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ExportVisits {
    /// A JSON object per line, or a table.
    #[schemars(extend("default" = "ndjson"))]
    pub format: Sent<VisitFormat>,
    /// Pack the file with gzip.
    #[schemars(extend("default" = false))]
    pub gzip: Sent<BoolOrString>,
    /// Which visits.
    #[serde(flatten)]
    pub filter: AnalyticsFilter,
}

impl ExportVisits {
    /// Returns the form of the file, and the visits asked for.
    ///
    /// # Errors
    /// Lists every member that is invalid.
    pub fn validate(&self) -> Result<(VisitFile, TaggedQuery<VisitFilter>), Problem> {
        let mut file = VisitFile::default();
        let visits = self.filter.query(|validation, filter| {
            let format = validation.value(&["format"], &self.format).copied();
            file = VisitFile {
                format: format.unwrap_or_default(),
                gzip: validation.flag("gzip", &self.gzip),
            };
            Some(filter)
        });
        Ok((file, visits?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_the_form() {
        let file = |format, gzip| Some(VisitFile { format, gzip });
        for (name, expected) in [
            ("a.csv", file(VisitFormat::Csv, false)),
            ("folder.csv/A.NDJSON.GZ", file(VisitFormat::Ndjson, true)),
            ("a.b.csv.gz", file(VisitFormat::Csv, true)),
            ("a.json", None),
            ("a.gz", None),
            ("csv", None),
        ] {
            assert_eq!(VisitFile::of_name(name), expected, "{name}");
        }
        let name = VisitFile::default().name(UnixMillis::new(0));
        assert_eq!(name, "slugline-visits-1970-01-01T00-00-00-000Z.ndjson");
    }
}
