use std::collections::BTreeSet;

use rstest::rstest;
use slugline_testkit::world::Visits;

use super::*;

fn told(user_agent: &str) -> String {
    let agent = UserAgents::default().agent(user_agent);
    [
        &agent.os,
        &agent.browser,
        agent.browser_type,
        &agent.device,
        agent.device_type,
    ]
    .join("|")
}

#[test]
fn real_user_agents_are_recognised() {
    let lines: Vec<&str> = include_str!("examples.txt")
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect();
    let (pairs, rest) = lines.as_chunks::<2>();
    assert!(pairs.len() > 90 && rest.is_empty());
    let wrong: Vec<String> = pairs
        .iter()
        .filter(|[user_agent, expected]| told(user_agent) != expected.trim_start())
        .map(|[user_agent, expected]| {
            format!("{user_agent}\n{} instead of\n{expected}", told(user_agent))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_browser_is_a_bot() {
    let lines = include_str!("browsers.txt").lines();
    let browsers: Vec<&str> = lines
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect();
    assert!(browsers.len() > 150);
    let mut agents = UserAgents::default();
    let wrong: Vec<&str> = browsers
        .into_iter()
        .filter(|browser| agents.agent(browser).is_bot())
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Programs that give themselves a name, and that name.
#[rstest]
// Servers of the fediverse, which all fetch a page once a link to it is posted.
#[case(
    "http.rb/5.1.1 (Mastodon/4.2.1; +https://mastodon.example/)",
    "Mastodon"
)]
#[case(
    "Mastodon/4.3.0 (http.rb/5.2.0; +https://mastodon.example/)",
    "Mastodon"
)]
#[case(
    "Pleroma 2.7.0; https://social.example <admin@social.example>",
    "Pleroma"
)]
#[case(
    "Akkoma 3.10.4-0-gebfb617; https://social.example <admin@social.example>",
    "Akkoma"
)]
#[case("Misskey/2024.5.0 (https://misskey.example)", "Misskey")]
#[case("Lemmy/0.19.3; +https://lemmy.example", "Lemmy")]
#[case(
    "Friendica 'Yellow Archangel' 2024.03-1556; https://friendica.example",
    "Friendica"
)]
#[case("gotosocial/0.16.0 (+https://gts.example)", "gotosocial")]
#[case("PeerTube/6.0.2 (+https://tube.example)", "PeerTube")]
#[case("Iceshrimp.NET/2024.1 (+https://ice.example/)", "Iceshrimp.NET")]
#[case("http.rb/5.2.0 (Hometown/4.2; +https://home.example/)", "Hometown")]
// Previews, feeds and pages about themselves.
#[case("WordPress/6.5.3; https://blog.example", "WordPress")]
#[case(
    "Mozilla/5.0 (compatible; FlipboardProxy/1.2; +http://flipboard.com/browserproxy)",
    "FlipboardProxy"
)]
#[case(
    "Mozilla/5.0 (compatible; SomeReader/1.0; +https://reader.example/about)",
    "SomeReader"
)]
#[case("NewThing/1.0 (+https://new.example)", "NewThing")]
#[case("python-requests/2.31.0 (NewThing; +https://new.example)", "NewThing")]
#[case("BingPreview/1.0b", "BingPreview")]
// Checkers of links and monitors.
#[case(
    "LinkChecker/10.2.1 (+https://linkchecker.github.io/linkchecker/)",
    "LinkChecker"
)]
#[case("W3C-checklink/5.0.0 libwww-perl/6.67", "W3C-checklink")]
#[case("lychee/0.15.1", "lychee")]
#[case(
    "Mozilla/5.0+(compatible; UptimeRobot/2.0; http://www.uptimerobot.com/)",
    "UptimeRobot"
)]
#[case("Uptime-Kuma/1.23.11", "Uptime-Kuma")]
#[case(
    "GoogleStackdriverMonitoring-UptimeChecks(https://cloud.google.com/monitoring)",
    "GoogleStackdriverMonitoring-UptimeChecks"
)]
#[case(
    "Mozilla/5.0 (compatible;Cloudflare-Healthchecks/1.0;+https://www.cloudflare.com/; healthcheck-id: f867e0e43eca7aa4)",
    "Cloudflare-Healthchecks"
)]
#[case("Checkly/1.0 (https://www.checklyhq.com)", "Checkly")]
#[case("check_http/v2.2.1 (nagios-plugins 2.2.1)", "check_http")]
#[case("ELB-HealthChecker/2.0", "ELB-HealthChecker")]
#[case("kube-probe/1.29", "kube-probe")]
// This service.
#[case("Slugline/0.1.0", "Slugline")]
#[case(
    "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0 Slugline/0.1.0 (link check)",
    "Slugline"
)]
fn a_program_that_names_itself_is_a_bot(#[case] user_agent: &str, #[case] name: &str) {
    let agent = UserAgents::default().agent(user_agent);
    assert!(agent.is_bot());
    assert_eq!(&*agent.browser, name);
}

