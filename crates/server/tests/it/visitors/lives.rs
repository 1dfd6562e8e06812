//! Links before their start, after their end, hidden and used up, as visitors meet them.

use std::{
    io::{Read, Write},
    net::TcpStream,
    thread,
    time::Duration,
};

use serde_json::{Value, json};

use crate::{
    mcp::wire::call_tool,
    support::server::{Answer, Server},
};

const TO: &str = "https://secret.example/here";
const SOON: &str = "https://soon.example/";
const OVER: &str = "https://over.example/";
/// In 2001 and in 2100.
const PAST: i64 = 1_000_000_000;
const FUTURE: i64 = 4_102_444_800;

fn make(server: &Server, slug: &str, members: &Value) {
    let mut link = json!({"slug": slug, "url": TO});
    let members = members.as_object().unwrap().clone();
    link.as_object_mut().unwrap().extend(members);
    server.create(&link);
}

/// Status, destination and caching.
fn seen(answer: &Answer) -> (u16, &str, &str) {
    (
        answer.status,
        answer.header("location"),
        answer.header("cache-control"),
    )
}

fn left(server: &Server, slug: &str) -> Value {
    let query = format!("/api/link/query?slug={slug}");
    server.api("GET", &query).send().json()["visitsLeft"].clone()
}

fn tells_nothing(answer: &Answer) {
    assert_eq!(answer.header("location"), "");
    assert!(!answer.text.contains("secret.example"), "{}", answer.text);
}

#[test]
fn search_engines_are_asked_not_to_list_a_link_in_each_answer_of_it() {
    for (setting, unsaid) in [("false", ""), ("true", "noindex")] {
        let server = Server::start_with(&[("SLUGLINE_NOINDEX", setting)]);
        for (said, told) in [(Some(true), "noindex"), (Some(false), ""), (None, unsaid)] {
            for (slug, members, statuses) in [
                ("plain", json!({}), [301, 301]),
                ("framed", json!({"cloaking": true}), [200, 200]),
                ("once", json!({"maxVisits": 1}), [302, 410]),
                ("behind", json!({"forwardPath": true}), [301, 301]),
                ("hidden", json!({"disabled": true}), [404, 404]),
            ] {
                let mut members = members;
                if let Some(noindex) = said {
                    members["noindex"] = noindex.into();
                }
                let slug = format!("{slug}-{said:?}").replace(['(', ')'], "-");
                let slug = slug.trim_end_matches('-').to_lowercase();
                make(&server, &slug, &members);
                let told = if slug.starts_with("hidden") { "" } else { told };
                let rest = if slug.starts_with("behind") { "/x" } else { "" };
                for status in statuses {
                    let answer = server.visit(&format!("/{slug}{rest}"));
                    let seen = (answer.status, answer.header("x-robots-tag"));
                    assert_eq!(seen, (status, told), "{slug}, {setting}");
                }
            }
        }
        make(
            &server,
            "vault",
            &json!({"password": "letmein", "noindex": true}),
        );
        let gate = server.visit("/vault");
        assert_eq!(gate.header("x-robots-tag"), "noindex, nofollow");
    }
}

#[test]
fn a_link_answers_as_an_unknown_slug_before_its_start_and_while_it_is_disabled() {
    let server = Server::start();
    make(
        &server,
        "later",
        &json!({"startsAt": FUTURE, "password": "letmein"}),
    );
    make(&server, "hidden", &json!({"disabled": true}));
    for slug in ["later", "hidden"] {
        for method in ["GET", "HEAD", "POST"] {
            let there = server.request(method, &format!("/{slug}")).send();
            let unknown = server.request(method, "/nothing").send();
            assert_eq!(there.status, 404, "{method} {slug}");
            let as_unknown = unknown.text.replace("nothing", slug);
            assert_eq!(there.text, as_unknown, "{method} {slug}");
            assert_eq!(
                there.header("cache-control"),
                unknown.header("cache-control")
            );
        }
    }
    let taken = json!({"slug": "hidden", "url": TO});
    let taken = server.api("POST", "/api/link/create").json(&taken).send();
    assert_eq!(taken.status, 409, "a hidden link keeps its slug");
    make(
        &server,
        "soon",
        &json!({"startsAt": FUTURE, "startUrl": SOON}),
    );
    assert_eq!(seen(&server.visit("/soon")), (302, SOON, "no-store"));
    make(
        &server,
        "begun",
        &json!({"startsAt": PAST, "startUrl": SOON}),
    );
    assert_eq!(
        seen(&server.visit("/begun")),
        (301, TO, "private, max-age=90")
    );
    let shown = json!({"slug": "hidden", "disabled": null});
    let shown = server.api("PATCH", "/api/link/edit").json(&shown).send();
    assert_eq!(shown.status, 200, "{}", shown.text);
    assert_eq!(server.visit("/hidden").status, 301);
}

