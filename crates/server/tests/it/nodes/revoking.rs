//! A token that one node revokes is refused by every node.

use super::{all_hear, cluster, start};
use crate::{
    support::{
        own_postgres::OwnPostgres,
        server::{Server, TOKEN, eventually},
    },
    tokens::make,
};

fn status(node: &Server, token: &str) -> u16 {
    let call = node.request("GET", "/api/verify");
    let call = call.header("authorization", &format!("Bearer {token}"));
    call.send().status
}

#[test]
fn a_revoked_token_is_refused_on_every_node() {
    let (mut database, nodes) = cluster("revoking", 3);
    for (number, revoker) in nodes.iter().enumerate() {
        let name = format!("ci-{number}");
        let token = make(revoker, &name, &["links:read"]);
        for node in &nodes {
            // Twice, so that the second time it is remembered.
            assert_eq!((status(node, &token), status(node, &token)), (200, 200));
        }
        let path = format!("/api/tokens?name={name}");
        assert_eq!(revoker.delete(&path).status, 204);
        assert_eq!(status(revoker, &token), 401, "at once");
        for node in &nodes {
            eventually("it is refused", || status(node, &token) == 401);
        }
    }
    // A node that heard nothing of it asks.
    let token = make(&nodes[0], "unheard", &["links:read"]);
    assert_eq!(status(&nodes[1], &token), 200);
    let mut hand = database.open();
    hand.ask("ALTER TABLE tokens DISABLE TRIGGER USER; SELECT 'done';");
    hand.ask("DELETE FROM tokens; SELECT 'done';");
    assert!(database.cut_listeners() >= 3);
    for node in &nodes {
        eventually("it is refused", || status(node, &token) == 401);
    }
}

#[test]
fn while_the_database_hangs_named_tokens_get_503_and_the_site_token_works() {
    let postgres = OwnPostgres::start();
    let nodes = start(1, &postgres.url());
    all_hear(&nodes);
    let token = make(&nodes[0], "ci", &["links:read"]);
    assert_eq!(status(&nodes[0], &token), 200);
    postgres.signal("STOP");
    eventually("the named token is refused", || {
        status(&nodes[0], &token) == 503
    });
    assert_eq!(status(&nodes[0], TOKEN), 200);
    postgres.signal("CONT");
    eventually("the named token works again", || {
        status(&nodes[0], &token) == 200
    });
}
