//! Tests that invalid inputs are reported and change nothing.

use actix_web::http::{Method, header::CONTENT_TYPE};
use actix_web::test::TestRequest;
use serde_json::{Value, json};

use crate::fixture::{Answer, Fixture};

#[actix_web::test]
async fn faults_of_an_edit_name_the_member_and_change_nothing() {
    let fixture = Fixture::new().await;
    let docs = json!({"url": "https://example.com/", "slug": "docs", "comment": "c"});
    let made = fixture.send(Method::POST, "/api/link/create", &docs).await;
    assert_eq!(made.status, 201, "{made:?}");
    let before = fixture.get("/api/link/query?slug=docs").await.text;
    let url = "https://e.example";
    for (method, body, status) in [
        ("PUT", json!({"slug": "docs"}), 400),
        ("PUT", json!({"slug": "docs", "url": "x"}), 400),
        (
            "PUT",
            json!({"slug": "docs", "url": url, "comment": null}),
            400,
        ),
        (
            "PUT",
            json!({"slug": "docs", "url": url, "expiration": 5}),
            400,
        ),
        ("PUT", json!({"slug": "none", "url": url}), 404),
        ("PATCH", json!({"slug": "docs", "url": null}), 400),
        (
            "PATCH",
            json!({"slug": "docs", "password": "__SINK_MASKED__•••••"}),
            400,
        ),
        ("PATCH", json!({"slug": "none"}), 404),
    ] {
        let method = method.parse().unwrap();
        let answer = fixture.send(method, "/api/link/edit", &body).await;
        assert_eq!(answer.status, status, "{answer:?}");
        let code = if status == 404 {
            "link_not_found"
        } else {
            "validation_error"
        };
        assert_eq!(answer.json()["code"], code, "{answer:?}");
    }
    let after = fixture.get("/api/link/query?slug=docs").await.text;
    assert_eq!(after, before);
}

#[actix_web::test]
async fn faults_of_a_search_name_the_member() {
    let fixture = Fixture::new().await;
    for (query, member) in [
        (format!("q={}", "x".repeat(49)), "q"),
        ("url=nope".to_owned(), "url"),
        ("url=".to_owned(), "url"),
        ("q=a&status=old".to_owned(), "status"),
        ("q=a&limit=1001".to_owned(), "limit"),
        ("q=a&q=b".to_owned(), "q"),
    ] {
        let refused = fixture.get(&format!("/api/link/search?{query}")).await;
        assert_eq!(refused.status, 400, "{refused:?}");
        assert_eq!(refused.json()["data"]["issues"][0]["path"], json!([member]));
    }
}

async fn import(fixture: &Fixture, links: &[Value]) -> Answer {
    let body = json!({"version": "1.0", "count": links.len(), "links": links});
    fixture.send(Method::POST, "/api/link/import", &body).await
}

async fn import_csv(fixture: &Fixture, table: &'static str) -> Answer {
    let request = TestRequest::with_uri("/api/link/import")
        .method(Method::POST)
        .insert_header((CONTENT_TYPE, "text/csv"))
        .set_payload(table);
    fixture.call(request).await
}

#[actix_web::test]
async fn one_link_too_many_refuses_the_whole_import() {
    let fixture = Fixture::new().await;
    let link = |slug: &str| json!({"url": "https://example.com/", "slug": slug});
    let text = "Too many links. Maximum 3 links per request.";
    for refused in [
        import(&fixture, &["a", "b", "c", "d"].map(link)).await,
        import_csv(
            &fixture,
            "slug,url\na,https://e.example/\nb,https://e.example/\n\
             c,https://e.example/\nd,https://e.example/\n",
        )
        .await,
    ] {
        assert_eq!(refused.status, 400, "{refused:?}");
        assert_eq!(refused.json()["statusMessage"], text);
    }
    let count = fixture.get("/api/link/count").await.json();
    assert_eq!(count["count"], 0);
    let taken = import(&fixture, &["a", "b", "c"].map(link)).await;
    assert_eq!(taken.json()["success"], 3, "{taken:?}");
}

#[actix_web::test]
async fn a_log_that_cannot_be_read_fails_questions_without_telling_why() {
    let fixture = Fixture::new().await;
    for question in [
        "counters",
        "views?unit=day",
        "metrics?type=country",
        "heatmap",
        "export",
    ] {
        let failed = fixture.get(&format!("/api/stats/{question}")).await;
        assert!(failed.status.is_server_error(), "{failed:?}");
        assert!(!failed.text.contains("disk"), "{failed:?}");
    }
}

#[actix_web::test]
async fn a_part_that_does_not_work_is_named_and_leaves_the_service_in_rotation() {
    let ready = Fixture::new().await.get("/_health/ready").await;
    assert_eq!(ready.status, 200, "{ready:?}");
    let parts = &ready.json()["parts"];
    assert_eq!(parts["links"]["status"], "degraded");
    let full = "the disk of the data folder has 5 MiB left";
    assert_eq!(
        parts["disk"],
        json!({"status": "degraded", "reasons": [full]})
    );
    assert_eq!(parts["listener"], json!({"status": "ok", "reasons": []}));
}
