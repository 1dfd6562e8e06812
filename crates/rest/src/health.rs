//! `GET /_health/live`, `GET /_health/ready` and `GET /_health/domain`, for operators, their probes and
//! their proxies.

use schemars::JsonSchema;
use serde::Serialize;
use slugline_application::Access;
use slugline_contract::{AskDomain, Code, Problem};
use slugline_httpkit::{Failure, report};

use crate::{body::Query, input::Context, operation::operations, reply::Json};

/// A healthy answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Health {
    /// Always `ok`; anything else is an error status.
    status: &'static str,
    /// The version that runs.
    version: &'static str,
}

/// The parts that can do their work.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Readiness {
    /// Always `ok`: links are served. Anything else is an error status.
    status: &'static str,
    /// The version that runs.
    version: &'static str,
    /// The parts of the service.
    parts: Parts,
}

/// The parts of the service.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Parts {
    /// The links database. Links on sound pages are served in any case.
    links: Part,
    /// The access log. Redirects go on without it.
    log: Part,
    /// The connection on which PostgreSQL announces changes that other nodes make.
    /// Without it this node reads each link again after a second. SQLite needs none.
    listener: Part,
    /// The disk of the data folder.
    disk: Part,
}

/// A part of the service.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Part {
    /// `degraded` when the operator should look at it.
    status: PartStatus,
    /// The faults; empty when there are none.
    reasons: Vec<String>,
}

/// The state of a part.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
enum PartStatus {
    /// It works.
    Ok,
    /// It works in part, or not at all.
    Degraded,
}

impl Part {
    fn with<R: ToString>(reasons: impl IntoIterator<Item = R>) -> Self {
        let reasons: Vec<String> = reasons.into_iter().map(|one| one.to_string()).collect();
        let status = if reasons.is_empty() {
            PartStatus::Ok
        } else {
            PartStatus::Degraded
        };
        Self { status, reasons }
    }
}

const HEALTHY: Health = Health {
    status: "ok",
    version: env!("CARGO_PKG_VERSION"),
};

operations! { "Health";
    health_live: GET "/_health/live" => live, Access::OPEN, [],
        "Is the process alive?",
        "Answers as long as the process serves requests at all.";
    health_ready: GET "/_health/ready" => ready, Access::OPEN, [Unavailable],
        "Can the service do its work?",
        "Answers 503 while the links database cannot be reached. Every other part that cannot do \
         its work is `degraded` in an answer of 200: redirects go on without it, so the service \
         should stay in rotation.";
    health_domain: GET "/_health/domain" => domain, Access::OPEN, [DomainNotFound],
        "Does the service have this host?",
        "Answers 200 for named domains, for the host of SLUGLINE_BASE_URL and for \
         SLUGLINE_ADMIN_HOST, and 404 for every other host. A proxy that gets certificates on \
         demand asks this first.";
}

async fn live() -> Result<Json<200, Health>, Failure> {
    Ok(Json(HEALTHY))
}

/// Answers from memory, because anybody may ask.
async fn domain(
    context: Context,
    Query(query): Query<AskDomain>,
) -> Result<Json<200, Health>, Failure> {
    match query.host() {
        Some(host) if context.app.domains.serves(&host) => Ok(Json(HEALTHY)),
        Some(_) | None => {
            let detail = "the service does not have this host; POST /api/domains adds one";
            Err(Problem::new(Code::DomainNotFound, detail).into())
        }
    }
}

const DAMAGED: &str = "some pages of the links database are damaged; `slugline doctor` names them";

const REFUSING: &str =
    "the last change of the links database failed; redirects go on, and the log says why";

const DEAF: &str = "the database announces no changes to this node, so it reads each link again after \
    a second; the log says why";

async fn ready(context: Context) -> Result<Json<200, Readiness>, Failure> {
    let links = &context.links_watch;
    let damaged = links.is_damaged().then_some(DAMAGED);
    let refusing = links.refuses_changes().then_some(REFUSING);
    match context.app.links.ready().await {
        Ok(()) => Ok(Json(Readiness {
            status: HEALTHY.status,
            version: HEALTHY.version,
            parts: Parts {
                links: Part::with(damaged.into_iter().chain(refusing)),
                log: Part::with(context.app.stats.log_troubles()),
                listener: Part::with((!context.app.links.hears_of_changes()).then_some(DEAF)),
                disk: Part::with(context.disk.trouble()),
            },
        })),
        Err(error) => {
            // The cause goes to the log output; the probe only needs to know that it should
            // wait.
            report(error);
            Err(Problem::new(Code::Unavailable, "the links database cannot be reached").into())
        }
    }
}
