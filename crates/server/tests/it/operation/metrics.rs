//! The metrics for Prometheus.

use std::{collections::BTreeMap, net::TcpListener, thread};

use serde_json::json;

use crate::support::server::{Server, eventually};

/// A scrape, parsed by the rules of the format.
struct Scrape {
    /// The type of each metric.
    kinds: BTreeMap<String, String>,
    /// Every line, by its name and labels as written.
    values: BTreeMap<String, f64>,
}

impl Scrape {
    fn of(text: &str) -> Self {
        let mut scrape = Self {
            kinds: BTreeMap::new(),
            values: BTreeMap::new(),
        };
        assert!(text.ends_with('\n'));
        let mut helped = None;
        for line in text.lines() {
            if let Some(help) = line.strip_prefix("# HELP ") {
                let (name, help) = help.split_once(' ').unwrap();
                assert!(!help.is_empty());
                helped = Some(name.to_owned());
            } else if let Some(kind) = line.strip_prefix("# TYPE ") {
                let (name, kind) = kind.split_once(' ').unwrap();
                assert_eq!(helped.as_deref(), Some(name), "help comes first");
                assert!(["counter", "gauge", "histogram"].contains(&kind), "{line}");
                let before = scrape.kinds.insert(name.into(), kind.into());
                assert!(before.is_none(), "{name} twice");
            } else {
                scrape.take_value(line, helped.as_deref().unwrap());
            }
        }
        scrape.check_histograms();
        scrape
    }

    /// Parses `name{label="value",…} number`, of the metric named last.
    fn take_value(&mut self, line: &str, metric: &str) {
        let (series, value) = line.rsplit_once(' ').unwrap();
        let value: f64 = value.parse().unwrap_or_else(|_| panic!("{line}"));
        assert!(value >= 0.0 && value.is_finite(), "{line}");
        let (name, labels) = series.split_once('{').unwrap_or((series, ""));
        let suffix = name.strip_prefix(metric);
        let suffix = suffix.unwrap_or_else(|| panic!("{line}"));
        let kind = self.kinds[metric].as_str();
        assert_eq!(kind == "histogram", !suffix.is_empty(), "{line}");
        assert_eq!(kind == "counter", name.ends_with("_total"), "{line}");
        if let Some(labels) = labels.strip_suffix('}') {
            for label in labels.split("\",") {
                let (name, value) = label.split_once("=\"").unwrap_or_else(|| panic!("{line}"));
                let name_is_plain = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
                assert!(
                    !name.is_empty() && name.bytes().all(name_is_plain),
                    "{line}"
                );
                assert!(!value.trim_end_matches('"').contains('"'), "{line}");
            }
        } else {
            assert_eq!(labels, "", "{line}");
        }
        let before = self.values.insert(series.to_owned(), value);
        assert!(before.is_none(), "{series} twice");
    }

    /// Checks that buckets grow up to the count.
    fn check_histograms(&self) {
        for (series, count) in &self.values {
            let Some((name, labels)) = series.split_once("_count") else {
                continue;
            };
            if self.kinds.get(name).map(String::as_str) != Some("histogram") {
                continue;
            }
            let labels = labels.trim_start_matches('{').trim_end_matches('}');
            let beginning = format!("{name}_bucket{{{labels}");
            let mut buckets: Vec<(f64, f64)> = Vec::new();
            for (series, value) in &self.values {
                let rest = series.strip_prefix(&beginning).unwrap_or_default();
                let bound = rest.trim_start_matches(',').strip_prefix("le=\"");
                if let Some(bound) = bound.and_then(|bound| bound.strip_suffix("\"}")) {
                    buckets.push((bound.parse().unwrap(), *value));
                }
            }
            buckets.sort_by(|one, other| one.0.total_cmp(&other.0));
            assert!(buckets.len() > 10, "{series}");
            assert!(buckets.is_sorted_by_key(|bucket| bucket.1), "{series}");
            assert_eq!(buckets.last(), Some(&(f64::INFINITY, *count)), "{series}");
        }
    }

    #[track_caller]
    fn value(&self, series: &str) -> f64 {
        let value = self.values.get(series);
        *value.unwrap_or_else(|| panic!("{series} is not in {:#?}", self.values.keys()))
    }

