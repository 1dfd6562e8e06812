//! `get_analytics_metrics`

use slugline_application::{Access, StatsService};
use slugline_contract::{MetricView, MetricsRequest, Problem, Ranked};
use slugline_httpkit::report;

use super::tool::{Context, Hints, Tool};

pub(crate) struct MetricsTool;

impl Tool for MetricsTool {
    const NAME: &'static str = "get_analytics_metrics";
    const DESCRIPTION: &'static str = "Count visits by one property, such as country, referer, \
        browser or slug: the values with the most visits, most first. An empty name means unknown. \
        Give a small limit for a top list; others counts the visits that it leaves out. Filters take exact values, DE,FR; !DE excludes, (none) \
        is unknown; the names found here can be passed to them.";
    const NEEDS: Access = StatsService::NEEDS;
    const HINTS: Hints = Hints::Reads;
    type Input = MetricsRequest;
    type Output = Ranked<MetricView>;

    async fn call(
        context: Context<'_>,
        input: MetricsRequest,
    ) -> Result<Ranked<MetricView>, Problem> {
        let visits = context
            .stats()
            .metrics(input.validate(context.rules)?)
            .await
            .map_err(report)?;
        Ok(Ranked::from(visits).explained(&input))
    }
}
