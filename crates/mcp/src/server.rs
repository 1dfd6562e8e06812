//! The server behind every transport, and one exchange with it.

use std::{
    collections::BTreeSet,
    sync::{Arc, OnceLock},
};

use serde_json::{Value, json};
use slugline_application::{App, Caller};
use slugline_contract::Bounds;
use slugline_domain::{Author, BaseUrl, ProbeCaller};
use thiserror::Error;

use crate::{
    answer::Raw,
    tools::{self, Tool},
    versions::server_info,
};

/// The time for which clients may keep the tool list and the discovery result. Both
/// change only with the binary.
pub(crate) const CACHE_MS: u32 = 300_000;

/// The MCP server: tools on use cases.
#[derive(Clone, Debug)]
pub struct Server {
    /// The use cases.
    pub app: Arc<App>,
    /// The instance's bounds.
    pub bounds: Bounds,
    /// The tools.
    pub tools: Arc<Tools>,
}

impl Server {
    /// Returns the names of the tools of every instance, in the order in which they are listed.
    pub fn tool_names() -> impl Iterator<Item = &'static str> {
        tools::built_in().into_iter().map(|tool| tool.spec.name)
    }
}

/// The tools of an instance, and everything about them that no request changes.
#[derive(Debug)]
pub struct Tools {
    pub(crate) version: &'static str,
    bounds: Bounds,
    all: Vec<Tool>,
    /// Made for the first client that asks.
    lists: OnceLock<Lists>,
}

/// The descriptions of all tools, and the answers to callers who may use all.
#[derive(Debug)]
struct Lists {
    described: Vec<Value>,
    legacy: Raw,
    modern: Raw,
}