#[test]
fn after_its_end_a_link_leads_where_its_author_says_or_the_operator() {
    let server = Server::start_with(&[
        ("SLUGLINE_EXPIRED_REDIRECT", "/ended"),
        ("SLUGLINE_NOT_FOUND_REDIRECT", "/lost"),
    ]);
    let link = json!({"url": TO, "slug": "own", "expiration": 5, "expiredUrl": OVER});
    let links = json!({"version": "1.0", "links": [link]});
    let imported = server.api("POST", "/api/link/import").json(&links).send();
    assert_eq!(imported.json()["success"], 1, "{}", imported.text);
    server.import_expired("plain");
    server.import_expired("ended");
    make(&server, "once", &json!({"maxVisits": 1}));
    assert_eq!(seen(&server.visit("/once")), (302, TO, "no-store"));
    for (slug, to) in [
        ("own", OVER),
        ("plain", "/ended"),
        ("once", "/ended"),
        ("ended", "/lost"),
        ("unknown", "/lost"),
    ] {
        let answer = server.visit(&format!("/{slug}"));
        assert_eq!(seen(&answer), (302, to, "no-store"), "{slug}");
    }
}

#[test]
fn a_link_is_used_up_by_its_visits_and_keeps_its_slug() {
    let server = Server::start();
    make(&server, "two", &json!({"maxVisits": 2, "expiredUrl": OVER}));
    assert_eq!(left(&server, "two"), 2);
    for visits in [1, 0] {
        assert_eq!(seen(&server.visit("/two")), (302, TO, "no-store"));
        assert_eq!(left(&server, "two"), visits);
    }
    assert_eq!(seen(&server.visit("/two")), (302, OVER, "no-store"));
    let change = |members: Value| {
        let call = server.api("PATCH", "/api/link/edit").json(&members);
        call.send().is(200);
    };
    change(json!({"slug": "two", "expiredUrl": null}));
    let over = server.visit("/two").is(410);
    assert_eq!(over.json()["code"], "link_expired", "{}", over.text);
    let taken = json!({"slug": "two", "url": TO});
    let taken = server.api("POST", "/api/link/create").json(&taken).send();
    assert_eq!(taken.status, 409);
    // Sink's clients replace a link without knowing its limit.
    let replaced = json!({"slug": "two", "url": TO});
    let replaced = server.api("PUT", "/api/link/edit").json(&replaced).send();
    assert_eq!(replaced.status, 201, "{}", replaced.text);
    assert_eq!(server.visit("/two").status, 410);
    for (most, next) in [(3, 302), (2, 410), (1, 410), (4, 302), (4, 410)] {
        change(json!({"slug": "two", "maxVisits": most}));
        assert_eq!(server.visit("/two").status, next, "{most}");
    }
    let found = |status: &str| {
        let list = server.api("GET", &format!("/api/link/list?status={status}"));
        list.send().json()["links"].as_array().unwrap().len()
    };
    assert_eq!(
        (found("used-up"), found("current"), found("all")),
        (1, 0, 1)
    );
    change(json!({"slug": "two", "maxVisits": null}));
    assert_eq!(server.visit("/two").status, 301);
    assert_eq!((found("active"), left(&server, "two")), (1, Value::Null));
}

