//! Programs and devices of visitors, from their user agents.

use serde_json::json;

use crate::support::server::Server;

const PHONE: &str = "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 \
    (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36";
const DESKTOP: &str = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 \
    (KHTML, like Gecko) Version/17.4.1 Safari/605.1.15";
const CRAWLER: &str = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";

fn visited_by_all(settings: &[(&str, &str)]) -> Server {
    let server = Server::start_with(settings);
    server.create(&json!({"url": "https://example.com/", "slug": "docs"}));
    for user_agent in [CRAWLER, PHONE, DESKTOP] {
        let visit = server
            .request("GET", "/docs")
            .header("user-agent", user_agent);
        assert_eq!(visit.send().status, 301);
    }
    server
}

#[test]
fn visits_can_be_told_apart_by_program_system_and_device() {
    let server = visited_by_all(&[]);
    server.counters_with("", 3);
    for (filter, visits) in [
        ("os=Android", 1),
        ("os=Android,macOS", 2),
        ("browser=Mobile%20Chrome", 1),
        ("browser=Safari", 1),
        ("browserType=crawler", 1),
        ("device=Pixel%208", 1),
        ("deviceType=mobile", 1),
        ("deviceType=tablet", 0),
    ] {
        server.counters_with(filter, visits);
    }
}

#[test]
fn bots_are_sent_on_and_left_out_of_the_log_where_that_is_set() {
    let server = visited_by_all(&[("NUXT_DISABLE_BOT_ACCESS_LOG", "true")]);
    // The service stores visits in order, so the bot's would be there by now.
    server.counters_with("deviceType=mobile", 1);
    server.counters_with("", 2);
    server.counters_with("browserType=crawler", 0);
}
