//! Tests of reading bodies.

use actix_web::{
    http::header::{CONTENT_ENCODING, CONTENT_TYPE},
    test::TestRequest,
};

use crate::fixture::Fixture;

#[actix_web::test]
async fn bodies_are_json_whatever_they_are_called_and_forms_work_too() {
    let fixture = Fixture::new().await;
    let object = r#"{"url":"https://example.com/"}"#;
    let form = "url=https%3A%2F%2Fexample.com%2F&slug=form";
    for (kind, body, status) in [
        ("application/json; charset=utf-8", object, 201),
        ("application/octet-stream", object, 201),
        ("application/x-www-form-urlencoded", object, 201),
        ("application/x-www-form-urlencoded", form, 201),
        ("text/plain", object, 400),
    ] {
        for path in ["/api/link/upsert", "/api/link/upsert/"] {
            let request = TestRequest::with_uri(path)
                .method("POST".parse().unwrap())
                .insert_header((CONTENT_TYPE, kind))
                .set_payload(body);
            let answer = fixture.call(request).await;
            let found = body == form && path.ends_with('/');
            let expected = if found { 200 } else { status };
            assert_eq!(answer.status, expected, "{kind} {path}: {answer:?}");
        }
    }
}

#[actix_web::test]
async fn a_byte_order_mark_is_no_content_and_a_content_coding_is_told() {
    let fixture = Fixture::new().await;
    let document = r#"{"version":"1.0","links":[{"slug":"json","url":"https://example.com/"}]}"#;
    for (path, kind, body) in [
        (
            "/api/link/upsert",
            "application/json",
            r#"{"url":"https://example.com/"}"#,
        ),
        ("/api/link/import", "application/json", document),
        (
            "/api/link/import",
            "text/csv",
            "slug,url\ncsv,https://example.com/\n",
        ),
    ] {
        let asked = |coding: Option<&str>| {
            let request = TestRequest::with_uri(path).method("POST".parse().unwrap());
            let request = request.insert_header((CONTENT_TYPE, kind));
            let request = request.set_payload(format!("\u{feff}{body}"));
            match coding {
                Some(coding) => request.insert_header((CONTENT_ENCODING, coding)),
                None => request,
            }
        };
        for coding in ["gzip", "identity, br"] {
            let answer = fixture.call(asked(Some(coding))).await;
            assert_eq!(answer.status, 415, "{path} {coding}: {answer:?}");
            assert_eq!(answer.json()["code"], "content_coding_not_read");
            assert_eq!(answer.header("accept-encoding"), "identity");
        }
        for coding in [None, Some("identity")] {
            let answer = fixture.call(asked(coding)).await;
            assert!(answer.status.is_success(), "{path} {kind}: {answer:?}");
            assert!(!answer.text.contains("\"failed\": 1"), "{answer:?}");
        }
    }
}
