use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    thread,
};

use super::{
    browser::Browser,
    instance::with_links,
    pages::{Editor, List},
};
use crate::support::server::{Server, TOKEN};

/// The path that a reverse proxy adds, and removes again.
const PREFIX: &str = "/go";

/// A proxy that forwards requests below the prefix, and answers 404 to all others.
fn proxy(server: &Server) -> String {
    let target = server.origin().trim_start_matches("http://").to_owned();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for client in listener.incoming().map_while(Result::ok) {
            let target = target.clone();
            thread::spawn(move || pass_on(client, &target));
        }
    });
    format!("http://{address}")
}

fn pass_on(mut client: TcpStream, target: &str) -> Option<()> {
    let mut request = Vec::new();
    let mut piece = [0; 4_096];
    while !request.windows(4).any(|end| end == b"\r\n\r\n") {
        let length = client.read(&mut piece).ok().filter(|length| *length > 0)?;
        request.extend_from_slice(&piece[..length]);
    }
    let text = String::from_utf8(request).ok()?;
    if !text.split(' ').nth(1)?.starts_with(&format!("{PREFIX}/")) {
        let absent = b"HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
        return client.write_all(absent).ok();
    }
    let text = text.replacen(&format!(" {PREFIX}/"), " /", 1).replacen(
        "Connection: keep-alive",
        "Connection: close",
        1,
    );
    let mut server = TcpStream::connect(target).ok()?;
    server.write_all(text.as_bytes()).ok()?;
    let (mut body, mut up) = (client.try_clone().ok()?, server.try_clone().ok()?);
    thread::spawn(move || std::io::copy(&mut body, &mut up));
    std::io::copy(&mut server, &mut client).ok()?;
    client.shutdown(std::net::Shutdown::Both).ok()
}

#[test]
fn everything_works_below_a_prefix_that_a_proxy_strips() {
    let server = with_links(&["below"]);
    let origin = proxy(&server);
    let browser = Browser::start_at(&server, &format!("{origin}{PREFIX}"));
    browser.sign_in("", TOKEN);
    List(&browser).has("below");
    for (page, shown) in [
        ("analytics", ".counters"),
        ("live", ".live-dot.live"),
        ("audit", ".audit-line"),
        ("setup", ".snippet"),
        ("links", ".list"),
    ] {
        browser.click(&format!(".pages a[href='./{page}']"));
        browser.find(shown);
        browser.settle();
        assert_eq!(browser.address(), format!("{PREFIX}/_dashboard/{page}"));
    }
    browser.go("links?edit=below");
    let editor = Editor(&browser);
    editor.write("comment", "changed below");
    editor.save();
    assert_eq!(server.link("below")["comment"], "changed below");
    browser.finish(&[]);
}
