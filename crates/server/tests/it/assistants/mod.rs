//! Assistants connect by an address: discovery, registration, consent, tokens.

mod flow; // the whole of it, by plain HTTP
mod hostile; // what strangers try
#[cfg(target_os = "linux")] // whose processes the tests stop
mod nodes; // two nodes, one of them killed
mod outside; // the public address, as assistants see it
pub(crate) mod sdks; // the official clients' own flows

use std::collections::BTreeMap;

use serde_json::{Value, json};
use url::{Url, form_urlencoded};

use crate::{
    mcp::wire::BOTH,
    support::server::{Answer, Call, Server, TOKEN},
};

/// The public address of the servers here. They do not have to be there for plain requests.
pub(crate) const ORIGIN: &str = "https://sl.example";
pub(crate) const RESOURCE: &str = "https://sl.example/api/mcp";
pub(crate) const CALLBACK: &str = "https://claude.ai/api/mcp/auth_callback";
// RFC 7636, appendix B.
pub(crate) const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
pub(crate) const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/// A server at which assistants connect.
pub(crate) fn start() -> Server {
    start_with(&[])
}

pub(crate) fn start_with(settings: &[(&str, &str)]) -> Server {
    let base = ("SLUGLINE_BASE_URL", ORIGIN);
    let all: Vec<(&str, &str)> = settings.iter().copied().chain([base]).collect();
    Server::start_with(&all)
}

pub(crate) type Pairs<'a> = BTreeMap<&'a str, &'a str>;

pub(crate) fn encoded(pairs: &Pairs<'_>) -> String {
    form_urlencoded::Serializer::new(String::new())
        .extend_pairs(pairs)
        .finish()
}

pub(crate) fn posted<'s>(server: &'s Server, path: &str, pairs: &Pairs<'_>) -> Call<'s> {
    let call = server.request("POST", path);
    let call = call.header("content-type", "application/x-www-form-urlencoded");
    call.body(&encoded(pairs))
}

pub(crate) fn register(server: &Server, metadata: &Value) -> Answer {
    server
        .request("POST", "/_oauth/register")
        .json(metadata)
        .send()
}

/// Registers an application and returns its identifier.
pub(crate) fn registered(server: &Server) -> String {
    let metadata = json!({"client_name": "Claude", "redirect_uris": [CALLBACK]});
    let made = register(server, &metadata).is(201);
    made.json()["client_id"].as_str().unwrap().to_owned()
}

/// The parameters of a proper request.
pub(crate) fn request(client: &str) -> Pairs<'_> {
    [
        ("response_type", "code"),
        ("client_id", client),
        ("redirect_uri", CALLBACK),
        ("code_challenge", CHALLENGE),
        ("code_challenge_method", "S256"),
        ("resource", RESOURCE),
        ("state", "x y&z"),
    ]
    .into()
}

pub(crate) fn authorize(pairs: &Pairs<'_>) -> String {
    format!("/_oauth/authorize?{}", encoded(pairs))
}

/// Signs in and returns the cookie.
pub(crate) fn sign_in(server: &Server, path: &str, token: &str) -> String {
    let entered = posted(server, path, &[("token", token)].into()).send();
    assert_eq!(entered.status, 303, "{}", entered.text);
    let page = path.split_once("/_oauth/").unwrap().1;
    assert_eq!(entered.header("location"), page, "relative to {path}");
    let cookie = entered.header("set-cookie");
    cookie.split(';').next().unwrap().to_owned()
}

pub(crate) fn show(server: &Server, path: &str, cookie: &str) -> Answer {
    server.request("GET", path).header("cookie", cookie).send()
}

/// The value that the form on a page brings back.
pub(crate) fn form_value(page: &Answer) -> String {
    let (_, rest) = page.text.split_once("name=\"form\" value=\"").unwrap();
    rest.split('"').next().unwrap().to_owned()
}

/// The form of a page, with these members besides.
pub(crate) fn decision<'s>(
    server: &'s Server,
    path: &str,
    cookie: &str,
    form: &str,
    members: &str,
) -> Call<'s> {
    let call = server.request("POST", path);
    let call = call.header("content-type", "application/x-www-form-urlencoded");
    let body = format!("form={form}&{members}");
    call.header("cookie", cookie).body(&body)
}

/// Sends the form of a page, with these members besides.
pub(crate) fn decide(
    server: &Server,
    path: &str,
    cookie: &str,
    form: &str,
    members: &str,
) -> Answer {
    decision(server, path, cookie, form, members).send()
}

pub(crate) const ALL: &str =
    "scope=links:read&scope=links:write&scope=analytics:read&decision=allow";

/// Signs in, agrees, and returns the parameters that the application gets.
pub(crate) fn agreed_to(server: &Server, path: &str, members: &str) -> BTreeMap<String, String> {
    let cookie = sign_in(server, path, TOKEN);
    let page = show(server, path, &cookie).is(200);
    let sent = decide(server, path, &cookie, &form_value(&page), members).is(303);
    told(&sent)
}

/// The parameters of the address that an answer leads to.
pub(crate) fn told(answer: &Answer) -> BTreeMap<String, String> {
    let location = Url::parse(answer.header("location")).unwrap();
    location.query_pairs().into_owned().collect()
}

/// A code for this application.
pub(crate) fn code_for(server: &Server, client: &str) -> String {
    let agreed = agreed_to(server, &authorize(&request(client)), ALL);
    agreed["code"].clone()
}

/// The parameters of a proper exchange.
pub(crate) fn exchange<'a>(client: &'a str, code: &'a str) -> Pairs<'a> {
    [
        ("grant_type", "authorization_code"),
        ("client_id", client),
        ("code", code),
        ("code_verifier", VERIFIER),
        ("redirect_uri", CALLBACK),
        ("resource", RESOURCE),
    ]
    .into()
}

pub(crate) fn renewal<'a>(client: &'a str, refresh: &'a str) -> Pairs<'a> {
    [
        ("grant_type", "refresh_token"),
        ("client_id", client),
        ("refresh_token", refresh),
    ]
    .into()
}

pub(crate) fn token(server: &Server, pairs: &Pairs<'_>) -> Answer {
    posted(server, "/_oauth/token", pairs).send()
}

/// The tokens of an application that was just connected.
pub(crate) struct Tokens {
    pub(crate) client: String,
    pub(crate) access: String,
    pub(crate) refresh: String,
}

pub(crate) fn connect(server: &Server) -> Tokens {
    let client = registered(server);
    let code = code_for(server, &client);
    let given = token(server, &exchange(&client, &code)).is(200);
    tokens_in(client, &given)
}

pub(crate) fn tokens_in(client: String, given: &Answer) -> Tokens {
    let given = given.json();
    let text = |name: &str| given[name].as_str().unwrap().to_owned();
    Tokens {
        client,
        access: text("access_token"),
        refresh: text("refresh_token"),
    }
}

/// Calls a tool with this token.
pub(crate) fn call_tool(server: &Server, token: &str, name: &str, arguments: &Value) -> Answer {
    let params = json!({"name": name, "arguments": arguments});
    rpc(server, token, "tools/call", &params)
}

pub(crate) fn rpc(server: &Server, token: &str, method: &str, params: &Value) -> Answer {
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    server
        .request("POST", "/api/mcp")
        .header("authorization", &format!("Bearer {token}"))
        .header("accept", BOTH)
        .header("mcp-protocol-version", "2025-11-25")
        .json(&body)
        .send()
}

/// The status of a call with this token.
pub(crate) fn enters(server: &Server, token: &str) -> u16 {
    call_tool(server, token, "count_links", &json!({})).status
}
