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
//! use slugline_contract::Bounds;
//! use slugline_domain::Scope;
//! use slugline_rest::{Json, Operation, OperationSpec, Query, api};
//!
//! #[derive(Deserialize, Serialize, JsonSchema)]
//! struct Name {
//!     name: String,
//! }
//!
//! let spec = OperationSpec {
//!     method: Method::GET,
//!     path: "/api/acme/greeting",
//!     id: "acme_greet",
//!     tag: "Acme",
//!     summary: "Greet a person",
//!     description: "Says the name back.",
//!     needs: Access::always(Scope::LinksRead),
//!     fails: &[],
//! };
//! let greet = Operation::new(spec, async |Query(name): Query<Name>| Ok(Json::<200, _>(name)));
//! let routes = api("1.0.0", &Bounds::default()).operation(greet)?.finish();
//! let document = routes.document();
//! let documented = &document["paths"]["/api/acme/greeting"]["get"];
//! assert_eq!(documented["parameters"][0]["name"], "name");
//! # Ok::<(), slugline_rest::OperationRefused>(())
//! ```
//!
//! | module | holds |
//! |---|---|
//! | [`api`] | the list of operations |
//! | [`Operation`], `registrar`, `route_list` | declaration → documented operation and mounted route |
//! | `input`, `body`, `conditional` | inputs of handlers |
//! | `reply`, `streamed` | answers of handlers |
//! | `openapi` | the pieces of the document that operations share |
//! | `links`, `stats`, `visits`, `exports`, `access`, `domains`, `migration`, `instance`, `health`, `documents`, `document_pages` | the operations of one noun each |

mod access;
mod api;
mod body;
mod conditional;
mod document_pages;
mod documents;
mod domains;
mod exports;
mod health;
mod imagined_facts;
mod input;
mod instance;
mod links;
mod migration;
mod openapi;
mod operation;
mod registrar;
mod reply;
mod route_list;
mod stats;
mod streamed;
mod visits;

pub use api::api;
pub use body::{Body, Query};
pub use input::{
    CalledBy, ChangedBy, Changes, Context, Links, Outside, PublicUrl, RestState, Statistics,
};
pub use openapi::Responses;
pub use operation::{Operation, OperationSpec};
pub use registrar::{Api, ExternalOperation, OperationRefused};
pub use reply::{Json, NoContent, Reply};
pub use route_list::{BODY_LIMIT, RouteList};
