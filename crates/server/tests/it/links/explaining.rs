//! Explanations of links, beside what visitors really get.

use serde_json::{Value, json};

use crate::support::server::{Answer, Server};

const PHONE: &str = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 \
                     (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1";
const BOT: &str = "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)";

fn explain(server: &Server, body: &Value) -> Answer {
    server.post("/api/link/explain", body)
}

fn explained(server: &Server, body: &Value) -> Value {
    explain(server, body).is(200).json()
}

/// These members of the answer.
fn members<const N: usize>(told: &Value, names: [&str; N]) -> Value {
    names.map(|name| told[name].clone()).into_iter().collect()
}

/// A visitor as an explanation describes it, and the headers that a real one sends.
fn visitors() -> Vec<(Value, Vec<(&'static str, &'static str)>)> {
    vec![
        (json!({}), vec![]),
        (
            json!({"userAgent": PHONE, "country": "DE", "ip": "203.0.113.9"}),
            vec![
                ("user-agent", PHONE),
                ("cf-ipcountry", "DE"),
                ("x-forwarded-for", "203.0.113.9"),
            ],
        ),
        (json!({"userAgent": BOT}), vec![("user-agent", BOT)]),
        (
            json!({"language": "en;q=0.5, pt-BR", "referrer": "https://m.news.example/a"}),
            vec![
                ("accept-language", "en;q=0.5, pt-BR"),
                ("referer", "https://m.news.example/a"),
            ],
        ),
        (
            json!({"ip": "198.51.100.7"}),
            vec![("x-forwarded-for", "198.51.100.7")],
        ),
    ]
}

#[test]
fn an_explanation_tells_the_answer_that_visitors_get() {
    let server = Server::start_with(&[
        ("SLUGLINE_TRUSTED_PROXIES", "127.0.0.0/8"),
        ("SLUGLINE_EXPIRED_REDIRECT", "https://over.example/"),
    ]);
    let url = "https://e.example/a";
    let split = json!([{"url": "https://e.example/b", "weight": 50}]);
    let rules = json!([
        {"when": {"country": ["DE"], "device": ["ios"]}, "url": "https://e.example/de"},
        {"when": {"referrer": ["news.example"]}, "url": "https://e.example/news"},
        {"when": {"query": {"ref": "poster"}}, "url": "https://e.example/poster"},
    ]);
    let links = [
        json!({"slug": "plain", "url": url}),
        json!({"slug": "until", "url": url, "expiration": 32_503_680_000_i64}),
        json!({"slug": "ruled", "url": url, "rules": rules, "split": split, "redirectWithQuery": true}),
        json!({"slug": "apps", "url": url, "apple": "https://apps.example/", "geo": {"DE": "https://e.example/geo"}}),
        json!({"slug": "split", "url": url, "split": split}),
        json!({"slug": "counted", "url": url, "maxVisits": 100}),
        json!({"slug": "secret", "url": url, "password": "hunter2", "unsafe": true}),
        json!({"slug": "warned", "url": url, "unsafe": true}),
        json!({"slug": "preview", "url": url, "title": "A title", "cloaking": true}),
        json!({"slug": "later", "url": url, "startsAt": 32_503_680_000_i64}),
        json!({"slug": "sooner", "url": url, "startsAt": 32_503_680_000_i64, "startUrl": "https://soon.example/"}),
        json!({"slug": "hidden", "url": url, "disabled": true}),
        json!({"slug": "gh", "url": "https://e.example/{path}", "forwardPath": true}),
    ];
    let slugs: Vec<String> = links
        .iter()
        .map(|link| {
            server.create(link);
            link["slug"].as_str().unwrap().to_owned()
        })
        .collect();
    server.import_expired("over");
    let paths = slugs.iter().map(|slug| (slug.as_str(), "", ""));
    let more = [
        ("over", "", ""),
        ("ruled", "", "ref=poster"),
        ("gh", "rust-lang/rust", ""),
        ("gh", "a b/../%2e", "x=1"),
        ("plain", "behind", ""),
    ];
    for (slug, path, query) in paths.chain(more) {
        for (visitor, headers) in visitors() {
            let mut asked = json!({"ip": "127.0.0.1"});
            asked
                .as_object_mut()
                .unwrap()
                .extend(visitor.as_object().unwrap().clone());
            asked["slug"] = slug.into();
            asked["query"] = query.into();
            asked["path"] = path.into();
            let told = explained(&server, &asked);
            let address = match (path, query) {
                ("", "") => format!("/{slug}"),
                ("", query) => format!("/{slug}?{query}"),
                (path, query) => format!("/{slug}/{}?{query}", path.replace(' ', "%20")),
            };
            let call = server
                .request("GET", &address)
                .header("accept", "text/html");
            let call = call.headers(&headers);
            let got = call.send();
            let header = |name: &str| match got.header(name) {
                "" => Value::Null,
                value => value.into(),
            };
            assert_eq!(
                (&told["status"], &told["location"], &told["cacheControl"]),
                (
                    &got.status.into(),
                    &header("location"),
                    &header("cache-control")
                ),
                "{address} {headers:?}: {told}"
            );
        }
    }
}

#[test]
fn an_explanation_names_what_chose_and_what_was_missed_and_counts_nothing() {
    let server = Server::start();
    let rules = json!([
        {"when": {"country": ["AT"]}, "url": "https://e.example/at"},
        {"when": {"device": ["android"]}, "url": "https://e.example/android"},
        {"when": {"weekday": ["mon"], "timeZone": "Europe/Berlin"}, "url": "https://e.example/monday"},
    ]);
    let link = json!({"slug": "go", "url": "https://e.example/", "rules": rules, "maxVisits": 2});
    server.create(&link);
    let monday = 1_804_460_400;
    let asked = json!({"slug": "go", "at": monday, "userAgent": PHONE, "country": "DE"});
    let told = explained(&server, &asked);
    assert_eq!(
        members(&told, ["answer", "chosenBy", "index", "destination"]),
        json!(["redirect", "rules", 2, "https://e.example/monday"])
    );
    assert_eq!(
        told["missed"],
        json!([
            {"rule": 0, "condition": "country", "fact": "DE"},
            {"rule": 1, "condition": "device", "fact": "ios, mobile"},
        ])
    );
    assert_eq!(told["visitor"]["os"], "iOS");
    for _ in 0..3 {
        explained(&server, &asked);
    }
    let found = server.link("go");
    assert_eq!(found["visitsLeft"], 2);
    server.visit("/go");
    server.visit("/go");
    let over = explained(&server, &json!({"slug": "go"}));
    assert_eq!(
        members(&over, ["answer", "linkStatus", "status"]),
        json!(["gone", "used-up", 410])
    );
    server.counters_with("slug=go", 2);
}

#[test]
fn a_draft_is_explained_before_it_is_saved() {
    let server = Server::start();
    server.create(&json!({"slug": "go", "url": "https://e.example/", "password": "hunter2"}));
    let rules = json!([{"when": {"country": ["DE"]}, "url": "https://e.example/de"}]);
    let asked = json!({"slug": "go", "draft": {"rules": rules, "password": null}, "country": "DE"});
    let told = explained(&server, &asked);
    assert_eq!(
        members(&told, ["answer", "location", "gates"]),
        json!(["redirect", "https://e.example/de", []])
    );
    let stored = explained(&server, &json!({"slug": "go", "country": "DE"}));
    assert_eq!(
        members(&stored, ["answer", "destination", "gates"]),
        json!(["password", "https://e.example/", ["password"]])
    );
    let split = json!([{"url": "https://e.example/b", "weight": 50}]);
    let new = json!({"draft": {"url": "https://e.example/new", "split": split}});
    let told = explained(&server, &new);
    assert!(told["note"].as_str().unwrap().contains("give ip"), "{told}");
    assert_eq!(told["destination"], "https://e.example/new");
    let wrong = json!({"draft": {"url": "https://e.example/", "rules": [{"when": {}, "url": "https://e.example/"}]}});
    let refused = explain(&server, &wrong);
    let path = &refused.json()["data"]["issues"][0]["path"];
    assert_eq!(
        (refused.status, path),
        (400, &json!(["draft", "rules", "0", "when"]))
    );
    let nobody = explain(&server, &json!({"slug": "nothing"}));
    nobody.refuses(404, "link_not_found");
}

#[test]
fn a_draft_is_refused_where_saving_it_would_be() {
    let server = Server::start();
    // Without a rest of the path to fill in, the braces are text.
    server.create(&json!({"slug": "gh", "url": "https://{1}.evil.example/"}));
    let draft = json!({"forwardPath": true});
    let saved = json!({"slug": "gh", "forwardPath": true});
    let saved = server.call("PATCH", "/api/link/edit", &saved);
    let told = explain(&server, &json!({"slug": "gh", "draft": draft, "path": "x"}));
    assert_eq!((saved.status, told.status), (400, 400), "{}", told.text);
    assert_eq!(told.json()["message"], saved.json()["message"]);
}

#[test]
fn an_explanation_for_a_domain_that_falls_through_is_about_that_domain() {
    let server = Server::start_with(&[
        ("SLUGLINE_BASE_URL", "http://sl.example"),
        ("SLUGLINE_NOT_FOUND_REDIRECT", "https://e.example/lost"),
    ]);
    let domain = json!({"host": "through.example", "fallThrough": true,
        "notFoundUrl": "https://e.example/through-lost",
        "expiredUrl": "https://e.example/through-over"});
    server.post("/api/domains", &domain).is(201);
    server.create(&json!({"slug": "hidden", "url": "https://e.example/", "disabled": true}));
    server.import_expired("over");
    for slug in ["hidden", "over"] {
        let got = server.visit_with(&format!("/{slug}"), &[("host", "through.example")]);
        let told = explained(&server, &json!({"slug": slug, "domain": "through.example"}));
        assert_eq!(told["location"], got.header("location"), "{slug}");
        assert_eq!(told["status"], got.status, "{slug}");
    }
}
