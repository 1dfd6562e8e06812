//! Nodes on one PostgreSQL: what one begins, another ends.

use serde_json::json;

use super::{
    ALL, ORIGIN, authorize, decide, enters, exchange, form_value, posted, register, registered,
    renewal, request, show, sign_in, token, tokens_in, told,
};
use crate::{
    faults::deaths::kill,
    support::{
        own_database::OwnDatabase,
        server::{Server, TOKEN, eventually},
    },
};

#[test]
fn what_one_node_begins_another_ends() {
    let database = OwnDatabase::create("assistants");
    let settings = [
        ("SLUGLINE_DATABASE_URL", database.url().as_str()),
        ("SLUGLINE_BASE_URL", ORIGIN),
    ];
    let start = || Server::start_with(&settings);
    let (dying, staying, third) = (start(), start(), start());
    let client = registered(&dying);
    let path = authorize(&request(&client));
    let cookie = sign_in(&staying, &path, TOKEN);
    let page = show(&dying, &path, &cookie);
    let agreed = decide(&dying, &path, &cookie, &form_value(&page), ALL);
    let code = told(&agreed)["code"].clone();
    let again = decide(&staying, &path, &cookie, &form_value(&page), ALL);
    assert_eq!(
        again.header("location"),
        "",
        "a form decides once on all nodes"
    );
    kill(dying.process_id());
    let given = token(&staying, &exchange(&client, &code)).is(200);
    let first = tokens_in(client, &given);
    for node in [&staying, &third] {
        // Twice, so that the second time it is remembered.
        assert_eq!(
            (enters(node, &first.access), enters(node, &first.access)),
            (200, 200)
        );
    }
    let given = token(&third, &renewal(&first.client, &first.refresh));
    let second = tokens_in(first.client, &given);
    assert_eq!(enters(&third, &first.access), 401);
    eventually("the former token is refused", || {
        enters(&staying, &first.access) == 401
    });
    assert_eq!(enters(&staying, &second.access), 200);
    let replayed = token(&staying, &exchange(&second.client, &code));
    assert_eq!(replayed.json()["error"], "invalid_grant");
    for node in [&staying, &third] {
        eventually("it is revoked", || enters(node, &second.access) == 401);
    }
    let listed = third.api("GET", "/api/tokens").send().json();
    assert_eq!(listed["tokens"], json!([]));
    let trail = third.get("/api/audit").json();
    assert_eq!(trail["lines"][0]["caller"], "service");
    register(&staying, &json!({"redirect_uris": ["https://a.example/"]})).is(201);
}

#[test]
fn a_revocation_beside_a_renewal_ends_the_connection() {
    let database = OwnDatabase::create("assistants_revoked");
    let settings = [
        ("SLUGLINE_DATABASE_URL", database.url().as_str()),
        ("SLUGLINE_BASE_URL", ORIGIN),
    ];
    let nodes = [Server::start_with(&settings), Server::start_with(&settings)];
    let mut renewed_first = 0;
    for _ in 0..10 {
        let tokens = super::connect(&nodes[0]);
        let (renewed, revoked) = std::thread::scope(|scope| {
            let renewing =
                scope.spawn(|| token(&nodes[0], &renewal(&tokens.client, &tokens.refresh)));
            let pairs = [("token", tokens.access.as_str())].into();
            let revoked = posted(&nodes[1], "/_oauth/revoke", &pairs).send();
            (renewing.join().unwrap(), revoked)
        });
        assert_eq!(revoked.status, 200, "{}", revoked.text);
        if renewed.status == 200 {
            renewed_first += 1;
            let access = renewed.json()["access_token"].as_str().unwrap().to_owned();
            for node in &nodes {
                eventually("it is revoked", || enters(node, &access) == 401);
            }
        }
        let listed = nodes[0].api("GET", "/api/tokens").send().json();
        assert_eq!(listed["tokens"], json!([]), "a renewal: {}", renewed.text);
    }
    println!("{renewed_first} of 10 renewals came first");
}

#[test]
fn of_several_that_renew_at_once_at_most_one_goes_on() {
    let database = OwnDatabase::create("assistants_races");
    let settings = [
        ("SLUGLINE_DATABASE_URL", database.url().as_str()),
        ("SLUGLINE_BASE_URL", ORIGIN),
    ];
    let nodes = [Server::start_with(&settings), Server::start_with(&settings)];
    for _ in 0..5 {
        let tokens = super::connect(&nodes[0]);
        let answers: Vec<_> = std::thread::scope(|scope| {
            let asking: Vec<_> = nodes
                .iter()
                .map(|node| scope.spawn(|| token(node, &renewal(&tokens.client, &tokens.refresh))))
                .collect();
            asking.into_iter().map(|one| one.join().unwrap()).collect()
        });
        let given: Vec<_> = answers.iter().filter(|one| one.status == 200).collect();
        assert!(given.len() <= 1);
        for answer in answers.iter().filter(|one| one.status != 200) {
            assert_eq!(answer.json()["error"], "invalid_grant", "{}", answer.text);
        }
        // Two parties had the refresh token, so neither keeps its access.
        for given in given {
            let access = given.json()["access_token"].as_str().unwrap().to_owned();
            for node in &nodes {
                eventually("it is revoked", || enters(node, &access) == 401);
            }
        }
    }
}
