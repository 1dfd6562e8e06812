use serde_json::json;

use super::{browser::Browser, pages::List};
use crate::support::{outsider::Outsider, server::Server};

/// A page that tries to read the dashboard's storage, and reports the result in its title.
const THIEF: &str = "<!doctype html><title>waiting</title><script>
    try { document.title = 'got ' + sessionStorage.getItem('slugline.token') + localStorage.length; }
    catch (error) { document.title = 'refused ' + error.name; }
</script>";

#[test]
fn a_proxied_page_cannot_read_what_the_dashboard_keeps() {
    let thief = Outsider::start(|_| {
        format!("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close\r\n\r\n{THIEF}")
    });
    let server = Server::start_with(&[
        ("SLUGLINE_PUBLIC_LINK_PROXY_ENABLED", "true"),
        ("SLUGLINE_PROXY_ALLOWED_NETWORKS", "127.0.0.0/8"),
    ]);
    server.create(&json!({"url": thief.url("/"), "slug": "thief", "proxy": true}));
    let browser = Browser::signed_in(&server, "links");
    List(&browser).has("thief");
    // The same tab, so it would share the session storage if it had our origin.
    browser.run("location.href = '../thief'");
    browser.until(
        "the page has tried",
        "return document.title.startsWith('refused')",
    );
    browser.go("links");
    List(&browser).has("thief");
    browser.finish(&[]);
}
