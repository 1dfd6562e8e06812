//! The list of routes.

use aide::openapi::{Info, License};
use slugline_contract::Bounds;

use crate::{
    access, document_pages, documents, domains, exports, health, instance,
    links::{change, create, history, inspect, read, transfer},
    migration,
    operation::Operation,
    registrar::Api,
    stats, visits,
};

/// Declares every REST route, for a binary of this version and an instance with these bounds, which
/// the schemas state.
pub fn api(version: &str, bounds: &Bounds) -> Api {
    let info = Info {
        title: "Slugline API".into(),
        summary: Some("Short links and their visits.".into()),
        description: Some(
            "Everything below `/api/` needs a bearer token: the site token, or a named one with the \
             scope that the operation states. Errors share one shape; `code` is the stable part of it."
                .into(),
        ),
        version: version.into(),
        license: Some(License {
            name: "Apache-2.0 OR MIT".into(),
            identifier: Some("Apache-2.0 OR MIT".into()),
            ..License::default()
        }),
        ..Info::default()
    };
    operations()
        .into_iter()
        .try_fold(Api::new(info, bounds), Api::operation)
        .expect("the service's own operations stand beside each other")
}

fn operations() -> Vec<Operation> {
    vec![
        create::link_create(),
        change::link_edit(),
        change::link_patch(),
        create::link_upsert(),
        read::link_get(),
        read::link_list(),
        read::link_search(),
        read::link_search_url(),
        read::link_count(),
        read::tag_list(),
        change::link_delete(),
        history::link_restore(),
        history::link_history(),
        history::link_trash(),
        change::link_batch(),
        inspect::link_check(),
        inspect::link_explain(),
        create::slug_suggest(),
        create::preview_suggest(),
        transfer::link_export(),
        transfer::link_import(),
        migration::migration_status(),
        migration::migration_run(),
        stats::stats_counters(),
        stats::stats_views(),
        stats::stats_metrics(),
        stats::stats_heatmap(),
        stats::visits_erase(),
        exports::stats_export(),
        visits::logs_stream(),
        visits::logs_events(),
        visits::logs_locations(),
        exports::logs_export(),
        instance::audit_list(),
        access::location_get(),
        access::token_verify(),
        access::code_redeem(),
        access::token_list(),
        access::token_make(),
        access::token_revoke(),
        domains::domain_list(),
        domains::domain_add(),
        domains::domain_edit(),
        domains::domain_remove(),
        instance::setup_get(),
        health::health_live(),
        health::health_ready(),
        health::health_domain(),
        documents::document_get(),
        document_pages::document_scalar(),
        document_pages::document_swagger(),
    ]
}
