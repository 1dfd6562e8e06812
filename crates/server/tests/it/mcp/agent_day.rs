//! An agent's day: the official Python client does the tasks of a campaign, with the fewest
//! calls that the tools' descriptions allow.
//!
//! A model reads every byte of an answer and its user pays for it, so the sizes are part of the
//! contract. The test prints them; the bounds are generous.

use std::net::TcpListener;

use serde_json::{Value, json};

use crate::{
    mcp::wire::list_tools,
    support::{
        outsider::Outsider,
        programs::{python, run},
        server::{Server, TOKEN},
    },
};

/// Links that exist in the morning.
const OLD_LINKS: usize = 57;

/// A task: its calls, and the most bytes that the answers may take.
struct Task {
    name: &'static str,
    calls: Vec<(&'static str, Value)>,
    bytes_at_most: usize,
}

fn start() -> Server {
    Server::start_with(&[
        ("SLUGLINE_TRUSTED_PROXIES", "127.0.0.1"),
        ("SLUGLINE_CHECK_ALLOWED_NETWORKS", "127.0.0.0/8"),
    ])
}

/// Creates a link of last year with a password, a broken one, and others.
fn prepare(server: &Server, shop: &Outsider) {
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let nobody = format!("http://{}/gone", free.local_addr().unwrap());
    drop(free);
    server.create(&json!({"slug": "broken", "url": nobody}));
    server.create(&json!({"slug": "secret", "url": shop.url("/s"), "password": "letmein"}));
    for number in 2..OLD_LINKS {
        let slug = format!("old-{number}");
        server.create(&json!({"slug": slug, "url": shop.url(&format!("/{number}"))}));
    }
    for country in ["DE", "DE", "DE", "FR", "FR", "AT"] {
        let visit = server.request("GET", "/old-2");
        visit.header("cf-ipcountry", country).send().is(301);
    }
    server.counters_with("country=DE", 3);
    server.counters_with("country=FR", 2);
}

fn tasks(shop: &Outsider) -> Vec<Task> {
    let campaign = |medium: &str| {
        json!({
            "slug": format!("spring_{medium}"), "tags": ["spring"],
            "url": shop.url(&format!("/sale?utm_medium={medium}")),
        })
    };
    vec![
        Task {
            name: "make three tagged links",
            calls: ["mail", "print", "radio"]
                .map(|medium| ("create_link", campaign(medium)))
                .into(),
            bytes_at_most: 3 * 1_500,
        },
        Task {
            name: "find one by its exact URL",
            calls: vec![(
                "search_links",
                json!({"url": shop.url("/sale?utm_medium=print")}),
            )],
            bytes_at_most: 1_500,
        },
        Task {
            name: "change its destination and nothing else",
            calls: vec![(
                "update_link",
                json!({"slug": "spring_print", "partial": true, "url": shop.url("/flyer")}),
            )],
            bytes_at_most: 1_500,
        },
        Task {
            name: "clear a password",
            calls: vec![(
                "update_link",
                json!({"slug": "secret", "partial": true, "remove": ["password"]}),
            )],
            bytes_at_most: 1_500,
        },
        Task {
            name: "which country came most",
            calls: vec![(
                "get_analytics_metrics",
                json!({"type": "country", "limit": 1}),
            )],
            bytes_at_most: 1_000,
        },
        Task {
            name: "which links are broken",
            calls: vec![("check_links", json!({"onlyBroken": true}))],
            bytes_at_most: 1_500,
        },
        Task {
            name: "page through sixty",
            calls: vec![("list_links", json!({"limit": 60}))],
            bytes_at_most: 15_000,
        },
    ]
}

#[test]
fn the_tasks_of_a_campaign_take_nine_calls() {
    let server = start();
    let shop = Outsider::start(|_| "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n".into());
    prepare(&server, &shop);
    let tasks = tasks(&shop);
    let calls: Vec<Value> = tasks
        .iter()
        .flat_map(|task| &task.calls)
        .map(|(tool, arguments)| json!({"tool": tool, "arguments": arguments}))
        .collect();
    assert_eq!(calls.len(), 9);
    let todo = json!([{
        "url": format!("{}/api/mcp", server.origin()), "token": TOKEN,
        "mode": "auto", "bridge": null, "calls": calls,
    }]);
    let output = run(python(2, "python", &["drive_2.py"]), &todo.to_string());
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut results = told[0]["results"].as_array().unwrap().iter();

    let listed = json!({"tools": list_tools(&server)}).to_string().len();
    println!("tools/list: {listed} bytes");
    assert!(listed < 32 << 10, "tools/list has {listed} bytes");
    let mut answers = Vec::new();
    for task in &tasks {
        let mut bytes = 0;
        for (tool, arguments) in &task.calls {
            let result = results.next().unwrap();
            assert_ne!(result["isError"], true, "{tool} {arguments}: {result}");
            bytes += result.to_string().len();
            answers.push(result["structuredContent"].clone());
        }
        println!("{}: {} calls, {bytes} bytes", task.name, task.calls.len());
        assert!(bytes < task.bytes_at_most, "{}: {bytes} bytes", task.name);
    }

    let [_, _, _, found, moved, opened, countries, broken, all] = &answers[..] else {
        panic!("nine calls, nine answers")
    };
    let wanted = shop.url("/sale?utm_medium=print");
    let found = found["links"].as_array().unwrap();
    let exact: Vec<&Value> = found.iter().filter(|link| link["url"] == *wanted).collect();
    assert_eq!(
        (exact.len(), &exact[0]["slug"]),
        (1, &json!("spring_print"))
    );
    assert_eq!(moved["link"]["url"], shop.url("/flyer"));
    assert_eq!(moved["link"]["tags"], json!(["spring"]));
    assert_eq!(opened["link"].get("password"), None);
    assert_eq!(countries["data"], json!([{"name": "DE", "count": 3}]));
    assert_eq!(broken["list_complete"], true);
    let broken = broken["results"].as_array().unwrap();
    assert_eq!((broken.len(), &broken[0]["slug"]), (1, &json!("broken")));
    assert_eq!(all["links"].as_array().unwrap().len(), OLD_LINKS + 3);
    assert_eq!(all["list_complete"], true);
}
