//! The workflows of the repository.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use serde_json::Value;

use super::{repository, yaml};

/// A workflow's jobs, by name.
fn jobs(file: &str) -> serde_json::Map<String, Value> {
    let workflow = yaml::document(&format!("../.github/workflows/{file}"));
    assert_eq!(workflow["permissions"]["contents"], "read", "{file}");
    workflow["jobs"].as_object().unwrap().clone()
}

/// The actions of others that a job and its steps use.
fn used(job: &Value) -> Vec<&str> {
    let steps = job["steps"].as_array().into_iter().flatten();
    let all = steps.chain([job]);
    all.filter_map(|step| step["uses"].as_str()).collect()
}

#[test]
fn what_workflows_use_is_pinned_to_one_commit_or_is_here() {
    let mut commits = BTreeMap::new();
    for file in ["ci.yml", "weekly.yml", "release.yml"] {
        for (name, job) in jobs(file) {
            for action in used(&job) {
                if let Some(own) = action.strip_prefix("./") {
                    assert!(repository(own).exists(), "{action}");
                    continue;
                }
                let (repository_of, commit) = action.split_once('@').unwrap();
                let everywhere = commits.entry(repository_of.to_owned());
                assert_eq!(everywhere.or_insert(commit.to_owned()), commit, "{action}");
                let is_commit =
                    commit.len() == 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
                assert!(is_commit, "{name}: {action}");
                // Readers, and programs that look for updates, read the version beside it.
                let text = fs::read_to_string(repository(".github/workflows").join(file)).unwrap();
                let (_, version) = text.split_once(&format!("{action} # v")).unwrap();
                let version = version.lines().next().unwrap().split('.');
                let numbers: Result<Vec<u32>, _> = version.map(str::parse).collect();
                assert_eq!(numbers.map(|all| all.len()), Ok(3), "{name}: {action}");
            }
        }
    }
    assert!(commits.len() > 3, "{commits:?}");
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
    for checks in ["ci", "weekly"] {
        let file = format!("./.github/workflows/{checks}.yml");
        assert_eq!(jobs[checks]["uses"], file);
    }
}
