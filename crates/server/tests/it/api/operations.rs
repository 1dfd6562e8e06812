//! Every operation of the document and every tool, a row for each.

use std::{fs, sync::LazyLock};

use serde_json::Value;

use crate::{
    mcp::wire::BOTH,
    support::{
        repository,
        server::{Answer, Server},
    },
};

/// The answer of an operation to a token that is bound to other links than its input names.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Bound {
    /// It shows the links of the token, whichever they are, and no other.
    Links,
    /// Its numbers of visits or links add up to the number of the token's links.
    Number,
    /// It is about no link at all.
    Nothing,
    /// There is no such link.
    NoLink,
    /// It says to add a tag of the binding, or that the token makes no links.
    OutOfReach,
    /// No bound token has the scope.
    Admin,
    /// A test of its own looks at the answer.
    Apart,
}

/// An operation, and an input that it takes.
#[derive(Debug)]
pub(crate) struct Operation {
    pub(crate) id: &'static str,
    pub(crate) method: String,
    pub(crate) path: String,
    /// Empty where every token will do, and where none is needed.
    pub(crate) scope: &'static str,
    pub(crate) bound: Bound,
    /// A query for GET and DELETE, else a body; `null` for none. The tool takes the same.
    pub(crate) input: Value,
    /// The tool of the same use case.
    pub(crate) tool: Option<&'static str>,
    /// The operation in the document.
    pub(crate) documented: Value,
}

/// The operation, its scope, what a bound token gets, an input, and the tool or the reason for
/// having none.
const ROWS: &str = r#"
link_create     | links:write    | reach   | {"url": "http://127.0.0.1:9/new", "tags": ["x"]} | create_link
link_upsert     | links:write    | reach   | {"url": "http://127.0.0.1:9/new"} | upsert_link
link_edit       | links:write    | no link | {"slug": "theirs-1", "url": "http://127.0.0.1:9/new"} | update_link
link_get        | links:read     | no link | {"slug": "theirs-1"}  | get_link
link_list       | links:read     | links   | {"status": "all"}     | list_links
link_search     | links:read     | links   | {"q": "127.0.0.1"}    | search_links
link_count      | links:read     | number  | {"status": "all"}     | count_links
tag_list        | links:read     | links   | {}                    | list_tags
link_check      | links:read     | links   | {}                    | check_links
stats_counters  | analytics:read | number  | {}                    | get_analytics_counters
stats_views     | analytics:read | number  | {"unit": "day", "clientTimezone": "Etc/UTC"} | get_analytics_views
stats_metrics   | analytics:read | links   | {"type": "slug"}      | get_analytics_metrics
stats_heatmap   | analytics:read | number  | {"clientTimezone": "Etc/UTC"} | get_analytics_heatmap
link_delete     | links:write    | nothing | {"slug": "theirs-1"}  | delete_link
link_patch      | links:write    | no link | {"slug": "theirs-1", "comment": "c"} | an agent replaces the whole link
link_restore    | links:write    | no link | {"id": "theirs-1"}    | a person undoes what an agent did
link_history    | links:read     | no link | {"slug": "theirs-1"}  | for the person who undoes something
link_trash      | links:read     | nothing | {"domain": "*"}       | the same
link_batch      | links:write    | links   | {"action": "delete", "filter": {"status": "all"}, "dryRun": true} | one call of a model changes little
link_explain    | links:read     | no link | {"slug": "theirs-1"}  | for people who write rules
link_search_url | links:read     | nothing | {"url": "http://127.0.0.1:9/theirs-1"} | search_links takes long URLs
link_export     | admin          | admin   | {}                    | holds stored passwords
link_import     | links:write    | reach   | {"version": "1.0", "links": [{"url": "http://127.0.0.1:9/new", "slug": "new-1"}]} | files do not go through a model
slug_suggest    | links:write    | nothing | {"url": "http://127.0.0.1:9/new"} | an agent thinks of words itself
preview_suggest | links:write    | nothing | {"url": "http://127.0.0.1:9/new"} | the same
migration_status | admin         | admin   | {}                    | an operator moves links here, once
stats_export    | analytics:read | links   | {}                    | a file for spreadsheets
visits_erase    | admin          | admin   | {"slug": "named-1"}   | a person decides what is erased for good
logs_events     | analytics:read | links   | {}                    | an agent asks for totals
logs_export     | analytics:read | links   | {"format": "csv"}     | a file for databases
logs_locations  | analytics:read | nothing | {}                    | points for a map
logs_stream     | analytics:read | apart   | {}                    | an agent asks, it does not watch
location_get    | -              | nothing | {}                    | says nothing to an agent
setup_get       | -              | nothing | {}                    | an agent cannot change settings
token_verify    | -              | apart   | {}                    | an agent that is connected holds the token
token_list      | admin          | admin   | {}                    | an agent could outlive its own token
token_make      | admin          | admin   | {"name": "x", "scopes": ["links:read"]} | the same
token_revoke    | admin          | admin   | {"name": "x"}         | the same
audit_list      | admin          | admin   | {}                    | an agent should not watch people
domain_list     | links:read     | nothing | {}                    | domains are the operator's
domain_add      | admin          | admin   | {"host": "go.example"} | the same
domain_edit     | admin          | admin   | {"host": "go.example"} | the same
domain_remove   | admin          | admin   | {"host": "go.example", "links": "delete"} | the same
mcp_exchange    | -              | nothing | {"jsonrpc": "2.0", "id": 1, "method": "ping"} | is MCP itself
migration_run   | admin          | admin   | {}                    | an operator moves links here, once
code_redeem            | - | apart | {} | for the dashboard
health_live            | - | apart | {} | for process managers
health_ready           | - | apart | {} | for load balancers
health_domain          | - | apart | {} | for proxies that get certificates on demand
document_get           | - | apart | {} | MCP describes itself by tools/list
document_scalar        | - | apart | {} | for people
document_swagger       | - | apart | {} | for people
link_follow            | - | apart | {} | for visitors; an agent reads the destination with get_link
link_unlock            | - | apart | {} | for visitors
style_get              | - | apart | {} | for visitors' browsers
resource_describe      | - | apart | {} | connects an agent before there are tools
mcp_describe           | - | apart | {} | the same
authorization_describe | - | apart | {} | the same
client_register        | - | apart | {} | the same
consent_show           | - | apart | {} | the same
consent_decide         | - | apart | {} | the same
token_exchange         | - | apart | {} | the same
token_give_back        | - | apart | {} | the same
"#;

