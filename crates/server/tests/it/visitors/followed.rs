//! Destinations that real programs follow: curl, `fetch` of Node.js and `urllib` of Python.

use std::process::Command;

use serde_json::json;

use crate::support::{
    outsider::{Outsider, answer},
    programs::{node, run},
    repository,
    server::Server,
};

/// Destinations as authors write them, and what their servers are asked for. `H` stands for a host.
const DESTINATIONS: [(&str, &str); 18] = [
    ("http://H/a|b", "H /a%7Cb"),
    ("http://H/{a}", "H /%7Ba%7D"),
    ("http://H/\"a\"?\"", "H /%22a%22?%22"),
    ("http://H/<a>", "H /%3Ca%3E"),
    ("http://H/a^b", "H /a%5Eb"),
    ("http://H/a\\b", "H /a%5Cb"),
    ("http://H/a`b", "H /a%60b"),
    ("http://H/100%?a=%zz", "H /100%25?a=%25zz"),
    ("http://H/a%7Cb%7c%20c", "H /a%7Cb%7c%20c"),
    ("http://H/a b", "H /a%20b"),
    (
        "http://H/👩\u{200d}🚀",
        "H /%F0%9F%91%A9%E2%80%8D%F0%9F%9A%80",
    ),
    ("http://H/путь?я=1", "H /%D0%BF%D1%83%D1%82%D1%8C?%D1%8F=1"),
    ("http://H/a+b?c+d=%2B", "H /a+b?c+d=%2B"),
    ("http://H/?a=b|c#d|e", "H /?a=b%7Cc"),
    ("http://H/?a[]=1&b[x]=2", "H /?a[]=1&b[x]=2"),
    ("http://H/%7E~!$&'()*,;=:@", "H /%7E~!$&'()*,;=:@"),
    ("http://münchen.H/ü", "xn--mnchen-3ya.H /%C3%BC"),
    ("http://m%C3%BCnchen.H/", "xn--mnchen-3ya.H /"),
];

/// Paths of visitors, and what the servers behind them are asked for.
const VISITS: [(&str, &str); 3] = [
    ("/q?x=%20y+z&~=%7E&a[]=%5B", "H /?x=%20y+z&~=%7E&a[]=%5B"),
    ("/gh/a%7Eb/~/%D1%8F;x=1", "H /below/a%7Eb/~/%D1%8F;x=1"),
    ("/%67h/x%2Fy", "H /below/x%2Fy"),
];

#[test]
fn every_program_arrives_where_the_author_meant() {
    let destination = Outsider::start(|heard| {
        let target = heard.line.split(' ').nth(1).unwrap();
        let host = heard.header("host").unwrap();
        answer("200 OK", &format!("{host} {target}"))
    });
    let port = destination.url("").rsplit_once(':').unwrap().1.to_owned();
    let host = format!("e.example:{port}");
    let at = |text: &str| text.replace('H', &host);
    let longest = format!("http://{host}/");
    let longest = format!("{longest}{}", "x".repeat(16_384 - longest.len()));
    let (_, longest_target) = longest.split_once(&host).unwrap();
    let longest_target = format!("{host} {longest_target}");

    let server = Server::start();
    let mut asked = Vec::new();
    for (number, (url, target)) in DESTINATIONS.iter().enumerate() {
        let slug = format!("to-{number}");
        server.create(&json!({"slug": slug, "url": at(url)}));
        asked.push((format!("{}/{slug}", server.origin()), at(target)));
    }
    server.create(&json!({"slug": "longest", "url": longest}));
    asked.push((format!("{}/longest", server.origin()), longest_target));
    server.create(&json!({"slug": "q", "url": at("http://H/"), "redirectWithQuery": true}));
    server.create(&json!({"slug": "gh", "url": at("http://H/below/"), "forwardPath": true}));
    for (path, target) in VISITS {
        asked.push((format!("{}{path}", server.origin()), at(target)));
    }

    let addresses: Vec<&str> = asked.iter().map(|(address, _)| address.as_str()).collect();
    let list = json!(addresses).to_string();
    let folder = repository("crates/server/tests/http-clients");
    let mut python = Command::new("python3");
    python.arg(folder.join("follow.py"));
    let script = folder.join("follow.mjs");
    for (program, command) in [
        ("Node.js", node(&script.display().to_string())),
        ("Python", python),
    ] {
        let printed = run(command, &list).stdout;
        let answers: Vec<String> = serde_json::from_slice(&printed).unwrap();
        for ((address, target), answer) in asked.iter().zip(answers) {
            // `fetch` of Node.js reads heads of 16 KiB.
            let is_too_long = program == "Node.js" && address.ends_with("/longest");
            let expected = if is_too_long {
                "TypeError: fetch failed"
            } else {
                target.as_str()
            };
            assert_eq!(answer, expected, "{program}: {address}");
        }
    }
    for (address, target) in &asked {
        let mut curl = Command::new("curl");
        curl.args(["--silent", "--show-error", "--location", "--globoff"]);
        for host in ["e.example", "xn--mnchen-3ya.e.example"] {
            curl.args(["--resolve", &format!("{host}:{port}:127.0.0.1")]);
        }
        let printed = run(
            {
                curl.arg(address);
                curl
            },
            "",
        );
        assert_eq!(
            String::from_utf8(printed.stdout).unwrap(),
            *target,
            "curl: {address}"
        );
    }
}
