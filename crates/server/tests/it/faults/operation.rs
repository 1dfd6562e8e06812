//! A client's operations on links, and the classes of answers.

use serde_json::{Value, json};

use super::versions::{EXPIRED, link};
use crate::support::server::{Answer, Server};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Create,
    CreateOverExpired,
    Edit,
    Patch,
    Delete,
    Import,
}

/// The result of a request, as the client sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    /// The service acknowledged it.
    Acknowledged,
    /// The service reported a failure in the contract's form.
    Refused,
    /// There was no answer.
    Unanswered(String),
    /// An answer that such a request must not get.
    Improper(String),
}

impl Operation {
    /// The version that must be stored before the operation.
    pub(crate) fn before(self) -> Option<u32> {
        match self {
            Self::Create | Self::Import => None,
            Self::CreateOverExpired => Some(EXPIRED),
            Self::Edit | Self::Patch | Self::Delete => Some(1),
        }
    }

    /// The version that is stored after it changes the first one.
    pub(crate) fn after(self) -> Option<u32> {
        match self {
            Self::Create | Self::CreateOverExpired | Self::Import => Some(1),
            Self::Edit | Self::Patch => Some(2),
            Self::Delete => None,
        }
    }

    /// The number of links in one request.
    pub(crate) fn links(self) -> usize {
        if self == Self::Import { 5 } else { 1 }
    }

    /// The method, path behind `/api/link/` and body of a request that gives these links this
    /// version.
    pub(crate) fn request(
        self,
        slugs: &[String],
        version: u32,
    ) -> (&'static str, &'static str, Value) {
        let slug = &slugs[0];
        let whole = || link(slug, version);
        match self {
            Self::Create | Self::CreateOverExpired => ("POST", "create", whole()),
            Self::Edit => ("PUT", "edit", whole()),
            Self::Patch => ("PATCH", "edit", whole()),
            Self::Delete => ("POST", "delete", json!({"slug": slug})),
            Self::Import => {
                let links: Vec<Value> = slugs.iter().map(|slug| link(slug, version)).collect();
                ("POST", "import", json!({"version": "1.0", "links": links}))
            }
        }
    }

    /// Sends a request that gives these links this version.
    pub(crate) fn send(self, server: &Server, slugs: &[String], version: u32) -> Reply {
        let (method, path, body) = self.request(slugs, version);
        let call = server.api(method, &format!("/api/link/{path}")).json(&body);
        let answer = match call.try_send() {
            Ok(answer) => answer,
            Err(error) => return Reply::Unanswered(error.to_string()),
        };
        let expected = match self {
            Self::Create | Self::CreateOverExpired | Self::Edit => 201,
            Self::Patch | Self::Import => 200,
            Self::Delete => 204,
        };
        let imported = self != Self::Import || {
            answer.status == 200 && answer.json()["success"] == slugs.len()
        };
        if answer.status == expected && imported {
            Reply::Acknowledged
        } else {
            refusal(&answer)
        }
    }
}

/// Classifies the answer: a proper refusal by a service whose store fails, or an improper one.
pub(crate) fn refusal(answer: &Answer) -> Reply {
    let body: Value = serde_json::from_str(&answer.text).unwrap_or_default();
    let code = match answer.status {
        500 => "internal_error",
        503 => "unavailable",
        _ => "",
    };
    if body["error"] == true && body["statusCode"] == answer.status && body["code"] == code {
        Reply::Refused
    } else {
        Reply::Improper(format!("{} {}", answer.status, answer.text))
    }
}
