//! The request for an export of visits.

use schemars::JsonSchema;
use serde::Deserialize;
use slugline_application::TaggedQuery;
use slugline_domain::VisitFilter;

use super::{VisitFile, VisitFormat};
use crate::{
    Problem, bool_or_string::BoolOrString, sent::Sent, stats::AnalyticsFilter,
    validation::Validation,
};

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
        let mut validation = Validation::default();
        let query = self.filter.filter(&mut validation);
        let tags = self.filter.tags(&mut validation);
        let format = validation.value(&["format"], &self.format).copied();
        let gzip = validation.value(&["gzip"], &self.gzip);
        let file = VisitFile {
            format: format.unwrap_or_default(),
            gzip: gzip.is_some_and(|BoolOrString(gzip)| *gzip),
        };
        validation.finish(|| Some((file, TaggedQuery { query, tags })))
    }
}