#[test]
fn answers_that_read_links_say_how_a_link_stands() {
    let server = Server::start();
    make(&server, "active", &json!({}));
    make(&server, "disabled", &json!({"disabled": true}));
    make(&server, "scheduled", &json!({"startsAt": FUTURE}));
    make(&server, "used-up", &json!({"maxVisits": 1}));
    server.import_expired("expired");
    let read = |etag: &str| {
        let call = server.api("GET", "/api/link/query?slug=used-up");
        call.header("if-none-match", etag).send()
    };
    let before = read("\"other\"");
    assert_eq!(before.json()["status"], Value::Null);
    assert_eq!(server.visit("/used-up").status, 302);
    // The version is the same, the link is not.
    let after = read(before.header("etag")).is(200);
    assert_eq!(after.json()["status"], "used-up");

    let listed = server.api("GET", "/api/link/list?status=all").send().json();
    let told = call_tool(&server, "list_links", &json!({"status": "all"}));
    let found = json!({"q": "https", "status": "all"});
    let found = call_tool(&server, "search_links", &found);
    for list in [
        &listed,
        &told["structuredContent"],
        &found["structuredContent"],
    ] {
        let links = list["links"].as_array().unwrap();
        assert_eq!(links.len(), 5, "{list}");
        for link in links {
            let is_active = link["slug"] == "active";
            let expected = if is_active {
                &Value::Null
            } else {
                &link["slug"]
            };
            assert_eq!(&link["status"], expected, "{link}");
            let slug = link["slug"].as_str().unwrap();
            let input = json!({"slug": slug});
            let one = call_tool(&server, "get_link", &input);
            assert_eq!(&one["structuredContent"]["status"], expected, "{one}");
        }
    }
}

#[test]
fn only_who_gets_the_destination_uses_a_visit() {
    let server = Server::start();
    let bot = "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)";
    make(
        &server,
        "once",
        &json!({"maxVisits": 1, "apple": "https://apps.secret.example/"}),
    );
    make(&server, "told", &json!({"maxVisits": 1, "title": "A gift"}));
    for (slug, title) in [("once", "Link"), ("told", "A gift")] {
        let path = format!("/{slug}");
        let head = server.request("HEAD", &path).send();
        assert_eq!((head.status, head.header("location")), (200, ""));
        let preview = server.visit_with(&path, &[("user-agent", bot)]).is(200);
        preview.says(&format!("<title>{title}</title>"));
        tells_nothing(&preview);
        for (header, purpose) in [
            ("sec-purpose", "prefetch;prerender"),
            ("purpose", "prefetch"),
            ("x-moz", "prefetch"),
            ("x-purpose", "preview"),
        ] {
            let ahead = server.request("GET", &path).header(header, purpose);
            let ahead = ahead.send().is(503);
            tells_nothing(&ahead);
        }
        for method in ["OPTIONS", "POST", "PUT", "DELETE", "PROPFIND"] {
            let other = server.request(method, &path).send().is(200);
            tells_nothing(&other);
        }
        assert_eq!(left(&server, slug), 1, "{slug}");
        assert_eq!(seen(&server.visit(&path)), (302, TO, "no-store"));
    }
    let gates = json!({"maxVisits": 1, "password": "letmein", "unsafe": true});
    make(&server, "gated", &gates);
    let ask = |method, header: Option<(&str, &str)>, form: &str| {
        let call = server.request(method, "/gated");
        let call = call.header("content-type", "application/x-www-form-urlencoded");
        match header {
            Some((name, value)) => call.header(name, value),
            None => call,
        }
        .body(form)
        .send()
    };
    let password = Some(("x-link-password", "letmein"));
    for (answer, status) in [
        (ask("GET", None, ""), 200),
        (ask("POST", None, "password=wrong"), 200),
        (ask("GET", Some(("x-link-password", "wrong")), ""), 403),
        (ask("GET", password, ""), 403),
        (ask("POST", None, "password=letmein"), 200),
    ] {
        assert_eq!(answer.status, status);
        tells_nothing(&answer);
        assert_eq!(left(&server, "gated"), 1);
    }
    let passed = ask("POST", None, "password=letmein&confirm=true");
    assert_eq!(seen(&passed), (303, TO, "no-store"));
    ask("POST", None, "password=letmein&confirm=true").is(410);
}

