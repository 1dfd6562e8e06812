//! The tools, one file each, and what they have in common.

mod check_links;
mod count_links;
mod create_link;
mod delete_link;
mod get_analytics_counters;
mod get_link;
mod list_links;
mod list_tags;
mod search_links;
mod update_link;
mod upsert_link;

use std::{future::Future, pin::Pin};

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use slugline_application::Error;
use slugline_contract::{Problem, Rules, read, schema};
use slugline_domain::ProbeCaller;

use crate::{Services, answer::Raw};

/// Every tool, in the order in which they are listed.
pub(crate) static ALL: [Entry; 11] = [
    Entry::of::<list_links::ListLinksTool>(),
    Entry::of::<search_links::SearchLinksTool>(),
    Entry::of::<get_link::GetLinkTool>(),
    Entry::of::<count_links::CountLinksTool>(),
    Entry::of::<list_tags::ListTagsTool>(),
    Entry::of::<create_link::CreateLinkTool>(),
    Entry::of::<update_link::UpdateLinkTool>(),
    Entry::of::<upsert_link::UpsertLinkTool>(),
    Entry::of::<delete_link::DeleteLinkTool>(),
    Entry::of::<check_links::CheckLinksTool>(),
    Entry::of::<get_analytics_counters::CountersTool>(),
];

/// What a tool works with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context<'a> {
    pub(crate) services: &'a Services,
    pub(crate) origin: &'a str,
    /// What destinations may be told of the caller.
    pub(crate) caller: &'a ProbeCaller,
}

/// A tool: its name, what a model is told of it, and its types.
pub(crate) trait Tool {
    /// Verb, then noun.
    const NAME: &'static str;
    /// What it does, what it costs, what to call instead.
    const DESCRIPTION: &'static str;
    const HINTS: Hints;
    /// The same type that REST reads.
    type Input: DeserializeOwned + JsonSchema + Send;
    /// The same type that REST writes, as an object.
    type Output: Serialize + JsonSchema;

    /// Whether the instance lets anybody use the tool; asked before the
    /// arguments are looked at.
    ///
    /// # Errors
    /// It does not.
    fn permit(_: &Services) -> Result<(), Problem> {
        Ok(())
    }

    fn call(
        context: Context<'_>,
        input: Self::Input,
    ) -> impl Future<Output = Result<Self::Output, Problem>> + Send;
}

/// What a client may assume of a tool. Clients assume the worst of what is not
/// said, so everything is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Hints {
    /// Reads what is here.
    Reads,
    /// Reads, and asks servers elsewhere.
    ReadsWorld,
    /// Adds; calling twice adds twice.
    Adds,
    /// Adds unless it is there; calling twice changes nothing more.
    AddsOnce,
    /// Overwrites; calling twice changes nothing more.
    Replaces,
    /// Removes; calling twice changes nothing more.
    Removes,
}

impl Hints {
    fn annotations(self, title: &str) -> Value {
        let (destructive, idempotent) = match self {
            Self::Reads | Self::ReadsWorld => {
                let world = matches!(self, Self::ReadsWorld);
                return json!({"title": title, "readOnlyHint": true, "openWorldHint": world});
            }
            Self::Adds => (false, false),
            Self::AddsOnce => (false, true),
            Self::Replaces | Self::Removes => (true, true),
        };
        json!({
            "title": title, "readOnlyHint": false, "destructiveHint": destructive,
            "idempotentHint": idempotent, "openWorldHint": false,
        })
    }
}

/// A tool with its types hidden.
pub(crate) struct Entry {
    pub(crate) name: &'static str,
    pub(crate) call: for<'a> fn(Context<'a>, &'a Value) -> Calling<'a>,
    describe: fn(&Rules) -> Value,
}

type Calling<'a> = Pin<Box<dyn Future<Output = Result<Raw, Problem>> + Send + 'a>>;

impl Entry {
    const fn of<T: Tool>() -> Self {
        Self {
            name: T::NAME,
            call: call::<T>,
            describe: describe::<T>,
        }
    }
}

/// Every tool as `tools/list` shows it.
pub(crate) fn describe_all(rules: &Rules) -> Vec<Value> {
    ALL.iter().map(|tool| (tool.describe)(rules)).collect()
}

fn call<'a, T: Tool>(context: Context<'a>, arguments: &'a Value) -> Calling<'a> {
    Box::pin(async move {
        T::permit(context.services)?;
        let input = read::<T::Input>(arguments)?;
        Ok(Raw::of(&T::call(context, input).await?))
    })
}

fn describe<T: Tool>(rules: &Rules) -> Value {
    let title = title(T::NAME);
    json!({
        "name": T::NAME,
        "title": title,
        "description": T::DESCRIPTION,
        "inputSchema": schema::standalone::<T::Input>(rules),
        "outputSchema": schema::standalone::<T::Output>(rules),
        "annotations": T::HINTS.annotations(&title),
    })
}

/// `get_link` → `Get link`.
fn title(name: &str) -> String {
    let mut words = name.replace('_', " ");
    if let Some(first) = words.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    words
}

/// A use case's failure as a problem; the cause of a failure of ours is logged,
/// not told.
fn problem(error: Error) -> Problem {
    slugline_httpkit::Failure::from(error).0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_is_described_in_full_with_plain_schemas() {
        let tools = describe_all(&Rules::default());
        for tool in &tools {
            assert!(
                tool["description"].as_str().unwrap().len() > 40,
                "{}",
                tool["name"]
            );
            for schema in ["inputSchema", "outputSchema"] {
                assert_eq!(tool[schema]["type"], "object", "{} {schema}", tool["name"]);
                let text = tool[schema].to_string();
                assert!(
                    !text.contains("$ref") && !text.contains("$schema"),
                    "{text}"
                );
            }
            assert!(tool["annotations"]["readOnlyHint"].is_boolean());
        }
        assert_eq!(tools[2]["title"], "Get link");
        let size = json!(tools).to_string().len();
        assert!(size < 32 << 10, "the list has {size} bytes");
    }
}
