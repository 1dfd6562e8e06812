//! `get_analytics_counters`

use slugline_application::{Access, StatsService};
use slugline_contract::{AnalyticsFilter, Answer, CounterView, Problem};
use slugline_httpkit::report;

use super::tool::{Context, Hints, Tool};

pub(crate) struct CountersTool;

impl Tool for CountersTool {
    const NAME: &'static str = "get_analytics_counters";
    const DESCRIPTION: &'static str = "Count visits, distinct visitors and distinct referring \
        hosts, for all links or those that match the filters. Filters take exact values, DE,FR; \
        !DE excludes, (none) is unknown. With id, there is one row per link that has visits. \
        sampling.exact says whether the numbers are counts or estimates. A visit is counted \
        within about a second.";
    const NEEDS: Access = StatsService::NEEDS;
    const HINTS: Hints = Hints::Reads;
    type Input = AnalyticsFilter;
    type Output = Answer<CounterView>;

    async fn call(
        context: Context<'_>,
        input: AnalyticsFilter,
    ) -> Result<Answer<CounterView>, Problem> {
        let report = context
            .stats()
            .counters(input.validate()?)
            .await
            .map_err(report)?;
        Ok(report.into())
    }
}