/// The committed document; a test compares it with what the program prints.
pub(super) static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
    let document = fs::read(repository("docs/openapi.json")).unwrap();
    serde_json::from_slice(&document).unwrap()
});

/// The rows. The last ends the lock of a migration.
pub(crate) static OPERATIONS: LazyLock<Vec<Operation>> =
    LazyLock::new(|| ROWS.trim().lines().map(operation).collect());

/// The operations that ask for a token. Their scopes and bindings apply.
pub(crate) fn guarded() -> impl Iterator<Item = &'static Operation> {
    OPERATIONS
        .iter()
        .filter(|row| row.path.starts_with("/api/"))
}

/// The operations with a tool, and the tools.
pub(crate) fn tools() -> impl Iterator<Item = (&'static Operation, &'static str)> {
    OPERATIONS.iter().filter_map(|row| Some((row, row.tool?)))
}

impl Operation {
    /// Asks by REST with this token.
    pub(crate) fn ask(&self, server: &Server, token: &str, input: &Value) -> Answer {
        let has_query = matches!(&*self.method, "GET" | "DELETE");
        let path = if has_query && input.is_object() {
            format!("{}?{}", self.path, query(input))
        } else {
            self.path.clone()
        };
        let call = server.by(token, &self.method, &path);
        if has_query {
            return call.send();
        }
        // The operation of MCP takes no other header.
        call.header("accept", BOTH).json(input).send()
    }

    /// Returns whether the document says that the operation refuses with this code.
    pub(crate) fn may_refuse(&self, code: &str) -> bool {
        let mut failures = self.documented["responses"].as_object().unwrap().values();
        failures.any(|failure| failure["description"].as_str().unwrap().contains(code))
    }
}

fn operation(row: &'static str) -> Operation {
    let cells: Vec<&str> = row.split(" | ").map(str::trim).collect();
    let [id, scope, bound, input, tool] = cells[..] else {
        panic!("five cells: {row}");
    };
    let (path, method, documented) = documented()
        .find(|(.., operation)| operation["operationId"] == id)
        .unwrap_or_else(|| panic!("the document has {id}"));
    Operation {
        id,
        method: method.to_uppercase(),
        path: path.clone(),
        scope: if scope == "-" { "" } else { scope },
        bound: match bound {
            "links" => Bound::Links,
            "number" => Bound::Number,
            "nothing" => Bound::Nothing,
            "no link" => Bound::NoLink,
            "reach" => Bound::OutOfReach,
            "admin" => Bound::Admin,
            "apart" => Bound::Apart,
            other => panic!("what is {other}?"),
        },
        input: serde_json::from_str(input).unwrap(),
        tool: (!tool.contains(' ')).then_some(tool),
        documented: documented.clone(),
    }
}

/// Path, method and description of every documented operation.
pub(crate) fn documented()
-> impl Iterator<Item = (&'static String, &'static String, &'static Value)> {
    let paths = DOCUMENT["paths"].as_object().unwrap().iter();
    paths.flat_map(|(path, item)| {
        let methods = item.as_object().unwrap().iter();
        methods.map(move |(method, operation)| (path, method, operation))
    })
}

/// The query that says the same as these members.
fn query(input: &Value) -> String {
    let members = input.as_object().unwrap().iter();
    let pairs = members.map(|(name, value)| match value.as_str() {
        Some(text) => format!("{name}={text}"),
        None => format!("{name}={value}"),
    });
    pairs.collect::<Vec<_>>().join("&")
}
