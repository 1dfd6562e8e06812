//! The list of routes.

use aide::openapi::{Info, License};
use slugline_contract::Rules;

use crate::{
    document_pages, documents, health, links, location, migration, registrar::Api, stats, verify,
};

/// What the document says of the instance.
#[derive(Clone, Debug, Default)]
pub struct ApiOptions {
    /// The binary's version.
    pub version: &'static str,
    /// The instance's bounds, which its schemas state.
    pub rules: Rules,
}

/// Declares every REST route.
pub fn api(options: &ApiOptions) -> Api {
    let info = Info {
        title: "Slugline API".into(),
        summary: Some("Short links and their visits.".into()),
        description: Some(
            "Everything below `/api/` needs the site token as a bearer token. \
             Errors share one shape; `code` is the stable part of it."
                .into(),
        ),
        version: options.version.into(),
        license: Some(License {
            name: "Apache-2.0 OR MIT".into(),
            identifier: Some("Apache-2.0 OR MIT".into()),
            ..License::default()
        }),
        ..Info::default()
    };
    Api::new(info, &options.rules)
        .route(links::create::about(), links::create::handle)
        .route(links::edit::about(), links::edit::handle)
        .route(links::patch::about(), links::patch::handle)
        .route(links::upsert::about(), links::upsert::handle)
        .route(links::query::about(), links::query::handle)
        .route(links::list::about(), links::list::handle)
        .route(links::search::about(), links::search::handle)
        .route(links::search_url::about(), links::search_url::handle)
        .route(links::count::about(), links::count::handle)
        .route(links::tags::about(), links::tags::handle)
        .route(links::delete::about(), links::delete::handle)
        .route(links::check::about(), links::check::handle)
        .route(links::ai::about(), links::ai::handle)
        .route(links::og_ai::about(), links::og_ai::handle)
        .route(links::export::about(), links::export::handle)
        .route(links::import::about(), links::import::handle)
        .route(migration::status::about(), migration::status::handle)
        .route(migration::run::about(), migration::run::handle)
        .route(stats::counters::about(), stats::counters::handle)
        .route(stats::views::about(), stats::views::handle)
        .route(stats::metrics::about(), stats::metrics::handle)
        .route(stats::heatmap::about(), stats::heatmap::handle)
        .route(stats::export::about(), stats::export::handle)
        .route(stats::stream::about(), stats::stream::handle)
        .route(stats::events::about(), stats::events::handle)
        .route(stats::locations::about(), stats::locations::handle)
        .route(location::about(), location::handle)
        .route(verify::about(), verify::handle)
        .route(health::live_about(), health::live)
        .route(health::ready_about(), health::ready)
        .route(documents::about(), documents::handle)
        .route(document_pages::scalar_about(), document_pages::scalar)
        .route(document_pages::swagger_about(), document_pages::swagger)
}
