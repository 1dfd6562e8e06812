//! The list of metrics. `docs/operations.md` repeats it for people, and tests compare the two
//! and the dashboard in `deploy`.

/// The type of a metric, as the end of its name says it.
pub(super) fn kind_of(name: &str) -> &'static str {
    if name.ends_with("_total") {
        "counter"
    } else if name.ends_with("_duration_seconds") {
        HISTOGRAM
    } else {
        "gauge"
    }
}

/// Durations by buckets.
pub(super) const HISTOGRAM: &str = "histogram";

/// Every metric and its meaning, in the order of the text.
pub(super) const METRICS: &[(&str, &str)] = &[
    (
        "slugline_build_info",
        "Always 1; the version is in the label.",
    ),
    (
        "process_start_time_seconds",
        "Unix time at which the service started.",
    ),
    (
        "slugline_http_request_duration_seconds",
        "Time until an answer began, by route and class of status.",
    ),
    (
        "slugline_redirects_total",
        "Requests for links, by what became of them.",
    ),
    (
        "slugline_link_cache_hits_total",
        "Slugs that were answered from memory.",
    ),
    (
        "slugline_link_cache_misses_total",
        "Slugs that the store had to be asked for.",
    ),
    (
        "slugline_link_cache_entries",
        "Slugs in memory, those without a link included.",
    ),
    (
        "slugline_link_cache_bytes",
        "Bytes that they take, roughly.",
    ),
    ("slugline_domains", "Named domains that this node knows."),
    (
        "slugline_watch_requests_total",
        "Requests to destinations by the watch of this node, by their outcome.",
    ),
    (
        "slugline_links_damaged",
        "1 if the check after the start found damage in the links database.",
    ),
    (
        "slugline_store_duration_seconds",
        "Time that the links database took, by kind of operation.",
    ),
    (
        "slugline_visit_queue_visits",
        "Visits that wait to be written.",
    ),
    (
        "slugline_visit_queue_bytes",
        "Memory that waiting visits take.",
    ),
    (
        "slugline_visits_recorded_total",
        "Visits that became rows of the access log.",
    ),
    (
        "slugline_visits_sampled_total",
        "Visits that other rows stand for.",
    ),
    (
        "slugline_visits_dropped_total",
        "Visits that the service dropped.",
    ),
    (
        "slugline_log_append_duration_seconds",
        "Time until a batch of visits was durable.",
    ),
    (
        "slugline_log_trouble",
        "1 while something is wrong with the access log, by what it is.",
    ),
    (
        "slugline_file_size_bytes",
        "Size of the databases in files, with what SQLite keeps beside them.",
    ),
    (
        "slugline_password_hashes_in_flight",
        "Argon2 hashes that are being computed.",
    ),
    (
        "slugline_limit_hits_total",
        "Clients whom a limit turned away, by limit.",
    ),
    ("slugline_backups_total", "Scheduled backups, by their end."),
    (
        "slugline_backup_newest_timestamp_seconds",
        "Unix time of the newest scheduled backup; 0 for none.",
    ),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn names() -> BTreeSet<&'static str> {
        METRICS.iter().map(|(name, _)| *name).collect()
    }

    /// The words of a text that look like our metrics.
    fn words(text: &str) -> BTreeSet<&str> {
        let words =
            text.split(|character: char| !(character.is_ascii_alphanumeric() || character == '_'));
        let ours = |word: &&str| word.starts_with("slugline_") || word.starts_with("process_");
        words.filter(ours).collect()
    }

    #[test]
    fn names_are_unique_and_meanings_are_sentences() {
        assert_eq!(names().len(), METRICS.len());
        for (name, help) in METRICS {
            assert!(help.ends_with('.') && !help.contains('\n'), "{name}");
        }
    }

    #[test]
    fn the_manual_lists_every_metric_and_no_other() {
        let manual = include_str!("../../../../docs/operations.md");
        let listed: BTreeSet<&str> = manual
            .lines()
            .filter_map(|line| line.strip_prefix("| `")?.split_once('`'))
            .map(|(name, _)| name)
            .filter(|name| name.starts_with("slugline_") || name.starts_with("process_"))
            .collect();
        assert_eq!(listed, names());
        for word in words(manual) {
            assert!(
                names().contains(word) || word.starts_with("slugline_analytics"),
                "{word}"
            );
        }
    }

    #[test]
    fn the_dashboard_asks_for_metrics_that_exist() {
        let text = include_str!("../../../../deploy/grafana.json");
        let dashboard: serde_json::Value = serde_json::from_str(text).unwrap();
        let panels = dashboard["panels"].as_array().unwrap();
        let targets = panels
            .iter()
            .filter_map(|panel| panel["targets"].as_array());
        let mut asked = BTreeSet::new();
        for target in targets.flatten() {
            asked.extend(words(target["expr"].as_str().unwrap()));
        }
        assert!(asked.len() > 10);
        for name in asked {
            let of = |suffix: &str| name.strip_suffix(suffix);
            let of_histogram = of("_bucket").or(of("_sum")).or(of("_count"));
            assert!(
                names().contains(name) || of_histogram.is_some_and(|name| names().contains(name)),
                "{name}"
            );
        }
    }
}
