//! Answers about a sampled link say that they are estimates, by REST and MCP.

use serde_json::{Value, json};

use crate::{
    mcp::wire::call_tool,
    support::server::{Server, eventually},
};

/// A server that samples links above two visits a minute.
fn sampling() -> Server {
    let server = Server::start_with(&[
        ("SLUGLINE_TRUSTED_PROXIES", "127.0.0.1"),
        ("SLUGLINE_SAMPLE_LINK_ABOVE", "2"),
    ]);
    for slug in ["busy", "quiet"] {
        server.create(&json!({"url": "https://example.com/", "slug": slug}));
    }
    server
}

fn visit(server: &Server, slug: &str, client: u32, referer: &str) {
    let visit = server
        .request("GET", &format!("/{slug}"))
        .header(
            "x-forwarded-for",
            &format!("198.51.{}.{}", client / 250, client % 250),
        )
        .header("referer", referer)
        .header("user-agent", "Example/1.0");
    assert_eq!(visit.send().status, 301);
}

fn ask(server: &Server, query: &str) -> Value {
    server
        .api("GET", &format!("/api/stats/{query}"))
        .send()
        .json()
}

#[test]
fn zero_visits_of_a_sampled_link_are_no_exact_count() {
    let server = sampling();
    for client in 0..400 {
        visit(&server, "busy", client, "");
    }
    for number in 1..=6 {
        let page = format!("https://rare{number}.example/");
        visit(&server, "busy", 500 + number, &page);
    }
    visit(&server, "quiet", 1, "");
    server.counters_with("slug=quiet", 1);

    for number in 1..=6 {
        let filter = json!({"slug": "busy", "referer": format!("rare{number}.example")});
        let by_rest = ask(
            &server,
            &format!("counters?slug=busy&referer=rare{number}.example"),
        );
        assert_eq!(by_rest["sampling"]["exact"], false, "{by_rest}");
        let interval = by_rest["sampling"]["interval_max"].as_u64().unwrap();
        assert!(interval >= 64, "{by_rest}");
        let by_mcp = call_tool(&server, "get_analytics_counters", &filter);
        assert_eq!(by_mcp["structuredContent"], by_rest);
    }
    for shape in [
        "metrics?type=referer&",
        "heatmap?",
        "views?unit=minute&",
        "locations?",
    ] {
        let found = match shape {
            "locations?" => server
                .api("GET", "/api/logs/locations?slug=busy")
                .send()
                .json(),
            _ => ask(&server, &format!("{shape}slug=busy&referer=rare1.example")),
        };
        assert_eq!(found["sampling"]["exact"], false, "{shape} {found}");
    }

    // The quiet link was not sampled.
    let quiet = ask(&server, "counters?slug=quiet");
    let expected = json!({"interval_max": 1, "exact": true, "dropped": 0});
    assert_eq!(quiet["sampling"], expected);
    assert_eq!(quiet["data"][0]["visits"], 1);

    let busy = ask(&server, "counters?slug=busy");
    let error = busy["sampling"]["std_error"].clone();
    assert!(error["visits"].as_f64().unwrap() > 0.0, "{busy}");
    assert_eq!(busy["data"][0]["stdError"], error);
}

#[test]
fn a_kill_makes_no_answer_exact_that_may_lack_a_visit() {
    let server = sampling();
    visit(&server, "busy", 1, "");
    server.counters_with("slug=busy", 1);
    assert_eq!(ask(&server, "counters")["sampling"]["exact"], true);
    let folder = server.kill();
    let server = Server::start_in(folder, &[]);
    eventually("the answer is not exact", || {
        ask(&server, "counters")["sampling"]["exact"] == false
    });
}
