//! The dashboard at `/_dashboard/`: files in the binary, and nothing else.
//!
//! It knows HTTP caching and the policy of its page; it does not know the API,
//! which the page itself talks to with the token that a person types. `web`
//! holds the page's modules, `vendor` what they import of others, and `build`
//! packs both. [docs/dashboard.md](../../../docs/dashboard.md) says how to
//! change them.
//!
//! ```
//! use std::sync::Arc;
//!
//! use actix_web::{App, http::StatusCode, rt::System, test};
//! use slugline_httpkit::Edge;
//!
//! System::new().block_on(async {
//!     let edge = Arc::new(Edge::default());
//!     let app = App::new().configure(|config| slugline_dashboard::configure(&edge, config));
//!     let app = test::init_service(app).await;
//!     let request = test::TestRequest::get().uri(slugline_dashboard::PATH).to_request();
//!     assert_eq!(test::call_service(&app, request).await.status(), StatusCode::OK);
//! });
//! ```
//!
//! | module | holds |
//! |---|---|
//! | `packed` | the files, by path, plain and compressed |
//! | `answer` | a file as HTTP: validators, compression, policy |
//! | `words` | the words for the browser's language |
//! | `moved` | redirects for addresses of Sink's dashboard |

#![expect(
    clippy::future_not_send,
    reason = "actix runs each handler on one thread"
)]

mod answer;
mod moved;
mod packed;
mod words;

use std::sync::Arc;

use actix_web::{
    HttpRequest, HttpResponse, Resource,
    http::header::{CACHE_CONTROL, LOCATION},
    web::{self, ServiceConfig},
};
use slugline_httpkit::{Code, Edge, Failure, Problem, public};

pub use moved::moved;

/// The path of the dashboard; it owns every path below, but for the API's `sign-in`.
pub const PATH: &str = "/_dashboard/";

/// Mounts the page and its files.
pub fn configure(edge: &Arc<Edge>, config: &mut ServiceConfig) {
    let get = |path: &str| Resource::new(path.to_owned());
    config
        .service(public(get("/_dashboard").get(slash), edge))
        .service(public(get(PATH).get(page), edge))
        .service(public(get("/_dashboard/{page}").get(named_page), edge))
        .service(public(
            get("/_dashboard/{folder}/{file:.+}").get(file),
            edge,
        ));
}

async fn slash() -> HttpResponse {
    to("_dashboard/")
}

/// Relative, because a reverse proxy may have stripped a prefix.
fn to(address: &'static str) -> HttpResponse {
    HttpResponse::TemporaryRedirect()
        .insert_header((LOCATION, address))
        .insert_header((CACHE_CONTROL, "no-cache"))
        .finish()
}

async fn page(request: HttpRequest) -> Result<HttpResponse, Failure> {
    show("links", &request)
}

/// The addresses of views are one level deep, so that relative addresses have the same
/// meaning in each. A name without a dot was typed by a person.
async fn named_page(
    name: web::Path<String>,
    request: HttpRequest,
) -> Result<HttpResponse, Failure> {
    match show(&name, &request) {
        Err(_) if !name.contains('.') => Ok(to("./")),
        shown => shown,
    }
}

fn show(name: &str, request: &HttpRequest) -> Result<HttpResponse, Failure> {
    let page = packed::page(name).ok_or_else(nothing_here)?;
    Ok(answer::page(request, page))
}

async fn file(
    names: web::Path<(String, String)>,
    request: HttpRequest,
) -> Result<HttpResponse, Failure> {
    let (folder, path) = names.into_inner();
    // A page that was loaded before an update requests the files of its own version.
    if folder != packed::FOLDER {
        return Err(nothing_here());
    }
    let file = packed::find(&path).ok_or_else(nothing_here)?;
    Ok(answer::file(&request, &path, file))
}

fn nothing_here() -> Failure {
    let detail = "the dashboard has no such page or file; /_dashboard/ is its beginning";
    Problem::new(Code::RouteNotFound, detail).into()
}
