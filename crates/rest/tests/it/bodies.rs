//! Tests of reading bodies.

use actix_web::{http::header::CONTENT_TYPE, test::TestRequest};

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
