//! Nodes and the schema of another version.

use super::cluster;
use crate::support::server::refusal;

#[test]
fn a_node_refuses_the_schema_of_a_later_version_and_says_so() {
    let (database, nodes) = cluster("later", 1);
    let mut hand = database.open();
    hand.ask("INSERT INTO slugline_steps VALUES ('9.9.9', '', 0); SELECT 'done';");
    let refused = refusal(&[("SLUGLINE_DATABASE_URL", database.url().as_str())]);
    assert!(!refused.status.success());
    let said = String::from_utf8(refused.stderr).unwrap();
    let expected = "SLUGLINE_DATABASE_URL: the schema cannot be brought up to date: a later \
                    version of Slugline has changed the schema (9.9.9); start that version, \
                    or restore a backup from before";
    assert!(said.contains(expected), "{said}");
    // The running node continues: a release only adds to the schema.
    nodes[0].create(&serde_json::json!({"url": "https://example.com/"}));
}
