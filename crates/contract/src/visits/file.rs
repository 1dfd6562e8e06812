//! The forms of files of visits.

use schemars::JsonSchema;
use serde::Deserialize;
use slugline_domain::UnixMillis;

use crate::{iso_8601::iso_8601, sent::options};

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
