//! Nodes that create the same slug at the same time.

use serde_json::json;

use super::{all_lead_to, at_once, cluster};

#[test]
fn of_nodes_that_create_the_same_slug_one_wins_and_all_know() {
    const ROUNDS: usize = 30;

    let (_database, nodes) = cluster("races", 3);
    for round in 0..ROUNDS {
        let slug = format!("wanted-{round}");
        let statuses = at_once((0..nodes.len()).collect(), |number| {
            let link = json!({"slug": slug, "url": format!("https://example.com/{number}")});
            nodes[number].post("/api/link/create", &link).status
        });
        let winner = statuses.iter().position(|status| *status == 201).unwrap();
        let losers = statuses.iter().filter(|status| **status == 409).count();
        assert_eq!(losers, nodes.len() - 1, "{statuses:?}");
        let destination = format!("https://example.com/{winner}");
        all_lead_to(&nodes, &slug, &destination);
    }
}