    /// Checks that counters have grown since the other scrape.
    fn is_after(&self, earlier: &Self) {
        for (series, before) in &earlier.values {
            let name = series.split('{').next().unwrap();
            let grows = ["_total", "_bucket", "_sum", "_count"];
            if grows.iter().any(|suffix| name.ends_with(suffix)) {
                assert!(self.value(series) >= *before, "{series}");
            }
        }
    }
}

fn scrape(server: &Server) -> Scrape {
    let answer = server.get("/_metrics").is(200);
    let media_type = answer.header("content-type");
    assert!(
        media_type.starts_with("text/plain; version=0.0.4"),
        "{media_type}"
    );
    Scrape::of(&answer.text)
}

fn count(scrape: &Scrape, route: &str, status: &str) -> f64 {
    let name = "slugline_http_request_duration_seconds_count";
    scrape.value(&format!("{name}{{route=\"{route}\",status=\"{status}\"}}"))
}

#[test]
#[expect(clippy::float_cmp, reason = "counts are whole numbers")]
fn numbers_are_those_of_what_was_done() {
    let server = Server::start();
    for path in ["/_metrics", "/%5fmetrics"] {
        let stranger = server.visit(path).is(401);
        assert!(!stranger.text.contains("slugline_"));
    }
    let first = scrape(&server);
    assert_eq!(first.value("slugline_visits_recorded_total"), 0.0);
    let version = env!("CARGO_PKG_VERSION");
    let build = format!("slugline_build_info{{version=\"{version}\"}}");
    assert_eq!(first.value(&build), 1.0);
    assert!(first.value("process_start_time_seconds") > 1.7e9);

    server.create(&json!({"url": "https://example.com/", "slug": "docs"}));
    server.create(&json!({"url": "https://example.com/", "slug": "shut", "password": "sesame"}));
    server.create(&json!({"url": "https://example.com/", "slug": "frame", "cloaking": true}));
    server.import_expired("past");
    for _ in 0..5 {
        server.visit("/docs");
    }
    for path in ["/docs/", "/frame", "/past", "/unknown", "/a/b/c", "/shut"] {
        server.visit(path);
    }
    let opened = |password: &str| {
        let visit = server.request("GET", "/shut");
        visit.header("x-link-password", password).send().status
    };
    assert_eq!(opened("guess"), 403);
    assert!((300..400).contains(&opened("sesame")));
    server.request("GET", "/api/link/list").send();
    server.request("GET", "/_nothing/like/that").send();
    server.counters_with("", 8);

    let after = scrape(&server);
    after.is_after(&first);
    let outcome =
        |name: &str| after.value(&format!("slugline_redirects_total{{outcome=\"{name}\"}}"));
    for (name, times) in [
        ("redirected", 7.0),
        ("framed", 1.0),
        ("expired", 1.0),
        ("not_found", 3.0),
        ("gate", 1.0),
        ("refused", 1.0),
        ("proxied", 0.0),
        ("preview", 0.0),
        ("failed", 0.0),
    ] {
        assert_eq!(outcome(name), times, "{name}");
    }
    for (route, status, times) in [
        ("redirect", "3xx", 7.0),
        ("redirect", "2xx", 2.0),
        ("redirect", "4xx", 4.0),
        ("other", "4xx", 1.0),
        ("/api/link/create", "2xx", 3.0),
        ("/api/link/import", "2xx", 1.0),
        ("/api/link/list", "4xx", 1.0),
        // The first scrape; the second is still under way.
        ("/_metrics", "2xx", 1.0),
    ] {
        assert_eq!(count(&after, route, status), times, "{route} {status}");
    }
    // One miss for each of /docs, /frame, /past, /unknown, /shut and the first part of /a/b/c, where a
    // link may pass on the rest; the check of a password may evict one more.
    let misses = after.value("slugline_link_cache_misses_total");
    let hits = after.value("slugline_link_cache_hits_total");
    assert_eq!(misses + hits, 13.0);
    assert!((6.0..=7.0).contains(&misses), "{misses}");
    assert!(after.value("slugline_link_cache_entries") >= 5.0);
    let store = |operation: &str| {
        let labels = format!("{{operation=\"{operation}\"}}");
        after.value(&format!("slugline_store_duration_seconds_count{labels}"))
    };
    assert!(store("find") >= misses && store("change") >= 4.0);
    assert_eq!(after.value("slugline_visits_recorded_total"), 8.0);
    assert_eq!(after.value("slugline_visits_dropped_total"), 0.0);
    assert!(after.value("slugline_log_append_duration_seconds_count") >= 1.0);
    assert!(after.value("slugline_file_size_bytes{file=\"links\"}") > 4096.0);
    assert!(after.value("slugline_file_size_bytes{file=\"visits\"}") > 4096.0);
    assert_eq!(after.value("slugline_password_hashes_in_flight"), 0.0);
    let text = server.get("/_metrics").text;
    for secret in ["docs", "unknown", "nothing", "sesame", "127.0.0.1"] {
        assert!(!text.contains(secret), "{secret}");
    }
}

