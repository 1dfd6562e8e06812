//! Tests the access rule of every route.

use actix_web::http::{Method, StatusCode};
use serde_json::{Value, json};
use slugline_application::PreviewMode;

use crate::fixture::{Fixture, Waiting};

/// A valid input of each operation, which reaches the use case. The use case checks its
/// own rule, so an operation that forgot to declare its rule would refuse without
/// documenting that.
fn right_inputs() -> Vec<(&'static str, &'static str, Value)> {
    let url = "https://example.com/";
    vec![
        ("link_create", "", json!({"url": url})),
        ("link_edit", "", json!({"slug": "docs", "url": url})),
        ("link_patch", "", json!({"slug": "docs"})),
        ("link_upsert", "", json!({"url": url})),
        ("link_get", "?slug=docs", Value::Null),
        ("link_list", "", Value::Null),
        ("link_search", "?q=docs", Value::Null),
        ("link_search_url", "", json!({"url": url})),
        ("link_count", "", Value::Null),
        ("tag_list", "", Value::Null),
        ("link_delete", "", json!({"slug": "docs"})),
        ("link_restore", "", json!({"id": "id-docs"})),
        ("link_history", "?slug=docs", Value::Null),
        ("link_trash", "", Value::Null),
        (
            "link_batch",
            "",
            json!({"action": "delete", "slugs": ["docs"], "dryRun": true}),
        ),
        ("link_explain", "", json!({"slug": "docs"})),
        ("link_check", "", json!({})),
        ("slug_suggest", "?url=https://example.com/", Value::Null),
        ("preview_suggest", "?url=https://example.com/", Value::Null),
        ("link_export", "", Value::Null),
        (
            "link_import",
            "",
            json!({"version": "1.0", "count": 1, "links": [{"slug": "docs", "url": url}]}),
        ),
        ("migration_status", "", Value::Null),
        ("migration_run", "", json!({})),
    ]
}

struct Operation {
    id: String,
    method: Method,
    path: String,
    /// The document's description of each failure.
    failures: Vec<String>,
}

/// The documented operations on links. The run of the migration comes last, because it
/// ends the migration lock.
fn operations(document: &Value) -> Vec<Operation> {
    let paths = document["paths"].as_object().unwrap();
    let links = paths
        .iter()
        .filter(|(path, _)| path.starts_with("/api/link/"));
    let operations = links.flat_map(|(path, item)| {
        let item = item.as_object().unwrap();
        item.iter().map(|(method, operation)| Operation {
            id: operation["operationId"].as_str().unwrap().to_owned(),
            method: method.to_uppercase().parse().unwrap(),
            path: path.clone(),
            failures: operation["responses"]
                .as_object()
                .unwrap()
                .values()
                .map(|response| response["description"].as_str().unwrap().to_owned())
                .collect(),
        })
    });
    let mut operations: Vec<Operation> = operations.collect();
    operations.sort_by_key(|operation| operation.id == "migration_run");
    operations
}

/// Calls every operation on links, with valid and invalid inputs, and compares the
/// refusals with the documented ones.
async fn refused_exactly_where_documented(fixture: &Fixture, code: &str, status: u16) -> usize {
    let mut refused = 0;
    let inputs = right_inputs();
    for operation in operations(fixture.routes.document()) {
        let Operation {
            id, method, path, ..
        } = &operation;
        let right = inputs.iter().find(|(of, ..)| of == id);
        let (_, query, body) = right.unwrap_or_else(|| panic!("no input for {id}"));
        let documented = operation.failures.iter().any(|said| said.contains(code));
        let at = format!("{path}{query}");
        let answer = fixture.send(method.clone(), &at, body).await;
        assert_eq!(answer.status == status, documented, "{id}: {answer:?}");
        let wrong = format!("{path}?cursor=nonsense&limit=no");
        let answer = fixture.send(method.clone(), &wrong, &json!([])).await;
        assert_eq!(
            answer.status == status,
            documented,
            "{id} looks at its input first: {answer:?}"
        );
        refused += usize::from(documented);
    }
    refused
}

#[actix_web::test]
async fn preview_mode_refuses_what_the_document_says_before_an_input_is_looked_at() {
    let fixture = Fixture::with(PreviewMode::On, Waiting::Nothing).await;
    assert_eq!(
        refused_exactly_where_documented(&fixture, "preview_mode", 403).await,
        14
    );
}

#[actix_web::test]
async fn a_waiting_migration_refuses_what_the_document_says_before_an_input_is_looked_at() {
    let fixture = Fixture::with(PreviewMode::Off, Waiting::Links).await;
    let before = fixture.get("/api/link/list").await;
    assert_eq!(before.status, StatusCode::LOCKED);
    assert_eq!(before.json()["code"], "migration_required");
    assert_eq!(
        refused_exactly_where_documented(&fixture, "migration_required", 423).await,
        19
    );
}

#[actix_web::test]
async fn an_open_instance_refuses_nothing() {
    let fixture = Fixture::new().await;
    for operation in operations(fixture.routes.document()) {
        let answer = fixture
            .send(operation.method, &operation.path, &json!({}))
            .await;
        assert!(
            ![StatusCode::FORBIDDEN, StatusCode::LOCKED].contains(&answer.status),
            "{}: {answer:?}",
            operation.id
        );
    }
}
