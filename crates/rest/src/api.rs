//! The list of routes.

use aide::openapi::{Info, License};
use slugline_contract::Rules;

use crate::{
    audit, document_pages, documents, domains, health, links, location, migration,
    operation::Operation, registrar::Api, setup, sign_in, stats, tokens, verify,
};

/// The facts about the instance that the document states.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ApiOptions {
    /// The binary's version.
    pub version: &'static str,
    /// The instance's bounds, which its schemas state.
    pub rules: Rules,
}

impl ApiOptions {
    /// Sets [`version`](Self#structfield.version).
    #[must_use]
    pub fn with_version(mut self, version: &'static str) -> Self {
        self.version = version;
        self
    }

    /// Sets [`rules`](Self#structfield.rules).
    #[must_use]
    pub fn with_rules(mut self, rules: Rules) -> Self {
        self.rules = rules;
        self
    }
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
    operations()
        .into_iter()
        .try_fold(Api::new(info, &options.rules), Api::operation)
        .expect("the service's own operations stand beside each other")
}

fn operations() -> Vec<Operation> {
    vec![
        Operation::new(links::create::spec(), links::create::handle),
        Operation::new(links::edit::spec(), links::edit::handle),
        Operation::new(links::patch::spec(), links::patch::handle),
        Operation::new(links::upsert::spec(), links::upsert::handle),
        Operation::new(links::query::spec(), links::query::handle),
        Operation::new(links::list::spec(), links::list::handle),
        Operation::new(links::search::spec(), links::search::handle),
        Operation::new(links::search_url::spec(), links::search_url::handle),
        Operation::new(links::count::spec(), links::count::handle),
        Operation::new(links::tags::spec(), links::tags::handle),
        Operation::new(links::delete::spec(), links::delete::handle),
        Operation::new(links::restore::spec(), links::restore::handle),
        Operation::new(links::history::spec(), links::history::handle),
        Operation::new(links::trash::spec(), links::trash::handle),
        Operation::new(links::batch::spec(), links::batch::handle),
        Operation::new(links::check::spec(), links::check::handle),
        Operation::new(links::explain::spec(), links::explain::handle),
        Operation::new(links::ai::spec(), links::ai::handle),
        Operation::new(links::og_ai::spec(), links::og_ai::handle),
        Operation::new(links::export::spec(), links::export::handle),
        Operation::new(links::import::spec(), links::import::handle),
        Operation::new(migration::status::spec(), migration::status::handle),
        Operation::new(migration::run::spec(), migration::run::handle),
        Operation::new(stats::counters::spec(), stats::counters::handle),
        Operation::new(stats::views::spec(), stats::views::handle),
        Operation::new(stats::metrics::spec(), stats::metrics::handle),
        Operation::new(stats::heatmap::spec(), stats::heatmap::handle),
        Operation::new(stats::erase::spec(), stats::erase::handle),
        Operation::new(stats::export::spec(), stats::export::handle),
        Operation::new(stats::stream::spec(), stats::stream::handle),
        Operation::new(stats::events::spec(), stats::events::handle),
        Operation::new(stats::locations::spec(), stats::locations::handle),
        Operation::new(stats::visits::spec(), stats::visits::handle),
        Operation::new(audit::spec(), audit::handle),
        Operation::new(location::spec(), location::handle),
        Operation::new(verify::spec(), verify::handle),
        Operation::new(sign_in::spec(), sign_in::handle),
        Operation::new(tokens::list::spec(), tokens::list::handle),
        Operation::new(tokens::make::spec(), tokens::make::handle),
        Operation::new(tokens::revoke::spec(), tokens::revoke::handle),
        Operation::new(domains::list::spec(), domains::list::handle),
        Operation::new(domains::add::spec(), domains::add::handle),
        Operation::new(domains::edit::spec(), domains::edit::handle),
        Operation::new(domains::remove::spec(), domains::remove::handle),
        Operation::new(setup::spec(), setup::handle),
        Operation::new(health::live_spec(), health::live),
        Operation::new(health::ready_spec(), health::ready),
        Operation::new(health::domain_spec(), health::domain),
        Operation::new(documents::spec(), documents::handle),
        Operation::new(document_pages::scalar_spec(), document_pages::scalar),
        Operation::new(document_pages::swagger_spec(), document_pages::swagger),
    ]
}
