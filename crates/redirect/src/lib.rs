//! Public redirects and gate pages.
//!
//! This crate knows HTTP and shows a decision of the domain to a visitor. It does not
//! know SQL, the API or the storage of visits. It serves every path that no other adapter
//! serves, so every slug is free to use.
//!
//! A request for a cached link waits for nothing but the resolver's cache, and
//! recording the visit is a push into a queue.
//!
//! A program of one's own mounts redirects below a prefix with [`below`], or for everything that it
//! does not serve itself with [`configure`]. Neither asks for tokens.
//!
//! ```
//! use std::sync::Arc;
//!
//! use actix_web::{App, web};
//! use slugline_redirect::{Redirects, below};
//!
//! fn mount(redirects: &Arc<Redirects>) {
//!     let app = App::new()
//!         .service(below("/s", redirects))
//!         .route("/", web::get().to(async || "the rest is yours"));
//! }
//! ```
//!
//! `examples/below_a_prefix.rs` has the parts of [`Redirects`], too.
//!
//! | module | holds |
//! |---|---|
//! | `follow`, `redirects` | path → link → decision → answer; the parts that this needs |
//! | `foresee` | what a visitor would get |
//! | `mount` | the place at which redirects are mounted |
//! | `gate` | the password or confirmation that a visitor sends, and links that count their visits |
//! | `asked_domain` | the domain that a request is for |
//! | `answer` | redirects, errors and pages as HTTP |
//! | `outcome` | counts of the outcomes of visits |
//! | `options`, `address` | settings of the public side |
//! | `location`, `disguise` | destinations in headers, and in a form safe for people |
//! | `pages`, `words` | the pages in the service's own words, in ten languages |
//! | `link_pages` | the preview of a link, and the frame around its destination |
//! | `proxy` | traffic between a visitor and a proxied destination |
//! | `page` | the common response of all pages, and the facts about a link that they show |

#![expect(
    clippy::future_not_send,
    reason = "actix runs each handler on one thread"
)]

mod address;
mod answer;
mod asked_domain;
mod disguise;
mod follow;
mod foresee;
#[cfg(feature = "fuzzing")]
mod fuzzing;
mod gate;
mod link_pages;
mod location;
mod mount;
mod options;
mod outcome;
mod page;
mod pages;
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

#[cfg(test)]
mod tests {
    use actix_web::{
        App,
        http::{StatusCode, header::LOCATION},
        test::{TestRequest, call_service, init_service, read_body},
    };
    use slugline_application::{
        Gatekeeper, GatekeeperParts, NamedDomains, Passwords, Resolver, ResolverOptions,
    };
    use slugline_domain::{
        Visit,
        ports::{LinkStore, VisitSink},
    };
    use slugline_httpkit::Edge;
    use slugline_testkit::{ALL, FixedClock, MemoryLinkStore, NOON, NOTE, SeededRandom, link};

    use super::*;

    #[derive(Debug)]
    struct Unrecorded;

    impl VisitSink for Unrecorded {
        fn record(&self, _: Visit) {}
    }

    async fn redirects() -> Arc<Redirects> {
        let store = Arc::new(MemoryLinkStore::default());
        let secret = link("secret").password("$argon2id$").build();
        let mut pattern = link("gh").to("https://e.example/{path}").build();
        pattern.content.routing.forward_path = Some(true);
        for link in [
            link("docs").to("https://e.example/docs").build(),
            secret,
            pattern,
        ] {
            store.insert(&ALL, &link, &NOTE).await.unwrap();
        }
        let clock = Arc::new(FixedClock::at(NOON));
        let options = ResolverOptions::default();
        let domains = NamedDomains::default();
        let resolver = Resolver::new(store.clone(), clock.clone(), domains, options);
        let resolver = Arc::new(resolver);
        let gatekeeper = Gatekeeper::new(GatekeeperParts {
            passwords: Arc::new(Passwords::new(Arc::new(SeededRandom::new(1)))),
            store,
            resolver: Arc::clone(&resolver),
        });
        let edge = Arc::new(Edge::default());
        let captured = String::from("https://e.example/new");
        let moved = move |path: &str, _: Option<&str>| (path == "/old").then(|| captured.clone());
        Arc::new(Redirects {
            edge,
            resolver,
            gatekeeper: Arc::new(gatekeeper),
            visits: Arc::new(Unrecorded),
            clock,
            proxying: None,
            moved: Some(Moved::new(moved)),
            options: RedirectOptions::default(),
            outcomes: Outcomes::default(),
        })
    }

    /// The status, the location and the body of an app with redirects below `/s` and a default
    /// service of its own.
    async fn answer(path: &str) -> (StatusCode, String, String) {
        let redirects = redirects().await;
        let app = App::new()
            .service(below("/s", &redirects))
            .default_service(web::to(async || "the app's own"));
        let app = init_service(app).await;
        let request = TestRequest::with_uri(path).insert_header(("accept", "text/html"));
        let response = call_service(&app, request.to_request()).await;
        let status = response.status();
        let location = response.headers().get(LOCATION);
        let location = location.map_or("", |value| value.to_str().unwrap());
        let location = location.to_owned();
        let body = String::from_utf8(read_body(response).await.to_vec()).unwrap();
        (status, location, body)
    }

    #[actix_web::test]
    async fn redirects_below_a_prefix_leave_the_rest_to_the_app() {
        for (path, status, location) in [
            ("/s/docs", 301, "https://e.example/docs"),
            ("/s/docs/", 301, "https://e.example/docs"),
            ("/s/old", 302, "https://e.example/new"),
            ("/s", 200, ""),
            ("/s/", 200, ""),
            ("/s/nothing", 404, ""),
            ("/s/a/docs", 404, ""),
            ("/s/docs/a", 404, ""),
            ("/s/gh/a%20b/c", 301, "https://e.example/a%20b/c"),
            ("/s/%64ocs", 301, "https://e.example/docs"),
            ("/s/docs).", 301, "https://e.example/docs"),
            ("/s/docs&a=1", 301, "https://e.example/docs"),
            ("/s/%67h/a%20b|", 301, "https://e.example/a%20b%7C"),
        ] {
            let (answered, led_to, _) = answer(path).await;
            assert_eq!(answered.as_u16(), status, "{path}");
            assert_eq!(led_to, location, "{path}");
        }
        for path in ["/docs", "/", "/sdocs", "/_assets/page.css"] {
            assert_eq!(answer(path).await.2, "the app's own", "{path}");
        }
    }

    #[actix_web::test]
    async fn pages_below_a_prefix_ask_below_it() {
        for path in ["/s/secret", "/s/nothing", "/s/"] {
            let (_, _, page) = answer(path).await;
            let names_it = page.contains(r#"href="./_assets/page.css""#);
            assert!(names_it, "{path}: {page}");
        }
        let (_, _, page) = answer("/s/secret?a=b").await;
        // Without an action, a form goes to the address of its page.
        assert!(page.contains("<form method=\"post\">"), "{page}");
        let (status, _, _) = answer("/s/_assets/page.css").await;
        assert_eq!(status, 200);
    }

    #[actix_web::test]
    #[should_panic(expected = "is no path such as")]
    async fn a_prefix_that_takes_the_whole_app_is_refused() {
        let _ = below("", &redirects().await);
    }
}
