//! `GET /_health/live` and `GET /_health/ready`, for whoever runs the service.

use actix_web::http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use slugline_contract::{Code, Problem};
use slugline_httpkit::Failure;

use crate::{extract::Context, registrar::About, reply::Json};

/// A healthy answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Health {
    /// Always `ok`; anything else is an error status.
    status: &'static str,
    /// The version that runs.
    version: &'static str,
}

const HEALTHY: Health = Health {
    status: "ok",
    version: env!("CARGO_PKG_VERSION"),
};

pub(crate) fn live_about() -> About {
    About {
        method: Method::GET,
        path: "/_health/live",
        id: "health_live",
        tag: "Health",
        summary: "Is the process alive?",
        description: "Answers as long as the process serves requests at all.",
        fails: &[],
    }
}

pub(crate) async fn live() -> Result<Json<200, Health>, Failure> {
    Ok(Json(HEALTHY))
}

pub(crate) fn ready_about() -> About {
    About {
        method: Method::GET,
        path: "/_health/ready",
        id: "health_ready",
        tag: "Health",
        summary: "Can the service do its work?",
        description: "Answers 503 while the links database cannot be reached.",
        fails: &[Code::Unavailable],
    }
}

pub(crate) async fn ready(context: Context) -> Result<Json<200, Health>, Failure> {
    match context.services.links.ready().await {
        Ok(()) => Ok(Json(HEALTHY)),
        Err(error) => {
            // Logs the cause; the probe only needs to know that it should wait.
            drop(Failure::from(error));
            Err(Problem::new(Code::Unavailable, "the links database cannot be reached").into())
        }
    }
}