#[test]
#[expect(clippy::float_cmp, reason = "counts are whole numbers")]
fn counters_are_exact_when_many_count_at_once_and_series_stay_bounded() {
    const CLIENTS: u32 = 6;
    const VISITS: u32 = 50;

    let server = Server::start_with(&[("SLUGLINE_WORKERS", "3")]);
    server.create(&json!({"url": "https://example.com/", "slug": "docs"}));
    let before = scrape(&server).values.len();
    thread::scope(|scope| {
        for client in 0..CLIENTS {
            let server = &server;
            scope.spawn(move || {
                for visit in 0..VISITS {
                    server.visit("/docs");
                    server.visit(&format!("/none-{client}-{visit}"));
                    server.visit(&format!("/_none/{client}/{visit}"));
                    server.request(&format!("M{client}{visit}"), "/docs").send();
                }
            });
        }
    });
    let after = scrape(&server);
    let times = f64::from(CLIENTS * VISITS);
    for outcome in ["redirected", "not_found"] {
        let series = format!("slugline_redirects_total{{outcome=\"{outcome}\"}}");
        assert_eq!(after.value(&series), 2.0 * times, "{outcome}");
    }
    assert_eq!(count(&after, "redirect", "3xx"), 2.0 * times);
    assert_eq!(count(&after, "redirect", "4xx"), times);
    assert_eq!(count(&after, "other", "4xx"), times);
    // A few routes and classes without requests before.
    let series = after.values.len();
    assert!(series < before + 100, "{before} to {series}");
    // A request of another method than GET is redirected, and is no visit.
    server.counters_with("", u64::from(CLIENTS * VISITS));
    let recorded = scrape(&server).value("slugline_visits_recorded_total");
    assert_eq!(recorded, times);

    // Clients whom a limit turns away are counted, too.
    let turned_away = || scrape(&server).value("slugline_limit_hits_total{limit=\"wrong_tokens\"}");
    assert_eq!(turned_away(), 0.0);
    let refused = (0..40).filter(|_| {
        let guess = server.request("GET", "/api/link/list");
        let guess = guess.header("authorization", "Bearer wrong-horse-battery");
        guess.send().status == 429
    });
    let refused = u32::try_from(refused.count()).unwrap();
    assert!(refused >= 5);
    assert_eq!(turned_away(), f64::from(refused));
}

#[test]
fn metrics_move_to_a_listener_of_their_own() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap().to_string();
    drop(free);
    let server = Server::start_with(&[("SLUGLINE_METRICS_LISTEN", &address)]);
    // Without the setting the path is unknown, like any other.
    assert_eq!(server.get("/_metrics").status, 404);
    let origin = format!("http://{address}");
    let get = |path: &str| {
        let agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .build();
        let call = ureq::Agent::from(agent)
            .get(format!("{origin}{path}"))
            .call();
        let mut answer = call.unwrap();
        (
            answer.status().as_u16(),
            answer.body_mut().read_to_string().unwrap(),
        )
    };
    let (status, text) = get("/_metrics");
    assert_eq!(status, 200);
    Scrape::of(&text);
    for path in ["/", "/docs", "/api/link/list", "/_health/live"] {
        assert_eq!(get(path).0, 404, "{path}");
    }
    // The listener ends with the service.
    let (ended, _folder) = server.stop("TERM");
    assert!(ended.success());
    eventually("the address is free", || {
        TcpListener::bind(&address).is_ok()
    });
}
