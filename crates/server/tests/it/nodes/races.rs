//! Nodes that create the same slug at the same time.

use serde_json::json;

use super::{all_hear, all_lead_to, start};
use crate::support::own_database::OwnDatabase;

#[test]
fn of_nodes_that_create_the_same_slug_one_wins_and_all_know() {
    const ROUNDS: usize = 30;

    let database = OwnDatabase::create("races");
    let nodes = start(3, database.url());
    all_hear(&nodes);
    for round in 0..ROUNDS {
        let slug = format!("wanted-{round}");
        let statuses: Vec<u16> = std::thread::scope(|scope| {
            let racing: Vec<_> = nodes
                .iter()
                .enumerate()
                .map(|(number, node)| {
                    let url = format!("https://example.com/{number}");
                    let link = json!({"slug": slug, "url": url});
                    scope.spawn(move || {
                        let call = node.api("POST", "/api/link/create");
                        call.json(&link).send().status
                    })
                })
                .collect();
            racing
                .into_iter()
                .map(|race| race.join().unwrap())
                .collect()
        });
        let winners: Vec<usize> = (0..nodes.len())
            .filter(|number| statuses[*number] == 201)
            .collect();
        assert_eq!(winners.len(), 1, "{statuses:?}");
        let losers = statuses.iter().filter(|status| **status == 409).count();
        assert_eq!(losers, nodes.len() - 1, "{statuses:?}");
        let destination = format!("https://example.com/{}", winners[0]);
        all_lead_to(&nodes, &slug, &destination);
    }
}
