//! Tests of changing and deleting many links.

use actix_web::http::Method;
use serde_json::{Value, json};

use crate::fixture::{Answer, Fixture};

async fn links(slugs: &[&str]) -> Fixture {
    let fixture = Fixture::new().await;
    for slug in slugs {
        let link = json!({"url": "https://example.com/", "slug": slug, "tags": ["t"]});
        let made = fixture.send(Method::POST, "/api/link/create", &link).await;
        assert_eq!(made.status, 201, "{made:?}");
    }
    fixture
}

async fn batch(fixture: &Fixture, body: &Value) -> Answer {
    fixture.send(Method::POST, "/api/link/batch", body).await
}

#[actix_web::test]
async fn links_get_a_result_each_and_totals_for_all() {
    let fixture = links(&["a", "b"]).await;
    let body = json!({"action": "addTags", "tags": ["New"], "slugs": ["b", "nobody", "A", "b"]});
    let mut dry = body.clone();
    dry["dryRun"] = json!(true);
    let results = json!([
        {"slug": "b", "outcome": "done"},
        {"slug": "nobody", "outcome": "notFound"},
        {"slug": "A", "outcome": "done"},
    ]);
    for (body, tags) in [(&dry, json!(["t"])), (&body, json!(["new", "t"]))] {
        let answer = batch(&fixture, body).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        let report = answer.json();
        assert_eq!(report["dryRun"], json!(body.get("dryRun").is_some()));
        assert_eq!(report["results"], results);
        assert_eq!(
            report["totals"],
            json!({"done": 2, "unchanged": 0, "notFound": 1, "refused": 0, "failed": 0})
        );
        assert_eq!(report["list_complete"], true);
        let link = fixture.get("/api/link/query?slug=a").await.json();
        assert_eq!(link["tags"], tags);
    }
    let again = batch(&fixture, &body).await.json();
    assert_eq!(again["totals"]["unchanged"], 2);

    let delete = json!({"action": "delete", "filter": {"tag": "new"}});
    let report = batch(&fixture, &delete).await.json();
    assert_eq!(report["totals"]["done"], 2);
    assert_eq!(fixture.get("/api/link/count").await.json()["count"], 0);
}

#[actix_web::test]
async fn a_mistyped_member_changes_no_link() {
    let fixture = links(&["a"]).await;
    for (body, path) in [
        (
            json!({"action": "delete", "slugs": ["a"], "preview": true}),
            json!(["preview"]),
        ),
        (
            json!({"action": "delete", "filter": {"tags": ["x"]}}),
            json!(["filter", "tags"]),
        ),
        (
            json!({"action": "setExpiration", "expiration": 5, "slugs": ["a"]}),
            json!(["expiration"]),
        ),
        (json!({"action": "delete"}), json!(["slugs"])),
    ] {
        let refused = batch(&fixture, &body).await;
        assert_eq!(refused.status, 400, "{refused:?}");
        assert_eq!(refused.json()["data"]["issues"][0]["path"], path);
    }
    assert_eq!(fixture.get("/api/link/count").await.json()["count"], 1);
}

#[actix_web::test]
async fn a_store_that_is_away_fails_each_link_but_a_filter_as_a_whole() {
    let fixture = links(&["a"]).await;
    fixture.file.break_down();
    let named = batch(&fixture, &json!({"action": "delete", "slugs": ["a", "b"]})).await;
    let report = named.json();
    assert_eq!(
        (named.status.as_u16(), &report["totals"]["failed"]),
        (200, &json!(2))
    );
    assert_eq!(report["results"][1]["code"], "unavailable");
    let filtered = batch(&fixture, &json!({"action": "delete", "filter": {}})).await;
    assert_eq!(filtered.status, 503, "{filtered:?}");
    fixture.file.recover();
    assert_eq!(fixture.get("/api/link/count").await.json()["count"], 1);
}
