//! A tool, and what every tool works with.

use std::{future::Future, pin::Pin};

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use slugline_application::{Access, App, Caller, LinkReader, LinkWriter, StatsReader};
use slugline_contract::{Problem, Rules, UnknownNames, read, schema};
use slugline_domain::{Author, ProbeCaller};
use slugline_httpkit::report;

use crate::answer::Raw;

/// The use cases and the facts about a request that a tool works with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context<'a> {
    pub(crate) app: &'a App,
    pub(crate) rules: &'a Rules,
    pub(crate) origin: &'a str,
    /// The caller, by the token of the request.
    pub(crate) caller: &'a Caller,
    /// The author of the changes that the tool makes.
    pub(crate) author: &'a Author,
    /// The facts about the client that checked destinations get.
    pub(crate) client: &'a ProbeCaller,
}

impl Context<'_> {
    /// The use cases that change links, in the name of the caller.
    pub(super) fn writer(&self) -> LinkWriter {
        let links = &self.app.links;
        links.by(self.caller.clone(), self.author.clone())
    }

    /// The links that the caller sees.
    pub(super) fn links(&self) -> LinkReader {
        self.app.links.seen_by(self.caller)
    }

    /// Queries about the visits that the caller sees.
    pub(super) fn stats(&self) -> StatsReader {
        self.app.stats.seen_by(self.caller)
    }

    /// The instance's bounds, with its links where this client sees them.
    pub(super) fn rules_here(&self) -> Rules {
        self.rules.seen_at(self.origin)
    }
}

/// A tool: its name, its description for models, and its types.
pub(crate) trait Tool {
    /// Verb, then noun.
    const NAME: &'static str;
    /// The effect of the tool, its cost, and the tool to call instead.
    const DESCRIPTION: &'static str;
    /// The access rule of the use case; checked before the arguments are read.
    const NEEDS: Access;
    const HINTS: Hints;
    /// The input, the same type that REST reads.
    type Input: DeserializeOwned + JsonSchema + Send + 'static;
    /// The result, the same type that REST writes, as an object.
    type Output: Serialize + JsonSchema;

    fn call(
        context: Context<'_>,
        input: Self::Input,
    ) -> impl Future<Output = Result<Self::Output, Problem>> + Send;
}

/// The effects that clients may assume of a tool. Clients assume the worst where a
/// hint is missing, so every hint is set.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Hints {
    /// Reads data of this instance.
    Reads,
    /// Reads, and sends requests to other servers.
    ReadsWorld,
    /// Adds; a second call adds again.
    Adds,
    /// Adds unless it is there; a second call changes nothing more.
    AddsOnce,
    /// Overwrites; a second call changes nothing more.
    Replaces,
    /// Removes; a second call changes nothing more.
    Removes,
}

impl Hints {
    fn annotations(self) -> Value {
        let (destructive, idempotent) = match self {
            Self::Reads | Self::ReadsWorld => {
                let world = matches!(self, Self::ReadsWorld);
                return json!({"readOnlyHint": true, "openWorldHint": world});
            }
            Self::Adds => (false, false),
            Self::AddsOnce => (false, true),
            Self::Replaces | Self::Removes => (true, true),
        };
        json!({
            "readOnlyHint": false, "destructiveHint": destructive,
            "idempotentHint": idempotent, "openWorldHint": false,
        })
    }
}

/// A tool with its types hidden.
pub(crate) struct Entry {
    pub(crate) name: &'static str,
    pub(super) needs: Access,
    pub(crate) call: for<'a> fn(Context<'a>, &'a Value) -> Calling<'a>,
    pub(super) describe: fn(&Rules) -> Value,
}

type Calling<'a> = Pin<Box<dyn Future<Output = Result<Raw, Problem>> + Send + 'a>>;

impl Entry {
    pub(super) const fn of<T: Tool>() -> Self {
        Self {
            name: T::NAME,
            needs: T::NEEDS,
            call: call::<T>,
            describe: describe::<T>,
        }
    }
}

fn call<'a, T: Tool>(context: Context<'a>, arguments: &'a Value) -> Calling<'a> {
    Box::pin(async move {
        context
            .app
            .permit(context.caller, T::NEEDS)
            .map_err(report)?;
        UnknownNames::of::<T::Input>(arguments).refuse_all()?;
        let input = read::<T::Input>(arguments)?;
        Ok(Raw::of(&T::call(context, input).await?))
    })
}

fn describe<T: Tool>(rules: &Rules) -> Value {
    let mut input = schema::arguments::<T::Input>(rules);
    input.insert("additionalProperties".into(), false.into());
    json!({
        "name": T::NAME,
        "title": title(T::NAME),
        "description": T::DESCRIPTION,
        "inputSchema": input,
        "outputSchema": schema::result::<T::Output>(rules),
        "annotations": T::HINTS.annotations(),
    })
}

/// `get_link` → `Get link`.
pub(super) fn title(name: &str) -> String {
    let mut words = name.replace('_', " ");
    if let Some(first) = words.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    words
}
