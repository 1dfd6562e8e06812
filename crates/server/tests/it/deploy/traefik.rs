//! The samples for Traefik. Debian does not have it, so they are read and not run.

use serde_json::Value;

use super::{assert_probe_exists, texts, yaml};

#[test]
fn routes_name_only_what_exists() {
    let (fixed, changing) = (
        yaml::document("traefik/traefik.yaml"),
        yaml::document("traefik/slugline.yaml"),
    );
    let http = &changing["http"];
    let router = &http["routers"]["slugline"];
    let exists = |among: &Value, name: &str| assert!(among.get(name).is_some(), "{name}");
    for entry in texts(&router["entryPoints"]) {
        exists(&fixed["entryPoints"], entry);
    }
    let redirected = &fixed["entryPoints"]["web"]["http"]["redirections"]["entryPoint"]["to"];
    exists(&fixed["entryPoints"], redirected.as_str().unwrap());
    for middleware in texts(&router["middlewares"]) {
        exists(&http["middlewares"], middleware);
    }
    let resolver = router["tls"]["certResolver"].as_str().unwrap();
    exists(&fixed["certificatesResolvers"], resolver);
    let service = router["service"].as_str().unwrap();
    exists(&http["services"], service);
    let balancer = &http["services"][service]["loadBalancer"];
    let transport = balancer["serversTransport"].as_str().unwrap();
    exists(&http["serversTransports"], transport);
    assert_probe_exists(&balancer["healthCheck"]["path"]);
    assert_eq!(balancer["servers"].as_array().unwrap().len(), 2);
    let file = fixed["providers"]["file"]["filename"].as_str().unwrap();
    assert!(file.ends_with("/slugline.yaml"));
}

#[test]
fn what_clients_claim_of_themselves_is_dropped() {
    let fixed = yaml::document("traefik/traefik.yaml");
    for (name, entry) in fixed["entryPoints"].as_object().unwrap() {
        assert!(entry.get("forwardedHeaders").is_none(), "{name}");
    }
}