/// The reason why a tool cannot be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ToolRefused {
    /// A tool has the name already.
    #[error("two tools have the name {0}; give yours a name of its own")]
    NameTaken(&'static str),
    /// Clients would not take the name.
    #[error("{0:?} is no name of a tool: 1 to 64 letters, digits, _ and - are allowed")]
    Name(&'static str),
    /// Arguments are always an object.
    #[error("the input of the tool {0} is no object; use a struct with named fields")]
    Input(&'static str),
    /// Results are always an object.
    #[error("the output of the tool {0} is no object; use a struct with named fields")]
    Output(&'static str),
}

impl Tools {
    /// Prepares the tools of every instance and these after them, for an instance with these
    /// bounds and this version.
    ///
    /// # Errors
    /// A tool cannot be added.
    pub fn with(
        added: Vec<Tool>,
        bounds: &Bounds,
        version: &'static str,
    ) -> Result<Self, ToolRefused> {
        for (tool, described) in added.iter().zip(tools::describe_all(&added, bounds)) {
            let name = tool.spec.name;
            if !is_name(name) {
                return Err(ToolRefused::Name(name));
            }
            if described["inputSchema"]["type"] != "object" {
                return Err(ToolRefused::Input(name));
            }
            if described["outputSchema"]["type"] != "object" {
                return Err(ToolRefused::Output(name));
            }
        }
        let mut all = tools::built_in();
        all.extend(added);
        let mut names = BTreeSet::new();
        if let Some(tool) = all.iter().find(|tool| !names.insert(tool.spec.name)) {
            return Err(ToolRefused::NameTaken(tool.spec.name));
        }
        Ok(Self {
            version,
            bounds: bounds.clone(),
            all,
            lists: OnceLock::new(),
        })
    }

    fn lists(&self) -> &Lists {
        self.lists.get_or_init(|| {
            let described = tools::describe_all(&self.all, &self.bounds);
            Lists {
                legacy: legacy_list(&described),
                modern: modern_list(&described, self.version),
                described,
            }
        })
    }

    pub(crate) fn named(&self, name: &str) -> Option<&Tool> {
        self.all.iter().find(|tool| tool.spec.name == name)
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.all.iter().map(|tool| tool.spec.name)
    }

    /// The tools that the caller's token permits; `None` if the caller sees all.
    fn narrowed(&self, caller: &Caller) -> Option<Vec<Value>> {
        // An assistant can ask for what it lacks, if it knows that there is something.
        if caller.is_assistant() || tools::permitted(&self.all, caller).all(|permitted| permitted) {
            return None;
        }
        let tools = self.lists().described.iter();
        let tools = tools.zip(tools::permitted(&self.all, caller));
        let tools = tools.filter(|(_, permitted)| *permitted);
        Some(tools.map(|(tool, _)| tool.clone()).collect())
    }

    pub(crate) fn legacy_list(&self, caller: &Caller) -> Raw {
        match self.narrowed(caller) {
            None => self.lists().legacy.clone(),
            Some(tools) => legacy_list(&tools),
        }
    }

    pub(crate) fn modern_list(&self, caller: &Caller) -> Raw {
        match self.narrowed(caller) {
            None => self.lists().modern.clone(),
            Some(tools) => modern_list(&tools, self.version),
        }
    }
}

fn is_name(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (1..=64).contains(&name.len()) && name.bytes().all(plain)
}

/// The result of `tools/list` in the older revisions.
fn legacy_list(tools: &[Value]) -> Raw {
    Raw::of(&json!({"tools": tools}))
}

/// The result of `tools/list` in revision 2026-07-28.
fn modern_list(tools: &[Value], version: &str) -> Raw {
    Raw::of(&json!({
        "resultType": "complete",
        "ttlMs": CACHE_MS,
        "cacheScope": "private",
        "tools": tools,
        "_meta": server_info(version),
    }))
}

/// The headers that the protocol reads.
#[derive(Clone, Debug, Default)]
pub(crate) struct Headers {
    /// True if `Accept` admits JSON.
    pub(crate) takes_json: bool,
    pub(crate) protocol_version: Option<String>,
    pub(crate) method: Option<String>,
    pub(crate) name: Option<String>,
}

/// One HTTP request to the endpoint.
#[derive(Clone, Debug)]
pub(crate) struct Exchange<'a> {
    pub(crate) server: &'a Server,
    pub(crate) headers: &'a Headers,
    /// The public address of the service, for short links in results.
    pub(crate) base: &'a BaseUrl,
    /// The address of the dashboard's host.
    pub(crate) dashboard: &'a BaseUrl,
    /// The caller, by the token of the request.
    pub(crate) caller: &'a Caller,
    /// The author of the changes that the request makes.
    pub(crate) author: &'a Author,
    /// The facts about the client that checked destinations get.
    pub(crate) client: &'a ProbeCaller,
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};
    use slugline_application::Access;

    use super::*;
    use crate::tools::{ToolEffect, ToolSpec};

    #[derive(Deserialize, Serialize, JsonSchema)]
    struct Named {
        name: String,
    }

    fn spec(name: &'static str) -> ToolSpec {
        ToolSpec {
            name,
            description: "Says a name.",
            needs: Access::OPEN,
            effect: ToolEffect::Reads,
        }
    }

    fn tool(name: &'static str) -> Tool {
        Tool::new(spec(name), async |_, input: Named| Ok(input))
    }

    fn refused(added: Vec<Tool>) -> Option<ToolRefused> {
        Tools::with(added, &Bounds::default(), "1").err()
    }

    #[test]
    fn a_tool_needs_a_name_of_its_own() {
        assert_eq!(refused(vec![tool("greet")]), None);
        let twice = refused(vec![tool("greet"), tool("greet")]);
        assert_eq!(twice, Some(ToolRefused::NameTaken("greet")));
        let ours = refused(vec![tool("get_link")]);
        assert_eq!(ours, Some(ToolRefused::NameTaken("get_link")));
        for name in ["", "say hello", "grüßen"] {
            assert_eq!(refused(vec![tool(name)]), Some(ToolRefused::Name(name)));
        }
    }

    #[test]
    fn a_tool_takes_and_gives_an_object() {
        let echo = Tool::new(spec("echo"), async |_, text: String| {
            Ok(Named { name: text })
        });
        assert_eq!(refused(vec![echo]), Some(ToolRefused::Input("echo")));
        let name = Tool::new(spec("name"), async |_, input: Named| Ok(input.name));
        assert_eq!(refused(vec![name]), Some(ToolRefused::Output("name")));
    }
}
