//! Visits by hour of the week.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use slugline_application::TaggedQuery;
use slugline_domain::{HeatmapQuery, HeatmapRow};

use super::{
    filter::AnalyticsFilter,
    zone::{self, DEFAULT},
};
use crate::{problem::Problem, sent::Sent, validation::Validation};

/// Which visits, and on whose clock.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct HeatmapRequest {
    /// Time zone of weekdays and hours, such as Europe/Berlin.
    #[schemars(extend("default" = DEFAULT))]
    pub client_timezone: Sent<String>,
    /// Which visits.
    #[serde(flatten)]
    pub filter: AnalyticsFilter,
}

impl HeatmapRequest {
    /// Returns the time zone of the answer: UTC, if none was sent.
    pub fn zone(&self) -> String {
        zone::in_force(&self.client_timezone)
    }

    /// Makes domain values of the members.
    ///
    /// # Errors
    /// Lists every member that is invalid.
    pub fn validate(&self) -> Result<TaggedQuery<HeatmapQuery>, Problem> {
        let mut validation = Validation::default();
        let filter = self.filter.filter(&mut validation);
        let tags = self.filter.tags(&mut validation);
        let zone = zone::validate(&mut validation, &self.client_timezone, &filter);
        let query = HeatmapQuery { filter, zone };
        validation.finish(|| Some(TaggedQuery { query, tags }))
    }
}

/// One hour of the week, over all weeks.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct HourView {
    /// 1 for Monday to 7 for Sunday.
    #[schemars(range(min = 1, max = 7))]
    pub weekday: u8,
    /// 0 to 23.
    #[schemars(range(min = 0, max = 23))]
    pub hour: u8,
    /// Visits in it.
    pub visits: u64,
    /// Distinct visitors in it.
    pub visitors: u64,
}

impl From<HeatmapRow> for HourView {
    fn from(row: HeatmapRow) -> Self {
        Self {
            weekday: row.hour.weekday(),
            hour: row.hour.hour(),
            visits: row.visits,
            visitors: row.visitors,
        }
    }
}
