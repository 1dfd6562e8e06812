//! The samples in `deploy`: run with the programs they configure where those are at hand, and
//! read as those programs read them where they are not.

mod containers;
mod in_front;
mod kubernetes;
mod names;
mod systemd;
mod traefik;
mod workflows;
mod yaml;

use std::fs;

use serde_json::Value;

use crate::support::repository;

fn sample(name: &str) -> String {
    let path = repository("deploy").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Fails unless the API's document has this path, so that a probe asks for something.
fn assert_probe_exists(path: &Value) {
    let document = fs::read_to_string(repository("docs/openapi.json")).unwrap();
    let document: Value = serde_json::from_str(&document).unwrap();
    let path = path.as_str().unwrap();
    assert!(document["paths"][path]["get"].is_object(), "{path}");
}

/// The elements of a list of texts.
fn texts(list: &Value) -> Vec<&str> {
    let list = list.as_array().unwrap_or_else(|| panic!("a list: {list}"));
    list.iter().map(|text| text.as_str().unwrap()).collect()
}
