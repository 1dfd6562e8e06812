//! The list of routes.

use aide::openapi::{Info, License};
use slugline_contract::Rules;

use crate::{
    audit, document_pages, documents, health, links, location, migration, registrar::Api, setup,
    sign_in, stats, tokens, verify,
};

/// The facts about the instance that the document states.
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
            "Everything below `/api/` needs a bearer token: the site token, or a named one with the \
             scope that the operation states. Errors share one shape; `code` is the stable part of it."
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
        .route(links::create::spec(), links::create::handle)
        .route(links::edit::spec(), links::edit::handle)
        .route(links::patch::spec(), links::patch::handle)
        .route(links::upsert::spec(), links::upsert::handle)
        .route(links::query::spec(), links::query::handle)
        .route(links::list::spec(), links::list::handle)
        .route(links::search::spec(), links::search::handle)
        .route(links::search_url::spec(), links::search_url::handle)
        .route(links::count::spec(), links::count::handle)
        .route(links::tags::spec(), links::tags::handle)
        .route(links::delete::spec(), links::delete::handle)
        .route(links::batch::spec(), links::batch::handle)
        .route(links::check::spec(), links::check::handle)
        .route(links::ai::spec(), links::ai::handle)
        .route(links::og_ai::spec(), links::og_ai::handle)
        .route(links::export::spec(), links::export::handle)
        .route(links::import::spec(), links::import::handle)
        .route(migration::status::spec(), migration::status::handle)
        .route(migration::run::spec(), migration::run::handle)
        .route(stats::counters::spec(), stats::counters::handle)
        .route(stats::views::spec(), stats::views::handle)
        .route(stats::metrics::spec(), stats::metrics::handle)
        .route(stats::heatmap::spec(), stats::heatmap::handle)
        .route(stats::erase::spec(), stats::erase::handle)
        .route(stats::export::spec(), stats::export::handle)
        .route(stats::stream::spec(), stats::stream::handle)
        .route(stats::events::spec(), stats::events::handle)
        .route(stats::locations::spec(), stats::locations::handle)
        .route(stats::visits::spec(), stats::visits::handle)
        .route(audit::spec(), audit::handle)
        .route(location::spec(), location::handle)
        .route(verify::spec(), verify::handle)
        .route(sign_in::spec(), sign_in::handle)
        .route(tokens::list::spec(), tokens::list::handle)
        .route(tokens::make::spec(), tokens::make::handle)
        .route(tokens::revoke::spec(), tokens::revoke::handle)
        .route(setup::spec(), setup::handle)
        .route(health::live_spec(), health::live)
        .route(health::ready_spec(), health::ready)
        .route(documents::spec(), documents::handle)
        .route(document_pages::scalar_spec(), document_pages::scalar)
        .route(document_pages::swagger_spec(), document_pages::swagger)
}
