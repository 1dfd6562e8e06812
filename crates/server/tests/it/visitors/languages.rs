//! Pages in the visitor's language.

use serde_json::json;

use crate::support::server::{Answer, Server};

fn visit_in(server: &Server, path: &str, accepted: &str, cookie: &str) -> Answer {
    server
        .request("GET", path)
        .header("accept", "text/html")
        .header("accept-language", accepted)
        .header("cookie", cookie)
        .send()
}

#[test]
fn pages_speak_the_visitors_language_and_say_so() {
    let server = Server::start();
    server.create(&json!({"url": "https://example.com/", "slug": "vault", "password": "letmein"}));
    server.create(&json!({"url": "https://example.com/", "slug": "odd", "unsafe": true}));
    for (accepted, lang, asked, warned, missing) in [
        (
            "de",
            "de-DE",
            "Passwort erforderlich",
            "Möglicherweise unsicherer Link",
            "Link nicht gefunden",
        ),
        (
            "en-GB",
            "en-US",
            "Password Required",
            "Potentially Unsafe Link",
            "Link not found",
        ),
        (
            "fr-CH, en;q=0.9",
            "fr-FR",
            "Mot de passe requis",
            "Lien potentiellement dangereux",
            "Lien introuvable",
        ),
        (
            "id",
            "id-ID",
            "Kata Sandi Diperlukan",
            "Tautan Berpotensi Tidak Aman",
            "Tautan tidak ditemukan",
        ),
        (
            "it",
            "it-IT",
            "Password richiesta",
            "Link potenzialmente non sicuro",
            "Link non trovato",
        ),
        (
            "pt",
            "pt-BR",
            "Senha necessária",
            "Link potencialmente inseguro",
            "Link não encontrado",
        ),
        (
            "pt-PT",
            "pt-PT",
            "Palavra-passe necessária",
            "Ligação potencialmente insegura",
            "Ligação não encontrada",
        ),
        (
            "vi",
            "vi-VN",
            "Cần có mật khẩu",
            "Liên kết có thể không an toàn",
            "Không tìm thấy liên kết",
        ),
        ("zh", "zh-CN", "需要密码", "链接可能不安全", "未找到链接"),
        ("zh-HK", "zh-TW", "需要密碼", "連結可能不安全", "找不到連結"),
        (
            "ja",
            "en-US",
            "Password Required",
            "Potentially Unsafe Link",
            "Link not found",
        ),
    ] {
        for (path, status, title) in [
            ("/vault", 200, asked),
            ("/odd", 200, warned),
            ("/nowhere", 404, missing),
        ] {
            let page = visit_in(&server, path, accepted, "").is(status);
            assert_eq!(page.header("content-language"), lang);
            assert_eq!(page.header("vary"), "Accept-Language, Cookie");
            assert_eq!(page.header("cache-control"), "no-store");
            assert!(
                page.text.contains(&format!("<html lang=\"{lang}\">"))
                    && page.text.contains(&format!("<h1>{title}</h1>")),
                "{accepted}: {}",
                page.text
            );
        }
    }
}

#[test]
fn a_language_chosen_by_hand_counts_more_than_the_browsers() {
    let server = Server::start();
    let chosen = visit_in(&server, "/", "de", "a=b; sink_i18n_redirected=vi-VN");
    assert_eq!(chosen.header("content-language"), "vi-VN");
    let unknown = visit_in(&server, "/", "de", "sink_i18n_redirected=\"><script>");
    assert_eq!(unknown.header("content-language"), "de-DE");
    assert!(!unknown.text.contains("<script"));
}

#[test]
fn a_wrong_password_is_said_in_the_visitors_language() {
    let server = Server::start();
    server.create(&json!({"url": "https://example.com/", "slug": "vault", "password": "letmein"}));
    let wrong = server
        .request("POST", "/vault")
        .header("accept-language", "fr")
        .body("password=sesame")
        .send();
    wrong.says("role=\"alert\">Mot de passe incorrect<");
    let by_header = server
        .request("GET", "/vault")
        .header("accept-language", "fr")
        .header("accept", "text/html")
        .header("x-link-password", "sesame")
        .send();
    assert_eq!(by_header.status, 403);
    assert!(by_header.text.contains("<h1>Mot de passe incorrect</h1>"));
}

#[test]
fn a_form_keeps_the_visitors_query() {
    let server = Server::start();
    server.create(&json!({
        "url": "https://example.com/", "slug": "odd", "unsafe": true, "redirectWithQuery": true,
    }));
    let warned = server.visit("/odd?a=1&b=2").text;
    // A form without an address is sent to the page's own, with its query.
    assert!(warned.contains(r#"<form method="post">"#), "{warned}");
    let confirmed = server
        .request("POST", "/odd?a=1&b=2")
        .body("confirm=true")
        .send();
    assert_eq!(confirmed.header("location"), "https://example.com/?a=1&b=2");
}

#[test]
fn head_has_the_headers_of_a_page() {
    let server = Server::start();
    server.create(&json!({"url": "https://example.com/", "slug": "vault", "password": "letmein"}));
    for path in ["/vault", "/", "/_assets/page.css"] {
        let head = server.request("HEAD", path).send();
        let get = server.visit(path);
        assert_eq!((head.status, head.text.as_str()), (200, ""), "{path}");
        for name in ["content-type", "content-language", "content-length"] {
            assert_eq!(head.header(name), get.header(name), "{path} {name}");
        }
    }
}
