//! The contract of every [`LinkStore`], a file for each subject. A back end calls
//! [`run_suite`] with a function that makes an empty store. A violated clause
//! panics, and the backtrace names it.
//!
//! The store is an [`AuditTrail`], too, because only that shows whether each change left its
//! line.

mod batches;
mod changes;
mod domains;
mod inserts;
mod likenesses;
mod listings;
mod lives;
mod requests;
mod searches;
mod shorthand;

use std::{future::Future, sync::Arc};

use slugline_domain::ports::{AuditTrail, LinkStore};

use crate::audit_trail_contract;

/// The hosts that each store of the suite must have as named domains.
pub const NAMED_HOSTS: [&str; 2] = ["b.example", "go.example"];

/// Runs every clause, each on its own store, which has no links and the named domains
/// [`NAMED_HOSTS`].
///
/// # Panics
/// A clause is violated.
pub async fn run_suite<S, F>(empty_store: impl Fn() -> F)
where
    S: LinkStore + AuditTrail + 'static,
    F: Future<Output = S>,
{
    inserts::a_stored_link_is_found_unchanged_with_its_tags_sorted(&empty_store().await).await;
    inserts::an_unknown_slug_is_absent_not_an_error(&empty_store().await).await;
    inserts::spelling_matters(&empty_store().await).await;
    inserts::an_active_link_keeps_its_slug(&empty_store().await).await;
    inserts::an_expired_link_gives_up_its_slug_and_its_tags(&empty_store().await).await;
    inserts::an_expired_link_gives_way_only_within_reach(&empty_store().await).await;
    inserts::a_link_that_the_instance_ended_is_expired(&empty_store().await).await;
    inserts::an_id_belongs_to_one_link(&empty_store().await).await;
    inserts::a_taken_slug_is_reported_before_a_taken_id(&empty_store().await).await;
    inserts::a_link_that_gives_way_keeps_its_slug_if_the_id_is_taken(&empty_store().await).await;
    inserts::of_many_concurrent_inserts_one_wins(Arc::new(empty_store().await)).await;
    batches::many_links_are_inserted_as_if_one_after_the_other(&empty_store().await).await;
    batches::a_batch_may_be_large_or_empty(&empty_store().await).await;
    batches::of_concurrent_batches_each_slug_has_one_winner(Arc::new(empty_store().await)).await;
    changes::an_update_replaces_everything_but_the_identity(&empty_store().await).await;
    changes::an_update_of_an_outdated_version_changes_nothing(&empty_store().await).await;
    changes::of_many_concurrent_updates_one_wins(Arc::new(empty_store().await)).await;
    changes::a_deleted_link_is_gone_with_its_tags(&empty_store().await).await;
    changes::only_the_known_version_of_a_link_is_deleted(&empty_store().await).await;
    changes::of_a_deletion_and_an_update_of_one_version_one_wins(Arc::new(empty_store().await))
        .await;
    listings::listings_are_ordered_and_paged_without_gaps(&empty_store().await).await;
    listings::listings_filter_by_status_and_tag(&empty_store().await).await;
    listings::listings_filter_by_text_and_slugs_in_any_order(&empty_store().await).await;
    listings::slugs_are_ordered_by_code_point(&empty_store().await).await;
    listings::tags_are_counted_by_name(&empty_store().await).await;
    listings::a_binding_hides_all_other_links(&empty_store().await).await;
    listings::links_are_found_by_any_of_their_tags(&empty_store().await).await;
    lives::so_many_visits_are_counted_and_no_more(&empty_store().await).await;
    lives::visits_of_another_version_are_not_counted(&empty_store().await).await;
    lives::a_changed_limit_keeps_the_visits_that_were_used(&empty_store().await).await;
    lives::of_many_concurrent_visits_so_many_are_counted(Arc::new(empty_store().await)).await;
    lives::a_visit_of_whichever_version_is_one_of_the_link_that_is_read(&empty_store().await).await;
    lives::an_update_changes_no_count(&empty_store().await).await;
    lives::listings_know_every_status(&empty_store().await).await;
    lives::only_an_expired_link_loses_its_slug(&empty_store().await).await;
    requests::a_link_keeps_the_digests_of_its_request(&empty_store().await).await;
    requests::a_request_makes_one_link(&empty_store().await).await;
    requests::of_one_request_that_comes_many_times_at_once_one_makes_a_link(Arc::new(
        empty_store().await,
    ))
    .await;
    searches::searches_find_text_anywhere_in_any_case_and_form(&empty_store().await).await;
    searches::searches_find_every_destination(&empty_store().await).await;
    searches::searches_meet_every_condition(&empty_store().await).await;
    searches::a_changed_link_is_found_by_its_new_text_only(&empty_store().await).await;
    likenesses::holders_of_keys_and_identities_are_found(&empty_store().await).await;
    likenesses::an_equal_link_is_found_among_those_to_one_destination(&empty_store().await).await;
    domains::one_slug_in_two_domains_is_two_links(&empty_store().await).await;
    domains::a_link_needs_a_domain_that_is_named(&empty_store().await).await;
    domains::a_batch_goes_into_several_domains(&empty_store().await).await;
    domains::lists_of_all_domains_are_ordered_and_paged_without_gaps(&empty_store().await).await;
    domains::lists_searches_and_counts_are_of_one_domain_or_of_all(&empty_store().await).await;
    domains::a_binding_to_domains_hides_the_links_of_others(&empty_store().await).await;
    domains::lines_tell_links_of_two_domains_apart(&empty_store().await).await;
    empty_store()
        .await
        .ping()
        .await
        .expect("a fresh store answers");
    audit_trail_contract::run_suite(empty_store).await;
}

#[cfg(test)]
mod tests {
    use slugline_domain::Host;

    use super::*;
    use crate::MemoryLinkStore;

    #[tokio::test]
    async fn the_store_in_memory_keeps_the_contract() {
        Box::pin(run_suite(|| async {
            let store = MemoryLinkStore::default();
            for host in NAMED_HOSTS {
                store.name_domain(Host::parse(host).expect("a host"));
            }
            store
        }))
        .await;
    }
}
