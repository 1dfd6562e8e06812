//! A change on one node is visible on every node.

use serde_json::json;

use super::{all_answer, all_lead_to, cluster, edit};

#[test]
fn a_change_of_any_kind_shows_on_every_node() {
    let (_database, nodes) = cluster("agreement", 3);
    // Each node in turn makes the change, and the others have the old answer in their caches.
    for (number, node) in nodes.iter().enumerate() {
        let slug = format!("changing-{number}");
        let call = |method, path: &str, body: &serde_json::Value, status| {
            node.call(method, path, body).is(status);
        };
        let link = |page: &str| json!({"slug": slug, "url": format!("https://example.com/{page}")});

        all_answer(&nodes, &slug, 404);
        call("POST", "/api/link/create", &link("new"), 201);
        all_lead_to(&nodes, &slug, "https://example.com/new");

        call("PUT", "/api/link/edit", &link("edited"), 201);
        all_lead_to(&nodes, &slug, "https://example.com/edited");

        call("PATCH", "/api/link/edit", &link("patched"), 200);
        all_lead_to(&nodes, &slug, "https://example.com/patched");

        let with_password = json!({"slug": slug, "password": "opensesame"});
        call("PATCH", "/api/link/edit", &with_password, 200);
        all_answer(&nodes, &slug, 200); // it asks for the password
        let without = json!({"slug": slug, "password": null});
        call("PATCH", "/api/link/edit", &without, 200);
        all_lead_to(&nodes, &slug, "https://example.com/patched");

        call("POST", "/api/link/delete", &json!({"slug": slug}), 204);
        all_answer(&nodes, &slug, 404);

        call("POST", "/api/link/upsert", &link("upserted"), 201);
        all_lead_to(&nodes, &slug, "https://example.com/upserted");
        call("POST", "/api/link/delete", &json!({"slug": slug}), 204);
        all_answer(&nodes, &slug, 404);

        let batch = json!({"version": "1.0", "links": [link("imported")]});
        call("POST", "/api/link/import", &batch, 200);
        all_lead_to(&nodes, &slug, "https://example.com/imported");
    }
}

#[test]
fn a_link_changed_by_hand_shows_as_well() {
    let (database, nodes) = cluster("by_hand", 2);
    nodes[0].create(&json!({"slug": "docs", "url": "https://example.com/"}));
    all_lead_to(&nodes, "docs", "https://example.com/");
    let mut hand = database.open();
    // The version stays the same, so it does not show the change.
    hand.ask("UPDATE short_links SET destination = 'https://example.org/'; SELECT 'done';");
    all_lead_to(&nodes, "docs", "https://example.org/");
    hand.ask("TRUNCATE short_links CASCADE; SELECT 'done';");
    all_answer(&nodes, "docs", 404);
}

#[test]
fn an_import_of_many_links_shows_everywhere_and_leaves_other_links_in_memory() {
    let (_database, nodes) = cluster("import", 2);
    nodes[0].create(&json!({"slug": "docs", "url": "https://example.com/"}));
    all_lead_to(&nodes, "docs", "https://example.com/");
    for page in 0..20 {
        let slug = |i: u32| format!("imported-{page}-{i}");
        all_answer(&nodes, &slug(0), 404);
        all_answer(&nodes, &slug(99), 404);
        let links: Vec<_> = (0..100)
            .map(|i| json!({"slug": slug(i), "url": "https://example.com/imported"}))
            .collect();
        let batch = json!({"version": "1.0", "links": links});
        let imported = nodes[1].post("/api/link/import", &batch);
        assert_eq!(imported.json()["success"], 100, "{}", imported.text);
        all_lead_to(&nodes, &slug(0), "https://example.com/imported");
        all_lead_to(&nodes, &slug(99), "https://example.com/imported");
    }
    edit(&nodes[1], "docs", "https://example.org/");
    all_lead_to(&nodes, "docs", "https://example.org/");
}
