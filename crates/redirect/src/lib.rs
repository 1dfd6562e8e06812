//! Public redirects and gate pages.
//!
//! This crate knows HTTP and shows a decision of the domain to a visitor. It does not
//! know SQL, the API or the storage of visits. It serves every path that no other adapter
//! serves, so every slug is free to use.
//!
//! A request for a cached link waits for nothing but the resolver's cache, and
//! recording the visit is a push into a queue.
//!
//! | module | holds |
//! |---|---|
//! | `follow`, `redirects` | path → link → decision → answer; the parts that this needs |
//! | `mount` | the place at which redirects are mounted |
//! | `gate` | the password or confirmation that a visitor sends |
//! | `answer` | redirects, errors and pages as HTTP |
//! | `outcome` | counts of the outcomes of visits |
//! | `options`, `address` | settings of the public side |
//! | `location`, `disguise`, `percent` | destinations in headers, and in a form safe for people |
//! | `pages`, `words` | the pages in the service's own words, in ten languages |
//! | `locale` | the visitor's language |
//! | `link_pages`, `page_meta` | the preview of a link, and the frame around its destination |
//! | `proxy` | traffic between a visitor and a proxied destination |
//! | `page` | the common response of all pages |

#![expect(
    clippy::future_not_send,
    reason = "actix runs each handler on one thread"
)]

mod address;
mod answer;
mod disguise;
mod follow;
#[cfg(feature = "fuzzing")]
mod fuzzing;
mod gate;
mod link_pages;
mod locale;
mod location;
mod mount;
mod options;
mod outcome;
mod page;
mod page_meta;
mod pages;
mod percent;
mod proxy;
mod redirects;
mod words;

use std::sync::Arc;

use actix_web::{
    dev::{HttpServiceFactory, ServiceRequest, fn_service},
    web::{self, ServiceConfig},
};

pub use address::{Address, AddressError};
#[cfg(feature = "fuzzing")]
pub use fuzzing::{fuzz_content_type, fuzz_gate_form, fuzz_languages, fuzz_path, fuzz_query_merge};
pub use options::{CachePolicy, RedirectOptions, RedirectStatus, UnknownRedirectStatus};
pub use outcome::{Outcome, Outcomes};
pub use page::STYLE_PATH;
pub use proxy::{ProxyLimits, Proxying};
pub use redirects::{Moved, Redirects};

/// Redirects below a prefix such as `/s`, beside other services of an app: `/s/docs` follows the
/// link with the slug `docs`. Every other path stays with the app.
///
/// # Panics
/// The prefix is empty or does not start with a slash, so it would take the whole app;
/// [`configure`] is for that.
pub fn below(prefix: &str, redirects: &Arc<Redirects>) -> impl HttpServiceFactory + 'static {
    assert!(
        prefix.len() > 1 && prefix.starts_with('/'),
        "the prefix {prefix:?} is no path such as \"/s\""
    );
    web::scope(prefix)
        .configure(configure_service_paths)
        .configure(|config| configure(redirects, config))
}

/// Serves every path that no other service of the app or scope has, by its default service.
pub fn configure(redirects: &Arc<Redirects>, config: &mut ServiceConfig) {
    let redirects = Arc::clone(redirects);
    config.default_service(fn_service(move |request: ServiceRequest| {
        follow::serve(Arc::clone(&redirects), request)
    }));
}

/// Serves the style sheet of the pages at [`STYLE_PATH`], the only path of the service in this
/// crate.
pub fn configure_service_paths(config: &mut ServiceConfig) {
    config.service(
        web::resource(STYLE_PATH)
            .route(web::get().to(page::style))
            .route(web::head().to(page::style)),
    );
}
