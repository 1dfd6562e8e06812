//! Public redirects and gate pages.
//!
//! It knows HTTP and how a decision of the domain is shown to a visitor; it
//! does not know SQL, the API or where visits end up. Everything that no other
//! adapter serves comes here, so every slug is free to use.
//!
//! On the way of a known link that redirects nothing is awaited but the resolver's memory,
//! and recording the visit is a push into a queue.
//!
//! | module | holds |
//! |---|---|
//! | `follow` | path → link → decision → answer |
//! | `gate` | what a visitor presents at a password or a warning |
//! | `answer` | redirects, errors and pages as HTTP |
//! | `options`, `address` | what an instance decides: how redirects look, where home is |
//! | `location`, `disguise`, `percent` | destinations in headers and before people's eyes |
//! | `pages`, `words` | the pages in the service's own words, in ten languages |
//! | `locale` | which language a visitor reads |
//! | `link_pages`, `page_meta` | the preview of a link, and the frame around its destination |
//! | `proxy` | what passes between a visitor and a proxied destination |
//! | `page` | what all pages have in common |

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
mod options;
mod page;
mod page_meta;
mod pages;
mod percent;
mod proxy;
mod words;

use std::sync::Arc;

use actix_web::{
    dev::{ServiceRequest, fn_service},
    web::{self, ServiceConfig},
};
use slugline_application::{Gatekeeper, Resolver};
use slugline_domain::{
    InstanceRules,
    ports::{Clock, VisitSink},
};

pub use address::{Address, AddressError};
#[cfg(feature = "fuzzing")]
pub use fuzzing::{fuzz_content_type, fuzz_gate_form, fuzz_languages, fuzz_path, fuzz_query_merge};
pub use options::{CachePolicy, RedirectOptions, RedirectStatus, UnknownRedirectStatus};
pub use page::STYLE_PATH;
pub use proxy::{ProxyLimits, Proxying};

/// What following a link stands on.
#[derive(Debug)]
pub struct Redirects {
    /// Slug → link.
    pub resolver: Arc<Resolver>,
    /// Lets visitors past passwords.
    pub gatekeeper: Arc<Gatekeeper>,
    /// Where visits go.
    pub visits: Arc<dyn VisitSink>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Fetches the destinations of proxied links; without it, those redirect
    /// like others.
    pub proxying: Option<Proxying>,
    /// Where a path that no link has as its slug, with its query, has moved.
    pub moved: fn(&str, Option<&str>) -> Option<String>,
    /// What the instance decides.
    pub options: RedirectOptions,
}

impl Redirects {
    fn rules(&self) -> InstanceRules {
        InstanceRules {
            with_query: self.options.with_query,
            proxying: self.proxying.is_some(),
        }
    }
}

/// Serves the pages' style sheet, the one path of the service that is here.
pub fn configure_service_paths(config: &mut ServiceConfig) {
    config.service(
        web::resource(STYLE_PATH)
            .route(web::get().to(page::style))
            .route(web::head().to(page::style)),
    );
}

/// Serves every path that nothing else serves.
pub fn configure(redirects: &Arc<Redirects>, config: &mut ServiceConfig) {
    let redirects = Arc::clone(redirects);
    config.default_service(fn_service(move |request: ServiceRequest| {
        follow::serve(Arc::clone(&redirects), request)
    }));
}
