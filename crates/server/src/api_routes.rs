//! Every operation of the API: those of REST, and those of the other adapters.

use actix_web::http::Method;
use slugline_contract::Bounds;
use slugline_rest::{Api, ExternalOperation, OperationRefused, RouteList};

use crate::{VERSION, assistants, service_path::may_be_service_path};

/// Every operation of the API of an instance with these bounds.
pub(crate) fn declared(bounds: &Bounds) -> Result<Api, OperationRefused> {
    EXTERNAL_OPERATIONS
        .iter()
        .chain(&assistants::OPERATIONS)
        .try_fold(slugline_rest::api(VERSION, bounds), Api::external)
}

/// The routes by the names under which their requests are counted.
pub(crate) fn documented_paths(routes: &RouteList) -> impl Iterator<Item = String> + use<> {
    // Redirects have a name of their own.
    let paths = routes.paths().into_iter();
    paths
        .filter(|path| may_be_service_path(path))
        .map(str::to_owned)
}

/// The documented routes of the other adapters.
const EXTERNAL_OPERATIONS: [ExternalOperation; 4] = [
    ExternalOperation {
        method: Method::POST,
        path: slugline_mcp::PATH,
        id: "mcp_exchange",
        tag: "MCP",
        summary: "Model Context Protocol",
        description: "JSON-RPC messages of MCP over streamable HTTP, answered with plain JSON; \
                      revisions 2024-11-05 to 2026-07-28. `tools/list` shows the tools that the token \
                      permits.",
        takes: &["application/json"],
        answers: &[
            (200, "A JSON-RPC answer"),
            (202, "A notification was taken"),
            (400, "The message breaks a rule of the protocol"),
            (401, "The token is missing or wrong"),
            (
                403,
                "The request comes from a foreign web page, or an assistant lacks a scope, which the \
                 challenge names",
            ),
            (404, "Unknown method (revision 2026-07-28)"),
            (406, "The client does not accept the answer's media types"),
            (408, "The message came too slowly"),
            (413, "The message is too large"),
            (415, "The body is not JSON"),
            (429, "Too many failed attempts"),
        ],
    },
    ExternalOperation {
        method: Method::GET,
        path: "/{slug}",
        id: "link_follow",
        tag: "Redirects",
        summary: "Follow a link",
        description: "Redirects to the link's destination. A link with a password, or one flagged \
                      unsafe, answers with a page; programs send `x-link-password` and \
                      `x-link-confirm: true` instead. Bots of social networks get a preview of \
                      a link that has a title or a picture, and a cloaked link shows its \
                      destination in a frame. A proxied link, where the instance lets there be \
                      some, passes the destination's answer on, whatever the method.",
        takes: &[],
        answers: &[
            (
                200,
                "A page that asks for the password, warns, shows a preview or frames the destination",
            ),
            (301, "The destination; the status is a setting"),
            (
                302,
                "Nothing is here, and the instance has an address for that",
            ),
            (
                403,
                "The password is wrong, the warning was not confirmed, or a proxied link leads \
                 where the service does not go",
            ),
            (404, "No link has the slug"),
            (410, "The link has expired"),
            (429, "Too many wrong passwords"),
            (502, "The destination of a proxied link does not answer"),
            (
                503,
                "The link cannot be read, or too many passwords are being checked or links proxied",
            ),
        ],
    },
    ExternalOperation {
        method: Method::POST,
        path: "/{slug}",
        id: "link_unlock",
        tag: "Redirects",
        summary: "Answer a link's page",
        description: "Sends the password or the confirmation that the page asked for, as a form \
                      or as JSON.",
        takes: &["application/x-www-form-urlencoded", "application/json"],
        answers: &[
            (
                200,
                "The page again, the next one, or the framed destination",
            ),
            (301, "The destination of a link that asks for nothing"),
            (303, "The destination"),
            (
                403,
                "The password is wrong, or the warning was not confirmed",
            ),
            (404, "No link has the slug"),
            (408, "The form came too slowly"),
            (410, "The link has expired"),
            (429, "Too many wrong passwords"),
            (
                503,
                "The link cannot be read, or too many passwords are being checked",
            ),
        ],
    },
    ExternalOperation {
        method: Method::GET,
        path: slugline_redirect::STYLE_PATH,
        id: "style_get",
        tag: "Redirects",
        summary: "Style sheet of the pages",
        description: "The style sheet of the pages that visitors see.",
        takes: &[],
        answers: &[(200, "CSS")],
    },
];
