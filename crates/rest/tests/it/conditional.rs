//! Conditional requests: `ETag`, `If-Match`, `If-None-Match`.

use actix_web::{http::Method, test::TestRequest};
use serde_json::{Value, json};

use crate::fixture::{Answer, Fixture};

async fn with(
    fixture: &Fixture,
    method: &str,
    path: &str,
    header: (&'static str, &str),
    body: &Value,
) -> Answer {
    let request = TestRequest::with_uri(path)
        .method(method.parse().unwrap())
        .insert_header(header)
        .set_json(body);
    fixture.call(request).await
}

async fn docs() -> (Fixture, Answer) {
    let fixture = Fixture::new().await;
    let docs = json!({"url": "https://example.com/", "slug": "docs"});
    let made = fixture.send(Method::POST, "/api/link/create", &docs).await;
    assert_eq!(made.status, 201, "{made:?}");
    (fixture, made)
}

const QUERY: &str = "/api/link/query?slug=docs";

#[actix_web::test]
async fn every_answer_with_a_link_has_its_tag_and_each_change_makes_another() {
    let (fixture, made) = docs().await;
    let tag = made.header("etag").to_owned();
    assert!(tag.starts_with('"') && tag.ends_with('"'), "{tag}");
    let body = json!({"url": "https://example.org/", "slug": "docs"});
    let there = fixture.send(Method::POST, "/api/link/upsert", &body).await;
    let read = fixture.get(QUERY).await;
    assert_eq!((there.status.as_u16(), there.header("etag")), (200, &*tag));
    assert_eq!((read.status.as_u16(), read.header("etag")), (200, &*tag));

    let mut seen = vec![tag];
    for (number, method) in [Method::PATCH, Method::PUT, Method::PATCH]
        .into_iter()
        .enumerate()
    {
        let url = format!("https://example.org/{number}");
        let body = json!({"url": url, "slug": "docs"});
        let changed = fixture.send(method, "/api/link/edit", &body).await;
        let tag = changed.header("etag").to_owned();
        assert_eq!(fixture.get(QUERY).await.header("etag"), tag);
        assert!(!seen.contains(&tag), "{seen:?}");
        // What is so already makes no version.
        for method in [Method::PATCH, Method::PUT] {
            let same = fixture.send(method, "/api/link/edit", &body).await;
            assert!(same.status.is_success(), "{same:?}");
            assert_eq!(same.header("etag"), tag);
            assert_eq!(same.text, changed.text);
        }
        seen.push(tag);
    }
    let delete = json!({"slug": "docs"});
    fixture
        .send(Method::POST, "/api/link/delete", &delete)
        .await;
    let again = fixture.send(Method::POST, "/api/link/upsert", &body).await;
    assert_eq!(again.status, 201);
    assert!(!seen.contains(&again.header("etag").to_owned()), "{seen:?}");
}

#[actix_web::test]
async fn a_change_meant_for_another_version_gets_the_link_as_it_is_and_changes_nothing() {
    let (fixture, made) = docs().await;
    let (tag, slug) = (made.header("etag"), json!({"slug": "docs"}));
    let comment = json!({"slug": "docs", "comment": "c"});
    let first = with(
        &fixture,
        "PATCH",
        "/api/link/edit",
        ("If-Match", tag),
        &comment,
    )
    .await;
    assert_eq!(first.status, 200, "{first:?}");
    let now = fixture.get(QUERY).await;
    let whole = json!({"slug": "docs", "url": "https://example.org/"});
    let weak = format!("W/{tag}");
    for meant in [tag, "\"something-else\"", &weak] {
        for (method, path, body) in [
            ("PATCH", "/api/link/edit", &comment),
            ("PUT", "/api/link/edit", &whole),
            ("POST", "/api/link/delete", &slug),
        ] {
            let refused = with(&fixture, method, path, ("If-Match", meant), body).await;
            let problem = refused.json();
            assert_eq!(refused.status, 412, "{method} {meant}: {refused:?}");
            assert_eq!(problem["code"], "precondition_failed");
            assert_eq!(problem["data"]["link"], now.json());
            assert_eq!(refused.header("etag"), now.header("etag"));
            assert_eq!(fixture.get(QUERY).await.text, now.text);
        }
    }
    // A proxy that compresses an answer weakens its tag.
    let list = format!("\"a,b\", W/{}", now.header("etag"));
    let edit = with(
        &fixture,
        "PUT",
        "/api/link/edit",
        ("If-Match", &list),
        &whole,
    )
    .await;
    assert_eq!(edit.status, 201, "{edit:?}");
    let either = ("If-Match", edit.header("etag"));
    let gone = with(&fixture, "POST", "/api/link/delete", either, &slug).await;
    assert_eq!(gone.status, 204, "{gone:?}");
}

#[actix_web::test]
async fn a_star_asks_for_any_link() {
    let (fixture, _) = docs().await;
    let any = ("If-Match", "*");
    for (method, path, found, missing) in [
        ("PATCH", "/api/link/edit", 200, 404),
        ("PUT", "/api/link/edit", 201, 404),
        ("POST", "/api/link/delete", 204, 412),
    ] {
        for (slug, expected) in [("docs", found), ("nobody", missing)] {
            let body = json!({"slug": slug, "url": "https://example.com/"});
            let body = if method == "POST" {
                json!({"slug": slug})
            } else {
                body
            };
            let answer = with(&fixture, method, path, any, &body).await;
            assert_eq!(answer.status, expected, "{method} {slug}: {answer:?}");
            if expected == 412 {
                assert_eq!(answer.json().get("data"), None);
                assert_eq!(answer.header("etag"), "");
            }
        }
    }
}

#[actix_web::test]
async fn a_header_that_is_no_list_of_tags_is_named_and_nothing_is_changed() {
    let (fixture, made) = docs().await;
    let bare = made.header("etag").trim_matches('"').to_owned();
    for (method, path) in [
        ("PATCH", "/api/link/edit"),
        ("PUT", "/api/link/edit"),
        ("POST", "/api/link/delete"),
    ] {
        let body = match method {
            "POST" => json!({"slug": "docs"}),
            _ => json!({"slug": "docs", "url": "https://example.org/"}),
        };
        let refused = with(&fixture, method, path, ("If-Match", &bare), &body).await;
        assert_eq!(refused.status, 400, "{refused:?}");
        let issues = &refused.json()["data"]["issues"];
        assert_eq!(issues[0]["path"], json!(["If-Match"]));
    }
    let refused = with(&fixture, "GET", QUERY, ("If-None-Match", &bare), &json!({})).await;
    assert_eq!(refused.status, 400, "{refused:?}");
    assert_eq!(fixture.get(QUERY).await.header("etag"), made.header("etag"));
}

#[actix_web::test]
async fn who_has_the_link_is_sent_no_second_copy() {
    let (fixture, made) = docs().await;
    let read = async |known: &str| {
        with(&fixture, "GET", QUERY, ("If-None-Match", known), &json!({})).await
    };
    let weak = format!("\"x\", W/{}", made.header("etag"));
    for known in [made.header("etag"), &weak, "*"] {
        let answer = read(known).await;
        assert_eq!(
            (answer.status.as_u16(), &*answer.text),
            (304, ""),
            "{known}"
        );
        assert_eq!(answer.header("etag"), made.header("etag"));
    }
    let patch = json!({"slug": "docs", "comment": "c"});
    fixture.send(Method::PATCH, "/api/link/edit", &patch).await;
    let changed = read(made.header("etag")).await;
    assert_eq!(changed.status, 200);
    assert_eq!(changed.json()["comment"], "c");
    assert_eq!(changed.header("cache-control"), "private, no-cache");
}

#[actix_web::test]
async fn the_document_tells_headers_and_statuses_of_conditional_requests() {
    let fixture = Fixture::new().await;
    let document = fixture.routes.document();
    let paths = &document["paths"];
    let parameter = |operation: &Value, name: &str| {
        let parameters = operation["parameters"].as_array();
        let mut parameters = parameters.into_iter().flatten();
        parameters.any(|parameter| parameter["in"] == "header" && parameter["name"] == name)
    };
    let tagged = |operation: &Value, status: &str| {
        let header = &operation["responses"][status]["headers"]["ETag"];
        header["schema"]["type"] == "string"
    };
    for (path, method, status) in [
        ("/api/link/edit", "put", "201"),
        ("/api/link/edit", "patch", "200"),
        ("/api/link/delete", "post", "204"),
    ] {
        let operation = &paths[path][method];
        assert!(parameter(operation, "If-Match"), "{method} {path}");
        assert!(tagged(operation, "412"), "{method} {path}");
        assert_eq!(
            tagged(operation, status),
            status != "204",
            "{method} {path}"
        );
    }
    let query = &paths["/api/link/query"]["get"];
    assert!(parameter(query, "If-None-Match"));
    assert!(tagged(query, "200") && tagged(query, "304"));
    for (path, status) in [("create", "201"), ("upsert", "201"), ("upsert", "200")] {
        let operation = &paths[format!("/api/link/{path}")]["post"];
        assert!(tagged(operation, status), "{path}");
    }
}
