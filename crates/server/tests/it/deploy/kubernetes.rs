//! The manifests for Kubernetes.

use std::fs;

use serde_json::{Value, json};
use slugline::{Settings, settings::AccessLog};

use super::{assert_probe_exists, containers, sample, yaml};

fn object(kind: &str) -> Value {
    let files = [
        "kubernetes/slugline.yaml",
        "kubernetes/ingress.yaml",
        "kubernetes/network.yaml",
    ];
    let all = files.iter().flat_map(|file| yaml::documents(file));
    let mut found = all.filter(|object| object["kind"] == kind);
    let object = found.next().unwrap_or_else(|| panic!("no {kind}"));
    assert!(found.next().is_none(), "two of {kind}");
    object
}

fn container() -> Value {
    let set = object("StatefulSet");
    set["spec"]["template"]["spec"]["containers"][0].clone()
}

#[test]
fn objects_find_each_other() {
    let set = object("StatefulSet");
    let labels = &set["spec"]["template"]["metadata"]["labels"];
    assert!(labels.is_object());
    let service = object("Service");
    assert_eq!(&service["spec"]["selector"], labels);
    for selector in [
        &set["spec"]["selector"],
        &object("PodDisruptionBudget")["spec"]["selector"],
        &object("NetworkPolicy")["spec"]["podSelector"],
        &set["spec"]["template"]["spec"]["topologySpreadConstraints"][0]["labelSelector"],
    ] {
        assert_eq!(&selector["matchLabels"], labels);
    }
    assert_eq!(set["spec"]["serviceName"], service["metadata"]["name"]);
    let container = container();
    let port = &container["ports"][0];
    assert_eq!(port["containerPort"], containers::port());
    let public = &service["spec"]["ports"][0];
    assert_eq!(public["targetPort"], port["name"]);
    let ingress = object("Ingress");
    let rule = &ingress["spec"]["rules"][0];
    let backend = &rule["http"]["paths"][0]["backend"]["service"];
    assert_eq!(backend["name"], service["metadata"]["name"]);
    assert_eq!(backend["port"]["name"], public["name"]);
    assert_eq!(ingress["spec"]["tls"][0]["hosts"], json!([rule["host"]]));
}

#[test]
fn only_the_ingress_controller_reaches_a_node_and_is_believed() {
    let policy = object("NetworkPolicy");
    let policy = &policy["spec"];
    assert_eq!(policy["policyTypes"], json!(["Ingress", "Egress"]));
    let [entry] = &policy["ingress"].as_array().unwrap()[..] else {
        panic!("one way in");
    };
    let [from] = &entry["from"].as_array().unwrap()[..] else {
        panic!("from one place");
    };
    // In one element they are conditions that both hold; in two, one would do.
    assert!(from["namespaceSelector"]["matchLabels"].is_object());
    assert!(from["podSelector"]["matchLabels"].is_object());
    let [port] = &entry["ports"].as_array().unwrap()[..] else {
        panic!("to one port");
    };
    assert_eq!(port["port"], container()["ports"][0]["name"]);
    for way in policy["egress"].as_array().unwrap() {
        assert!(way["to"].is_array() && way["ports"].is_array(), "{way}");
    }
    let container = container();
    let settings = container["env"].as_array().unwrap();
    let trusted = settings
        .iter()
        .find(|one| one["name"] == "SLUGLINE_TRUSTED_PROXIES");
    let trusted = trusted.unwrap()["value"].as_str().unwrap();
    for address in trusted.split(',') {
        let address = address.trim().parse::<std::net::IpAddr>();
        assert!(address.is_ok(), "{trusted}: single addresses");
    }
}

#[test]
fn probes_ask_for_what_the_service_answers() {
    let container = container();
    for probe in ["startupProbe", "readinessProbe", "livenessProbe"] {
        let get = &container[probe]["httpGet"];
        assert_probe_exists(&get["path"]);
        assert_eq!(get["port"], container["ports"][0]["name"], "{probe}");
    }
    // A restart makes a node forget the links that it redirects while its database is away.
    assert_eq!(
        container["livenessProbe"]["httpGet"]["path"],
        "/_health/live"
    );
}

#[test]
fn a_pod_has_no_rights() {
    let set = object("StatefulSet");
    let pod = &set["spec"]["template"]["spec"];
    for (member, value) in [
        ("runAsNonRoot", json!(true)),
        ("runAsUser", json!(containers::ACCOUNT)),
        ("runAsGroup", json!(containers::ACCOUNT)),
        ("fsGroup", json!(containers::ACCOUNT)),
    ] {
        assert_eq!(pod["securityContext"][member], value, "{member}");
    }
    assert_eq!(pod["automountServiceAccountToken"], false);
    // Its variables would be taken for settings that are misspelt.
    assert_eq!(pod["enableServiceLinks"], false);
    let container = container();
    assert_eq!(
        container["securityContext"],
        json!({
            "allowPrivilegeEscalation": false,
            "readOnlyRootFilesystem": true,
            "capabilities": {"drop": ["ALL"]},
        })
    );
}

#[test]
fn the_service_takes_the_settings_and_keeps_its_data_on_the_claim() {
    let (container, set) = (container(), object("StatefulSet"));
    let mount = |name: &str| {
        let mounts = container["volumeMounts"].as_array().unwrap();
        let mount = mounts.iter().find(|mount| mount["name"] == name);
        mount.unwrap()["mountPath"].as_str().unwrap().to_owned()
    };
    let secrets = tempfile::tempdir().unwrap();
    for (key, value) in [
        ("site-token", "correct-horse-battery"),
        ("database-url", "postgres://links:secret@db.example/links"),
        (
            "analytics-url",
            "clickhouse+https://visits:secret@log.example/visits",
        ),
    ] {
        let option = format!("--from-literal={key}=");
        assert!(sample("kubernetes/slugline.yaml").contains(&option));
        fs::write(secrets.path().join(key), value).unwrap();
    }
    let pod = &set["spec"]["template"]["spec"];
    assert_eq!(pod["volumes"][0]["name"], "secrets");
    assert!(pod["volumes"][0]["secret"].is_object());
    let at = mount("secrets");
    let settings: Vec<(&str, String)> = container["env"]
        .as_array()
        .unwrap()
        .iter()
        .map(|variable| {
            let value = variable["value"].as_str().unwrap();
            let value = value.replace(&at, secrets.path().to_str().unwrap());
            (variable["name"].as_str().unwrap(), value)
        })
        .collect();
    let pairs = settings.iter().map(|(name, value)| (*name, value.as_str()));
    let settings = Settings::from_pairs(pairs).unwrap();
    assert!(settings.site_token.is_some());
    assert!(matches!(settings.access_log, AccessLog::ClickHouse(_)));
    assert_eq!(u64::from(settings.listen.port()), containers::port());
    assert!(settings.data_dir.starts_with(mount("data")));
    let claim = &set["spec"]["volumeClaimTemplates"][0];
    assert_eq!(claim["metadata"]["name"], "data");
    let host = object("Ingress")["spec"]["rules"][0]["host"].clone();
    let host = host.as_str().unwrap();
    assert_eq!(
        settings.base_url.unwrap().as_str(),
        format!("https://{host}")
    );
}
