//! `get_analytics_views`

use slugline_application::StatsService;
use slugline_contract::{Answer, TimeBucket, ViewsRequest};
use slugline_httpkit::Failure;

use super::tool::{ToolContext, ToolEffect, ToolSpec};

pub(super) fn spec() -> ToolSpec {
    ToolSpec {
        name: "get_analytics_views",
        description: "Count visits and distinct visitors of each minute, hour or day \
        that has any, in order of time. Set clientTimezone for rows of the user's own clock; \
        startAt and endAt keep the answer short. Filters take exact values, DE,FR; !DE excludes, (none) is unknown. Visitors of several rows must not be added up.",
        needs: StatsService::NEEDS,
        effect: ToolEffect::Reads,
    }
}

pub(super) async fn call(
    context: ToolContext,
    input: ViewsRequest,
) -> Result<Answer<TimeBucket>, Failure> {
    let asked = input.validate()?;
    let unit = asked.query.unit;
    let visits = context.stats().views(asked).await;
    let answer = TimeBucket::answer(unit, visits?);
    Ok(answer.in_zone(input.zone()))
}
