//! Tests of lists of links: filtered, and by visits.

use actix_web::http::Method;
use serde_json::{Value, json};
use slugline_testkit::{NOON, seconds};

use crate::fixture::Fixture;

async fn links(slugs: &[&str]) -> Fixture {
    let fixture = Fixture::new().await;
    for slug in slugs {
        let link = json!({"url": "https://example.com/", "slug": slug, "comment": "note",
            "tags": [&slug[..1]], "createdAt": NOON.get()});
        let made = fixture.send(Method::POST, "/api/link/create", &link).await;
        assert_eq!(made.status, 201, "{made:?}");
    }
    fixture
}

fn slugs(page: &Value) -> Vec<&str> {
    let links = page["links"].as_array().unwrap();
    links
        .iter()
        .map(|link| link["slug"].as_str().unwrap())
        .collect()
}

#[actix_web::test]
async fn texts_and_slugs_narrow_a_list_of_whole_links_down() {
    let fixture = links(&["a1", "a2", "b1", "b2"]).await;
    let listed = async |query: &str| fixture.get(&format!("/api/link/list?{query}")).await;
    for (query, expected) in [
        ("q=B", vec!["b2", "b1"]),
        ("q=note&tag=a&sort=za", vec!["a2", "a1"]),
        ("slugs=b2,unknown,A1", vec!["b2", "a1"]),
        ("slugs=b2,a1&q=a", vec!["b2", "a1"]),
        ("slugs=b2,a1&tag=a", vec!["a1"]),
        ("slugs=unknown", vec![]),
    ] {
        let page = listed(query).await.json();
        assert_eq!(slugs(&page), expected, "{query}");
        assert_eq!(page.get("ranking"), None);
    }
    let row = listed("slugs=a1").await.json()["links"][0].clone();
    assert_eq!(row, fixture.get("/api/link/query?slug=a1").await.json());

    let first = listed("q=note&limit=3").await.json();
    let cursor = first["cursor"].as_str().unwrap();
    let last = listed(&format!("q=note&limit=3&cursor={cursor}")).await;
    assert_eq!(slugs(&last.json()), ["a1"]);
    let other = listed(&format!("q=b&limit=3&cursor={cursor}")).await;
    assert_eq!(other.json()["code"], "invalid_cursor");
}

#[actix_web::test]
async fn a_list_by_visits_has_whole_links_their_visits_and_the_range() {
    let fixture = links(&["a1", "a2", "b1", "b2"]).await;
    fixture.log.record(seconds(-10), "b1", 3, 1);
    fixture.log.record(seconds(-20), "a2", 5, 1);
    let path = "/api/link/list?sort=visits";
    let page = fixture.get(&format!("{path}&limit=3")).await.json();
    assert_eq!(slugs(&page), ["a2", "b1", "b2"]);
    let visits: Vec<&Value> = page["links"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| &row["visits"])
        .collect();
    assert_eq!(visits, [5, 3, 0]);
    let until = NOON.get();
    assert_eq!(
        page["ranking"],
        json!({"startAt": until - 30 * 86_400, "endAt": until, "complete": true,
            "sampling": {"interval_max": 1, "exact": true, "dropped": 0}})
    );
    assert!(page["links"][0]["createdAt"].is_i64());
    let cursor = page["cursor"].as_str().unwrap();
    let last = fixture.get(&format!("{path}&cursor={cursor}")).await.json();
    assert_eq!(slugs(&last), ["a1"]);
    assert_eq!(
        (&last["ranking"], &last["list_complete"]),
        (&page["ranking"], &json!(true))
    );

    let recent = format!("{path}&startAt={}&tag=b", until - 15);
    assert_eq!(slugs(&fixture.get(&recent).await.json()), ["b1", "b2"]);
    fixture.log.record(seconds(-5), "b2", 1, 64);
    let estimate = fixture.get(&recent).await.json();
    assert_eq!(slugs(&estimate), ["b2", "b1"]);
    assert_eq!(estimate["ranking"]["sampling"]["exact"], false);
}

#[actix_web::test]
async fn without_the_log_there_is_no_list_by_visits_rather_than_another_order() {
    let fixture = links(&["a1"]).await;
    fixture.log.break_down();
    let failed = fixture.get("/api/link/list?sort=visits").await;
    assert_eq!(failed.status, 503, "{failed:?}");
    assert_eq!(failed.json()["code"], "unavailable");
    assert!(failed.text.contains("access log"), "{failed:?}");
    assert_eq!(fixture.get("/api/link/list").await.status, 200);
}