#[rstest]
#[case("Mozilla/5.0 (compatible; Googlebot/2.1)", true)]
#[case("facebookexternalhit/1.1", true)]
#[case("SomethingNewBot/0.1 (+https://example.com/about.bot)", true)]
#[case("my-crawler", true)]
#[case("curl/8.7.1", false)]
#[case("python-requests/2.32.3", false)]
#[case("python-requests/2.32.3 some-crawler", true)]
#[case("node-fetch/1.0 (+https://github.com/bitinn/node-fetch)", false)]
#[case("got (https://github.com/sindresorhus/got)", false)]
#[case(
    "Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1; Embedded Web Browser from: http://bsalsa.com/)",
    false
)]
#[case(
    "Mozilla/5.0 (Linux; Android 9; CUBOT X19) Chrome/119.0.0.0 Mobile",
    false
)]
#[case("Mozilla/5.0 (Windows NT 10.0) Robotics/1.0", false)]
#[case("", false)]
fn bots_crawl_or_fetch(#[case] user_agent: &str, #[case] is_bot: bool) {
    assert_eq!(UserAgents::default().agent(user_agent).is_bot(), is_bot);
}

#[test]
fn a_fifth_of_a_busy_sites_visits_are_of_bots() {
    const VISITS: u32 = 30_000;
    let mut agents = UserAgents::default();
    let (mut bots, mut kinds) = (0_u32, BTreeSet::new());
    for visit in Visits::new(VISITS) {
        let agent = agents.agent(visit.headers.user_agent());
        bots += u32::from(agent.is_bot());
        kinds.insert(agent.browser_type);
        // People name a language, and programs none.
        let is_person = !visit.headers.accept_language().is_empty();
        assert!(
            !is_person || ["", "inapp"].contains(&agent.browser_type),
            "{}",
            visit.headers.user_agent()
        );
    }
    assert!(
        (VISITS * 15 / 100..VISITS * 30 / 100).contains(&bots),
        "{bots}"
    );
    let expected = ["", "cli", "crawler", "fetcher", "inapp", "library"];
    assert_eq!(kinds, expected.into());
}

#[test]
fn an_unlisted_bot_is_called_as_it_calls_itself() {
    assert_eq!(
        told("SomethingNewBot/0.1 (+https://example.com/bot)"),
        "|SomethingNewBot|crawler||"
    );
}

#[test]
fn names_are_within_their_bound() {
    let name = "x".repeat(300);
    for user_agent in [
        format!("Mozilla/5.0 (Linux; Android 14; {name}) Chrome/126.0.0.0 Mobile Safari/537.36"),
        format!("{name}bot/1.0"),
        format!("Mozilla/5.0 (Linux; U; Android {name}; de; {name} Build/{name}) Mobile"),
    ] {
        let agent = UserAgents::default().agent(&user_agent);
        for text in [&agent.os, &agent.browser, &agent.device] {
            assert!(text.len() <= NAME_MAX_BYTES, "{text}");
        }
    }
}

/// The cost of the part that is read is proportional to its length: `regex` does not
/// backtrack.
#[test]
fn the_first_kilobyte_of_a_hostile_user_agent_is_read() {
    let pieces = [
        "a",
        " ",
        "(",
        ";",
        "; ",
        "/",
        "/1.",
        "0.",
        "Android ",
        "Mozilla/5.0 (",
        "Linux; U; ",
        "Build/",
        "bot ",
        "\u{1b}[31m",
        "\0",
        "ü",
        "iPhone;",
        "HbbTV/1.1.1 (;",
        "SAMSUNG-",
        "_-.",
    ];
    for first in pieces {
        for second in pieces {
            let hostile = format!("{first}{second}").repeat(4_000);
            let mut agents = UserAgents::default();
            let agent = agents.agent(&hostile);
            let read = truncate(&hostile, UserAgents::READ_MAX_BYTES);
            assert!(read.len() < hostile.len());
            assert!(Arc::ptr_eq(&agent, &agents.agent(read)), "{first}{second}");
            assert!(agent.browser.len() <= NAME_MAX_BYTES);
        }
    }
}

#[test]
fn a_user_agent_is_parsed_once() {
    let mut agents = UserAgents::default();
    let curl = agents.agent("curl/8.7.1");
    agents.agent("something/new");
    assert!(Arc::ptr_eq(&curl, &agents.agent("curl/8.7.1")));
}

#[test]
fn rules_see_what_the_access_log_stores() {
    let agents = CachedAgents::default();
    let phone = agents.read(
        "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, \
         like Gecko) Version/17.4 Mobile/15E148 Safari/604.1",
    );
    assert_eq!(
        *phone,
        AgentFacts {
            os: "iOS".into(),
            browser: "Mobile Safari".into(),
            device_type: "mobile".into(),
            is_bot: false
        }
    );
    let bot = agents.read("Mozilla/5.0 (compatible; Googlebot/2.1)");
    assert!(bot.is_bot);
    assert_eq!(*agents.read(""), AgentFacts::default());
}
