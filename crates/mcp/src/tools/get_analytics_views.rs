//! `get_analytics_views`

use slugline_application::{Access, StatsService};
use slugline_contract::{Answer, Problem, TimeBucket, ViewsRequest};
use slugline_httpkit::report;

use super::tool::{Context, Hints, Tool};

pub(crate) struct ViewsTool;

impl Tool for ViewsTool {
    const NAME: &'static str = "get_analytics_views";
    const DESCRIPTION: &'static str = "Count visits and distinct visitors of each minute, hour or day \
        that has any, in order of time. Give clientTimezone to get rows of the user's own clock; \
        startAt and endAt keep the answer short, since it has no limit. Filters take exact values, \
        DE,FR; !DE excludes, (none) is unknown. Visitors of several rows must not be added up.";
    const NEEDS: Access = StatsService::NEEDS;
    const HINTS: Hints = Hints::Reads;
    type Input = ViewsRequest;
    type Output = Answer<TimeBucket>;

    async fn call(
        context: Context<'_>,
        input: ViewsRequest,
    ) -> Result<Answer<TimeBucket>, Problem> {
        let asked = input.validate()?;
        let unit = asked.query.unit;
        let visits = context.stats().views(asked).await;
        let answer = TimeBucket::answer(unit, visits.map_err(report)?);
        Ok(answer.in_zone(input.zone()))
    }
}
