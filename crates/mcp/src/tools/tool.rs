//! A tool, and what every tool works with.

use std::{fmt, future::Future, pin::Pin, sync::Arc};

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use slugline_application::{Access, App, Caller, LinkReader, LinkWriter, StatsReader};
use slugline_contract::{Bounds, Problem, Undo, UnknownNames, read, schema};
use slugline_domain::{Author, BaseUrl, ProbeCaller, Scope};
use slugline_httpkit::{Failure, report};

use crate::answer::Raw;

/// The use cases, and the facts about the request that calls a tool.
#[derive(Clone, Debug)]
pub struct ToolContext {
    /// The use cases.
    pub app: Arc<App>,
    /// The instance's bounds.
    pub bounds: Bounds,
    /// The public address of the service, for short links in results.
    pub base: BaseUrl,
    /// The address of the dashboard's host, for what a person can do there.
    pub dashboard: BaseUrl,
    /// The caller, by the token of the request.
    pub caller: Caller,
    /// The author of the changes that the tool makes.
    pub author: Author,
    /// The facts about the client that checked destinations get.
    pub client: ProbeCaller,
}

impl ToolContext {
    /// The links that the caller sees.
    pub fn links(&self) -> LinkReader {
        self.app.links.seen_by(&self.caller)
    }

    /// The links that the caller sees, and changes of them in the caller's name. Each change
    /// leaves a line in the audit trail.
    pub fn changes(&self) -> LinkWriter {
        let links = self.app.links.seen_at(&self.base);
        links.by(self.caller.clone(), self.author.clone())
    }

    /// Queries about the visits that the caller sees.
    pub fn stats(&self) -> StatsReader {
        self.app.stats.seen_by(&self.caller)
    }

    /// Tells a person how to undo what a tool did.
    pub(super) fn undo(&self) -> Undo<'_> {
        Undo {
            dashboard: self.dashboard.as_str(),
            keeping: self.app.links.keeping(),
        }
    }

    /// The instance's bounds, with its links where this client sees them.
    pub(super) fn bounds_here(&self) -> Bounds {
        self.bounds.seen_at(&self.base)
    }
}

/// The facts about a tool that its function's signature does not show.
#[derive(Clone, Copy, Debug)]
pub struct ToolSpec {
    /// Verb, then noun: `get_link`. Letters, digits, `_` and `-`, 64 at most.
    pub name: &'static str,
    /// The effect of the tool, its cost, and the tool to call instead, for a model.
    pub description: &'static str,
    /// The access rule; checked before the arguments are read.
    pub needs: Access,
    /// The effect that clients may assume.
    pub effect: ToolEffect,
}

/// The effects that clients may assume of a tool. Clients assume the worst where a
/// hint is missing, so every hint is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolEffect {
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

impl ToolEffect {
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
pub struct Tool {
    pub(crate) spec: ToolSpec,
    call: Box<Call>,
    describe: fn(&ToolSpec, &Bounds) -> Value,
    also_needs: fn(&Value) -> Option<Scope>,
}

type Call = dyn Fn(ToolContext, &Value) -> Calling + Send + Sync;

type Calling = Pin<Box<dyn Future<Output = Result<Raw, Failure>> + Send>>;

impl Tool {
    /// Makes a tool of a function that gets the context of a call and the call's arguments.
    ///
    /// The arguments are an object of the type `I`: `tools/list` shows its schema, and a call
    /// with other members is refused before the function runs. A member that is null is absent.
    /// The result is an object of the
    /// type `O`. A [`Failure`] is made of an error of a use case, or of a
    /// [`Problem`].
    pub fn new<F, I, O, Fut>(spec: ToolSpec, function: F) -> Self
    where
        F: Fn(ToolContext, I) -> Fut + Send + Sync + 'static,
        I: DeserializeOwned + JsonSchema + Send + 'static,
        O: Serialize + JsonSchema,
        Fut: Future<Output = Result<O, Failure>> + Send + 'static,
    {
        let call = move |context: ToolContext, arguments: &Value| -> Calling {
            match arguments_of::<I>(arguments) {
                Ok(input) => {
                    let answer = function(context, input);
                    Box::pin(async move { Ok(Raw::of(&answer.await?)) })
                }
                Err(problem) => Box::pin(async { Err(problem.into()) }),
            }
        };
        Self {
            spec,
            call: Box::new(call),
            describe: describe::<I, O>,
            also_needs: |_| None,
        }
    }

    /// Names a scope that calls with some arguments need besides.
    pub(crate) fn also_needing(self, also_needs: fn(&Value) -> Option<Scope>) -> Self {
        Self { also_needs, ..self }
    }

    /// Every scope that a call with these arguments needs.
    pub(crate) fn scopes_for(&self, arguments: &Value) -> Vec<Scope> {
        let also = (self.also_needs)(arguments);
        self.spec.needs.scope().into_iter().chain(also).collect()
    }

    /// Checks that the caller may call the tool, reads the arguments, and runs the tool.
    pub(crate) async fn call(
        &self,
        context: ToolContext,
        arguments: &Value,
    ) -> Result<Raw, Problem> {
        let permitted = context.app.permit(&context.caller, self.spec.needs);
        permitted.map_err(report)?;
        let answer = (self.call)(context, arguments).await;
        answer.map_err(|failure| failure.report())
    }

    /// The tool as `tools/list` shows it.
    pub(crate) fn described(&self, bounds: &Bounds) -> Value {
        (self.describe)(&self.spec, bounds)
    }
}

/// Makes a function that returns the tools of a table. A row has the name of a tool, which is that
/// of its function, the access rule, the effect, after `also` a function for
/// [`Tool::also_needing`], and the description.
macro_rules! tools {
    ($(
        $name:ident: $needs:expr, $effect:ident $(also $also_needs:ident)?,
            $description:expr;
    )+) => {
        pub(super) fn tools() -> Vec<$crate::tools::tool::Tool> {
            use $crate::tools::tool::{Tool, ToolEffect, ToolSpec};

            vec![$({
                let spec = ToolSpec {
                    name: stringify!($name),
                    description: $description,
                    needs: $needs,
                    effect: ToolEffect::$effect,
                };
                Tool::new(spec, $name)$(.also_needing($also_needs))?
            }),+]
        }
    };
}
pub(super) use tools;

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tool").field(&self.spec).finish()
    }
}

fn arguments_of<I: DeserializeOwned + JsonSchema + 'static>(
    arguments: &Value,
) -> Result<I, Problem> {
    UnknownNames::of::<I>(arguments).refuse_all()?;
    read::<I>(arguments)
}

fn describe<I: JsonSchema, O: JsonSchema>(spec: &ToolSpec, bounds: &Bounds) -> Value {
    let mut input = schema::arguments::<I>(bounds);
    input.insert("additionalProperties".into(), false.into());
    json!({
        "name": spec.name,
        "title": title(spec.name),
        "description": spec.description,
        "inputSchema": input,
        "outputSchema": schema::result::<O>(bounds),
        "annotations": spec.effect.annotations(),
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
