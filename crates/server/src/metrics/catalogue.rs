//! The list of metrics. `docs/operations.md` repeats it for people, and tests compare the two
//! and the dashboard in `deploy`.

/// The type of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Only grows until the service restarts.
    Counter,
    /// Goes up and down.
    Gauge,
    /// Durations by buckets.
    Histogram,
}

impl Kind {
    /// The type's name in the text format.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
        }
    }
}

/// A metric.
#[derive(Clone, Copy, Debug)]
pub(super) struct Metric {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) help: &'static str,
}

const fn counter(name: &'static str, help: &'static str) -> Metric {
    let kind = Kind::Counter;
    Metric { name, kind, help }
}

const fn gauge(name: &'static str, help: &'static str) -> Metric {
    let kind = Kind::Gauge;
    Metric { name, kind, help }
}

const fn histogram(name: &'static str, help: &'static str) -> Metric {
    let kind = Kind::Histogram;
    Metric { name, kind, help }
}

/// Every metric, in the order of the text.
pub(super) const METRICS: &[Metric] = &[
    gauge(
        "slugline_build_info",
        "Always 1; the version is in the label.",
    ),
    gauge(
        "process_start_time_seconds",
        "Unix time at which the service started.",
    ),
    histogram(
        "slugline_http_request_duration_seconds",
        "Time until an answer began, by route and class of status.",
    ),
    counter(
        "slugline_redirects_total",
        "Requests for links, by what became of them.",
    ),
    counter(
        "slugline_link_cache_hits_total",
        "Slugs that were answered from memory.",
    ),
    counter(
        "slugline_link_cache_misses_total",
        "Slugs that the store had to be asked for.",
    ),
    gauge(
        "slugline_link_cache_entries",
        "Slugs in memory, those without a link included.",
    ),
    gauge(
        "slugline_link_cache_bytes",
        "Bytes that they take, roughly.",
    ),
    gauge("slugline_domains", "Named domains that this node knows."),
    counter(
        "slugline_watch_requests_total",
        "Requests to destinations by the watch of this node, by their outcome.",
    ),
    gauge(
        "slugline_links_damaged",
        "1 if the check after the start found damage in the links database.",
    ),
    histogram(
        "slugline_store_duration_seconds",
        "Time that the links database took, by kind of operation.",
    ),
    gauge(
        "slugline_visit_queue_visits",
        "Visits that wait to be written.",
    ),
    gauge(
        "slugline_visit_queue_bytes",
        "Memory that waiting visits take.",
    ),
    counter(
        "slugline_visits_recorded_total",
        "Visits that became rows of the access log.",
    ),
    counter(
        "slugline_visits_sampled_total",
        "Visits that other rows stand for.",
    ),
    counter(
        "slugline_visits_dropped_total",
        "Visits that the service dropped.",
    ),
    histogram(
        "slugline_log_append_duration_seconds",
        "Time until a batch of visits was durable.",
    ),
    gauge(
        "slugline_log_trouble",
        "1 while something is wrong with the access log, by what it is.",
    ),
    gauge(
        "slugline_file_size_bytes",
        "Size of the databases in files, with what SQLite keeps beside them.",
    ),
    gauge(
        "slugline_password_hashes_in_flight",
        "Argon2 hashes that are being computed.",
    ),
    counter(
        "slugline_limit_hits_total",
        "Clients whom a limit turned away, by limit.",
    ),
    counter("slugline_backups_total", "Scheduled backups, by their end."),
    gauge(
        "slugline_backup_newest_timestamp_seconds",
        "Unix time of the newest scheduled backup; 0 for none.",
    ),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn names() -> BTreeSet<&'static str> {
        METRICS.iter().map(|metric| metric.name).collect()
    }

    /// The words of a text that look like our metrics.
    fn words(text: &str) -> BTreeSet<&str> {
        let words =
            text.split(|character: char| !(character.is_ascii_alphanumeric() || character == '_'));
        let ours = |word: &&str| word.starts_with("slugline_") || word.starts_with("process_");
        words.filter(ours).collect()
    }

    #[test]
    fn names_follow_the_conventions() {
        assert_eq!(names().len(), METRICS.len());
        for Metric { name, kind, help } in METRICS {
            assert_eq!(name.ends_with("_total"), *kind == Kind::Counter, "{name}");
            assert!(
                *kind != Kind::Histogram || name.ends_with("_duration_seconds"),
                "{name}"
            );
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
