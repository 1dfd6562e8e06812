//! `tools/call`, for both generations.

use std::sync::Arc;

use jsonrpsee::types::ErrorCode;
use serde::Serialize;
use serde_json::{Map, Value, json, value::RawValue};
use slugline_contract::{Code, Problem};

use crate::{
    answer::{Raw, Refusal},
    server::{Exchange, Tools},
    text,
    tools::ToolContext,
};

/// A call as the client requested it.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) name: String,
    arguments: Value,
}

impl Call {
    /// # Errors
    /// The name is no string, or the arguments are no object.
    pub(crate) fn parse(params: &Map<String, Value>) -> Result<Self, Refusal> {
        let invalid = |what: &str| Refusal::new(200, ErrorCode::InvalidParams, what);
        let name = params.get("name").and_then(Value::as_str);
        let name = name.ok_or_else(|| invalid("Invalid params: name must be a string"))?;
        let arguments = match params.get("arguments") {
            None => json!({}),
            Some(arguments @ Value::Object(_)) => arguments.clone(),
            Some(_) => return Err(invalid("Invalid params: arguments must be an object")),
        };
        Ok(Self {
            name: name.to_owned(),
            arguments,
        })
    }

    /// Checks the scopes of an assistant before anything is done, because it can ask a person for
    /// more. Other callers learn from the error of the tool what they lack.
    ///
    /// # Errors
    /// The caller is an assistant that lacks a scope. The error names all that the call needs.
    pub(crate) fn permit(&self, exchange: &Exchange<'_>) -> Result<(), Refusal> {
        let caller = exchange.caller;
        let tool = exchange.server.tools.named(&self.name);
        let Some(tool) = tool.filter(|_| caller.is_assistant()) else {
            return Ok(());
        };
        let needs = tool.scopes_for(&self.arguments);
        if needs.iter().all(|scope| caller.may(*scope).is_ok()) {
            return Ok(());
        }
        Err(Refusal::insufficient_scope(needs))
    }

    /// Runs the tool; `None` if no tool has the name.
    pub(crate) async fn run(&self, exchange: &Exchange<'_>) -> Option<Outcome> {
        let server = exchange.server;
        let tool = server.tools.named(&self.name)?;
        let context = ToolContext {
            app: Arc::clone(&server.app),
            bounds: server.bounds.clone(),
            base: exchange.base.clone(),
            dashboard: exchange.dashboard.clone(),
            caller: exchange.caller.clone(),
            author: exchange.author.clone(),
            client: exchange.client.clone(),
        };
        Some(match tool.call(context, &self.arguments).await {
            Ok(result) => Outcome::success(result),
            Err(problem) => Outcome::failure(tool.spec.name, &problem),
        })
    }
}

/// Refuses any cursor: the list fits on one page, so no client ever got one.
///
/// # Errors
/// The request has a cursor.
pub(crate) fn refuse_cursor(params: &Map<String, Value>) -> Result<(), Refusal> {
    if params.contains_key("cursor") {
        let message = "Invalid params: the list has one page, call it without a cursor";
        return Err(Refusal::new(200, ErrorCode::InvalidParams, message));
    }
    Ok(())
}

/// The result of a call.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Outcome {
    content: [Text; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    structured_content: Option<Raw>,
    is_error: bool,
}

#[derive(Debug, Serialize)]
struct Text {
    r#type: &'static str,
    text: String,
}

impl Outcome {
    /// The text repeats the structured result: older clients see only text.
    fn success(result: Raw) -> Self {
        let escaped = text::escaped(result.get()).map(|json| {
            RawValue::from_string(json)
                .expect("escapes leave JSON as it is")
                .into()
        });
        Self {
            content: [Text {
                r#type: "text",
                text: text::of_result(result.get()),
            }],
            structured_content: Some(escaped.unwrap_or(result)),
            is_error: false,
        }
    }

    fn error(text: &str) -> Self {
        Self {
            content: [Text {
                r#type: "text",
                text: text::of_error(text),
            }],
            structured_content: None,
            is_error: true,
        }
    }

    /// A text that tells a model about the fault and the way to correct it.
    fn failure(tool: &str, problem: &Problem) -> Self {
        let Problem { title, detail, .. } = problem;
        let said = if problem.code == Code::ValidationError {
            format!("Input validation error: Invalid arguments for tool {tool}: {detail}")
        } else {
            format!("{tool} failed: {} {title}: {detail}", problem.status())
        };
        Self::error(&format!("{said}. {}", next_step(problem.code)))
    }

    pub(crate) fn unknown_tool(name: &str, tools: &Tools) -> Self {
        let names: Vec<&str> = tools.names().collect();
        let names = names.join(", ");
        Self::error(&format!("The tools are {names}; there is no tool {name}"))
    }
}

/// The next step for a model, by the names of tools.
fn next_step(code: Code) -> &'static str {
    match code {
        Code::ValidationError => "Mend these arguments and call again.",
        Code::InvalidCursor => "Start again without cursor, or send all else as before.",
        Code::LinkNotFound => "search_links and list_links show which slugs there are.",
        Code::SlugTaken => "get_link shows the link that has it; upsert_link takes it as it is.",
        Code::LinkModified => "get_link shows what it holds now.",
        Code::IdTaken => "Call again without id.",
        Code::IdempotencyKeyReused => "Call again with a new idempotencyKey.",
        Code::PreviewMode | Code::MissingScope => "It will not work later either; tell the user.",
        Code::OutOfReach => "Change these arguments as it says and call again.",
        Code::QueryTimeout => {
            "Ask for less: a shorter span, by startAt and endAt, fewer links, or a longer text to find."
        }
        Code::TooManyAttempts
        | Code::TokenBusy
        | Code::TooManyWrites
        | Code::Unavailable
        | Code::Busy => "Try again in a little while.",
        Code::InternalError => "It may work once more; if not, tell the user.",
        Code::MigrationRequired => "Whoever runs the server has to do that; tell the user.",
        Code::InvalidJson
        | Code::VersionNotFound
        | Code::PreconditionFailed
        | Code::InvalidCsv
        | Code::TooManyLinks
        | Code::Unauthorized
        | Code::TokenNotFound
        | Code::TokenNameTaken
        | Code::DomainNotFound
        | Code::DomainExists
        | Code::DomainHasLinks
        | Code::LinkExpired
        | Code::WrongPassword
        | Code::ConfirmationRequired
        | Code::ProxyTargetNotAllowed
        | Code::ProxyFailed
        | Code::ProxyBusy
        | Code::ServiceWorkerNotServed
        | Code::RouteNotFound
        | Code::MethodNotAllowed
        | Code::LinkDeleted
        | Code::MigrationRunGone
        | Code::MigrationPageDone
        | Code::RequestTimeout
        | Code::BodyTooLarge
        | Code::UriTooLong
        | Code::ContentCodingNotRead
        | Code::TooManyWatchers => "Tell the user.",
    }
}
