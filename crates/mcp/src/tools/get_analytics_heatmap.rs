//! `get_analytics_heatmap`

use slugline_application::{Access, StatsService};
use slugline_contract::{Answer, HeatmapRequest, HourView, Problem};
use slugline_httpkit::report;

use super::tool::{Context, Hints, Tool};

pub(crate) struct HeatmapTool;

impl Tool for HeatmapTool {
    const NAME: &'static str = "get_analytics_heatmap";
    const DESCRIPTION: &'static str = "Count visits and distinct visitors by hour of the week: \
        weekday 1 is Monday, hour 0 begins at midnight, hours without visits are left out. Give \
        clientTimezone to get the user's own clock. Filters take exact values, DE,FR; !DE excludes, \
        (none) is unknown.";
    const NEEDS: Access = StatsService::NEEDS;
    const HINTS: Hints = Hints::Reads;
    type Input = HeatmapRequest;
    type Output = Answer<HourView>;

    async fn call(
        context: Context<'_>,
        input: HeatmapRequest,
    ) -> Result<Answer<HourView>, Problem> {
        let query = input.validate()?;
        let visits = context.stats().heatmap(query).await;
        Ok(Answer::from(visits.map_err(report)?).in_zone(input.zone()))
    }
}
