//! `GET /api/verify`: clients ask it whether their token is right.

use actix_web::http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use slugline_httpkit::Failure;

use crate::{extract::Context, registrar::About, reply::Json};

/// Who the caller is, which with one token is always the same.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Identity {
    /// The software's name.
    name: &'static str,
    /// The address of this instance.
    url: String,
    /// How the caller was recognised.
    auth_method: &'static str,
    /// Always `root`.
    #[serde(rename = "userID")]
    user_id: &'static str,
    /// `root` at this host.
    user_email: String,
    /// Whether another way of signing in is configured.
    access_enabled: bool,
}

pub(crate) fn about() -> About {
    About {
        method: Method::GET,
        path: "/api/verify",
        id: "token_verify",
        tag: "Access",
        summary: "Check the token",
        description: "Answers when the token is right; 401 otherwise.",
        fails: &[],
    }
}

pub(crate) async fn handle(context: Context) -> Result<Json<200, Identity>, Failure> {
    let origin = context.origin.as_str();
    Ok(Json(Identity {
        name: "Slugline",
        url: origin.to_owned(),
        auth_method: "site-token",
        user_id: "root",
        user_email: format!("root@{}", host_name(origin)),
        access_enabled: false,
    }))
}

/// The host of an origin, without scheme and port.
fn host_name(origin: &str) -> &str {
    let host = origin.split_once("://").map_or(origin, |(_, host)| host);
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        Some(_) | None => host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_port_is_not_part_of_a_host_name() {
        assert_eq!(host_name("https://sl.example"), "sl.example");
        assert_eq!(host_name("http://localhost:8080"), "localhost");
        assert_eq!(host_name("http://[::1]:8080"), "[::1]");
    }
}
