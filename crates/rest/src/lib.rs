//! The REST adapter and its OpenAPI document.
//!
//! It knows actix, OpenAPI and the contract; it does not know SQL, MCP or how
//! a redirect is answered. Each route is declared once, with its handler, and
//! the declaration both mounts and documents it. Handlers extract, call one use
//! case, and wrap its result.
//!
//! ```
//! use actix_web::http::Method;
//! use schemars::JsonSchema;
//! use serde::{Deserialize, Serialize};
//! use slugline_application::Access;
//! use slugline_domain::Scope;
//! use slugline_rest::{ApiOptions, Json, Operation, OperationSpec, Query, api};
//!
//! #[derive(Deserialize, Serialize, JsonSchema)]
//! struct Name {
//!     name: String,
//! }
//!
//! let needs = Access::always(Scope::LinksRead);
//! let spec = OperationSpec::new(Method::GET, "/api/acme/greeting", "acme_greet", needs);
//! let greet = Operation::new(spec, async |Query(name): Query<Name>| Ok(Json::<200, _>(name)));
//! let routes = api(&ApiOptions::default()).operation(greet)?.finish();
//! let documented = &routes.document()["paths"]["/api/acme/greeting"]["get"];
//! assert_eq!(documented["parameters"][0]["name"], "name");
//! # Ok::<(), slugline_rest::OperationRefused>(())
//! ```
//!
//! | module | holds |
//! |---|---|
//! | [`api`] | the list of operations |
//! | [`Operation`], `operation_spec`, `registrar`, `failures`, `route_list` | declaration → documented operation and mounted route |
//! | `permit` | the check that the instance allows an operation |
//! | `extract`, `conditional`, `reply`, `slices`, `csv`, `table`, `parts`, `visit_body` | inputs and answers of handlers |
//! | `links`, `migration`, `stats`, `tokens`, `domains`, `audit`, `location`, `setup`, `verify`, `sign_in`, `health`, `documents`, `document_pages` | one handler per file |
//! | `repeatable` | requests that clients may send again under a key |
//! | `outside` | the instance as others see it |
//! | `lead_on` | addresses that people guess |

mod api;
mod audit;
mod conditional;
mod csv;
mod document_pages;
mod documents;
mod domains;
mod extract;
mod failures;
mod health;
mod lead_on;
mod links;
mod location;
mod migration;
mod operation;
mod operation_spec;
mod outside;
mod parts;
mod permit;
mod registrar;
mod repeatable;
mod reply;
mod route_list;
mod setup;
mod sign_in;
mod slices;
mod stats;
mod table;
mod tokens;
mod verify;
mod visit_body;

pub use api::{ApiOptions, api};
pub use extract::{
    Body, CalledBy, ChangedBy, Changes, Context, Links, PublicOrigin, Query, RestState, Statistics,
};
pub use operation::Operation;
pub use operation_spec::OperationSpec;
pub use outside::Outside;
pub use registrar::{Api, ExternalOperation, OperationRefused};
pub use reply::{Json, NoContent, Reply};
pub use route_list::{BODY_LIMIT, RouteList};