#[test]
fn a_right_password_is_right_also_if_the_link_changes_while_it_is_checked() {
    let server = Server::start();
    make(
        &server,
        "gated",
        &json!({"maxVisits": 5, "password": "letmein"}),
    );
    let form = "password=letmein";
    let mut visitor = TcpStream::connect(server.origin().strip_prefix("http://").unwrap()).unwrap();
    let head = format!(
        "POST /gated HTTP/1.1\r\nhost: sl.example\r\nconnection: close\r\n\
         content-type: application/x-www-form-urlencoded\r\ncontent-length: {}\r\n\r\n",
        form.len()
    );
    visitor.write_all(head.as_bytes()).unwrap();
    // The link is found now, and its form awaited.
    thread::sleep(Duration::from_millis(300));
    let change = json!({"slug": "gated", "comment": "changed"});
    let changed = server.api("PATCH", "/api/link/edit").json(&change).send();
    assert_eq!(changed.status, 200, "{}", changed.text);
    visitor.write_all(form.as_bytes()).unwrap();
    let mut answer = String::new();
    visitor.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 303"), "{answer}");
    assert_eq!(left(&server, "gated"), 4);
}

#[test]
fn no_program_that_fetches_a_page_by_itself_uses_a_visit_or_learns_the_destination() {
    let server = Server::start();
    make(&server, "once", &json!({"maxVisits": 1}));
    let ask = |user_agent: &str| {
        let call = server.request("GET", "/once");
        call.header("user-agent", user_agent).send()
    };
    for user_agent in [
        "Mozilla/5.0 (compatible; Bluesky Cardyb/1.1; +mailto:support@bsky.app)",
        "Mozilla/5.0 (compatible; redditbot/1.0; +http://www.reddit.com/feedback)",
        "Mozilla/5.0 (compatible; Pinterestbot/1.0; +http://www.pinterest.com/bot.html)",
        "Pinterest/0.2 (+http://www.pinterest.com/bot.html)",
        "Mozilla/5.0 (compatible; vkShare; +http://vk.com/dev/Share)",
        "meta-externalfetcher/1.1",
        "Synapse (bot; +https://github.com/matrix-org/synapse)",
        "SummalyBot/5.1.0",
        "Pleroma 2.7.0; https://social.example <admin@social.example>; Bot",
        "Mozilla/5.0 (compatible; ZulipURLPreview/9.2; +https://chat.example)",
        "Mattermost-Bot/1.1",
        "Slack-ImgProxy (+https://api.slack.com/robots)",
        "facebookexternalhit/1.1;kakaotalk-scrap/1.0;",
        "kakaotalk-scrap/1.0",
        "ViberUrlDownloader",
        "Iframely/1.3.1 (+https://iframely.com/docs/about)",
        "Mozilla/5.0 (compatible; Embedly/0.2; +http://support.embed.ly/)",
        "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
        "Akkoma 3.10.4; https://social.example <admin@social.example>",
        "Lemmy/0.19.3; +https://lemmy.example",
        "NewThing/1.0 (+https://new.example)",
        "Uptime-Kuma/1.23.11",
        "Slugline/0.1.0",
    ] {
        let preview = ask(user_agent).is(200);
        tells_nothing(&preview);
        assert_eq!(left(&server, "once"), 1, "{user_agent}");
    }
    // The browsers inside the apps are those of persons.
    let more = json!({"slug": "once", "maxVisits": 2});
    server.call("PATCH", "/api/link/edit", &more).is(200);
    for app in [
        "KAKAOTALK 10.4.5",
        "Snapchat/12.68.0.35 (like Safari/604.1)",
    ] {
        let person = ask(&format!(
            "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 \
             (KHTML, like Gecko) Mobile/15E148 {app}"
        ));
        assert_eq!(seen(&person), (302, TO, "no-store"), "{app}");
    }
}
