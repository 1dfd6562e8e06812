//! The workflows of the repository.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{repository, yaml};

/// A workflow's jobs, by name.
fn jobs(file: &str) -> serde_json::Map<String, Value> {
    let workflow = yaml::document(&format!("../.github/workflows/{file}"));
    assert_eq!(workflow["permissions"]["contents"], "read", "{file}");
    workflow["jobs"].as_object().unwrap().clone()
}

/// What jobs and their steps use from elsewhere.
fn used(job: &Value) -> Vec<&str> {
    let steps = job["steps"].as_array().into_iter().flatten();
    let all = steps.chain([job]);
    all.filter_map(|step| step["uses"].as_str()).collect()
}

#[test]
fn what_workflows_use_has_an_exact_version_or_is_here() {
    let mut count = 0;
    for file in ["ci.yml", "release.yml"] {
        for (name, job) in jobs(file) {
            for action in used(&job) {
                count += 1;
                if let Some(own) = action.strip_prefix("./") {
                    assert!(repository(own).exists(), "{action}");
                    continue;
                }
                let (_, version) = action.split_once("@v").unwrap();
                let numbers = version.split('.').map(str::parse::<u32>);
                let numbers: Result<Vec<u32>, _> = numbers.collect();
                assert_eq!(numbers.map(|all| all.len()), Ok(3), "{name}: {action}");
            }
        }
    }
    assert!(count > 5, "{count} were found");
}

#[test]
fn a_release_waits_for_every_check() {
    let jobs = jobs("release.yml");
    let mut waits = BTreeSet::new();
    let mut next = vec!["publish"];
    while let Some(name) = next.pop() {
        assert!(jobs.contains_key(name), "{name}");
        if waits.insert(name) {
            let needs = &jobs[name]["needs"];
            let several = needs.as_array().into_iter().flatten();
            next.extend(several.chain([needs]).filter_map(Value::as_str));
        }
    }
    for name in jobs.keys() {
        assert!(waits.contains(name.as_str()), "{name}");
    }
    assert_eq!(jobs["ci"]["uses"], "./.github/workflows/ci.yml");
}
