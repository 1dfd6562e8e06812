//! Limits on guessing passwords and tokens; correct ones still work.

use std::io::{Read, Write};

use serde_json::json;

use crate::support::server::{Answer, Server, assert_has, request};

fn vault() -> Server {
    let server = Server::start_with(&[("SLUGLINE_TRUSTED_PROXIES", "127.0.0.1")]);
    server.create(&json!({"url": "https://example.com/", "slug": "vault", "password": "letmein"}));
    server
}

fn knock(server: &Server, client: &str, password: &str) -> Answer {
    server.visit_with(
        "/vault",
        &[("x-forwarded-for", client), ("x-link-password", password)],
    )
}

/// Guesses until the service refuses to listen. It hears at least `allowed` guesses. It may hear
/// more: the limit is one of the last minute, so old guesses count less and less while the test
/// goes on.
fn stop_guessing(allowed: usize, mut guess: impl FnMut() -> Answer) {
    let is_heard = |answer: Answer| match answer.status {
        403 => true,
        429 => {
            assert_ne!(answer.header("retry-after"), "");
            false
        }
        other => panic!("a guess was answered by {other}"),
    };
    let heard = (0..2 * allowed).take_while(|_| is_heard(guess())).count();
    assert!((allowed..2 * allowed).contains(&heard), "{heard}");
}

#[test]
fn the_right_password_opens_after_any_number_of_wrong_ones() {
    let server = vault();
    stop_guessing(10, || knock(&server, "192.0.2.1", "guess"));
    let through = knock(&server, "192.0.2.1", "letmein").is(301);
    assert_eq!(through.header("cache-control"), "no-store");
    assert_eq!(knock(&server, "198.51.100.1", "letmein").status, 301);
}

/// Hashing a password takes 19 MiB. The service may use the memory of two concurrent hashes,
/// and must free it afterwards.
#[cfg(target_os = "linux")]
#[test]
fn guessing_leaves_no_memory_behind() {
    const LINKS: u32 = 6;
    const MIB: u64 = 1 << 20;

    let server = vault();
    for i in 0..LINKS {
        let slug = format!("vault{i}");
        server.create(&json!({"url": "https://example.com/", "slug": slug, "password": "letmein"}));
    }
    let guess = |i: u32| {
        let call = server.request("GET", &format!("/vault{}", i % LINKS));
        let client = format!("192.0.2.{}", i / 16);
        let call = call.header("x-forwarded-for", &client);
        assert_eq!(call.header("x-link-password", "guess").send().status, 403);
    };
    guess(0);
    let before = server.resident_bytes();
    std::thread::scope(|scope| {
        for guesser in 0..20 {
            scope.spawn(move || (0..16).for_each(|i| guess(guesser * 16 + i)));
        }
    });
    let after = server.resident_bytes();
    assert!(
        after < before + 30 * MIB,
        "{before} bytes before, {after} after"
    );
}

#[test]
fn a_page_of_another_site_cannot_confirm_a_warning() {
    let server = Server::start();
    server.create(&json!({"url": "https://example.com/", "slug": "odd", "unsafe": true}));
    let post = |site: &str| {
        server
            .request("POST", "/odd")
            .header("content-type", "application/x-www-form-urlencoded")
            .header("sec-fetch-site", site)
            .body("confirm=true")
            .send()
    };
    for site in ["cross-site", "same-site"] {
        let warned = post(site).is(200);
        assert!(warned.text.contains("Potentially Unsafe Link"), "{site}");
    }
    assert_eq!(post("same-origin").status, 303);
}

#[test]
fn no_browser_remembers_a_redirect_beyond_the_end_of_its_link() {
    let server = Server::start_with(&[("SLUGLINE_REDIRECT_MAX_AGE", "86400")]);
    let now = std::time::UNIX_EPOCH.elapsed().unwrap().as_secs();
    server.create(&json!({"url": "https://example.com/", "slug": "lasting"}));
    let ending =
        json!({"url": "https://example.com/", "slug": "ending", "expiration": now + 3_600});
    server.create(&ending);
    let max_age = |path: &str| -> u64 {
        let answer = server.visit(path);
        let policy = answer.header("cache-control");
        let seconds = policy.strip_prefix("private, max-age=");
        seconds
            .unwrap_or_else(|| panic!("{policy}"))
            .parse()
            .unwrap()
    };
    assert_eq!(max_age("/lasting"), 86_400);
    let left = max_age("/ending");
    assert!((1..=3_600).contains(&left), "{left}");
}

#[test]
fn an_answer_to_too_many_at_once_says_when_to_come_back() {
    let server = Server::start();
    server.create(&json!({"url": "https://example.com/", "slug": "vault", "password": "letmein"}));
    let knock = request(
        "GET",
        "/vault",
        "x-link-password: letmein\r\nconnection: close\r\n",
        "",
    );
    let mut streams: Vec<_> = (0..400).map(|_| server.connect()).collect();
    for stream in &mut streams {
        stream.write_all(knock.as_bytes()).unwrap();
    }
    let (mut opened, mut busy) = (0, 0);
    for mut stream in streams {
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        if answer.starts_with("HTTP/1.1 301") {
            opened += 1;
        } else {
            assert_has(
                &answer,
                &["HTTP/1.1 503", "retry-after: 5", r#""code": "busy""#],
            );
            busy += 1;
        }
    }
    assert!(opened >= 100 && busy > 0, "{opened} opened, {busy} busy");
}
