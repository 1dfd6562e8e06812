//! The image and the samples that run it: what one says of the other is so.

use std::{collections::BTreeSet, fmt::Write, fs, path::Path, process::Command};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use slugline::{Settings, settings::AccessLog};

use super::{assert_probe_exists, repository, sample, texts, yaml};
use crate::support::{own_database::Psql, own_postgres::OwnPostgres, server::Server};

/// The account of the image, which has no names for accounts.
pub(super) const ACCOUNT: u64 = 65_532;

/// The value of an instruction of the `Containerfile`, its last one.
fn instruction(name: &str) -> String {
    let joined = sample("Containerfile").replace("\\\n", " ");
    let last = joined
        .lines()
        .rev()
        .find_map(|line| line.strip_prefix(name));
    last.unwrap_or_else(|| panic!("no {name}"))
        .trim()
        .to_owned()
}

/// The port that the image listens on.
pub(super) fn port() -> u64 {
    instruction("EXPOSE").parse().unwrap()
}

#[test]
fn the_image_is_one_program_under_an_account_without_rights() {
    let image = sample("Containerfile");
    let last = image.rfind("\nFROM scratch\n").expect("nothing below it");
    assert!(
        !image[last + 1..].contains("\nRUN "),
        "nothing can run there"
    );
    assert_eq!(instruction("USER"), format!("{ACCOUNT}:{ACCOUNT}"));
    let program = "/usr/local/bin/slugline";
    assert_eq!(instruction("ENTRYPOINT"), json!([program]).to_string());
    let listen = instruction("ENV SLUGLINE_LISTEN=");
    assert_eq!(listen, format!("0.0.0.0:{}", port()));
    let data = instruction("ENV SLUGLINE_DATA_DIR=");
    assert_eq!(instruction("VOLUME"), json!([data]).to_string());
    assert!(image.contains(&format!("install -d --mode 700 /state{data}")));
}

#[test]
fn the_image_is_built_with_the_toolchain_of_the_repository() {
    let toolchain = fs::read_to_string(repository("rust-toolchain.toml")).unwrap();
    let line = toolchain
        .lines()
        .find_map(|line| line.strip_prefix("channel = "));
    let version = line.unwrap().trim_matches('"');
    let base = format!("\nFROM rust:{version}-");
    assert!(sample("Containerfile").contains(&base), "{base}");
}

#[test]
fn the_image_asks_for_its_health_with_a_command_of_the_program() {
    let check = instruction("HEALTHCHECK");
    let (_, command) = check.split_once("CMD").unwrap();
    let command: Value = serde_json::from_str(command).unwrap();
    let nodes = nodes();
    for (_, node) in &nodes {
        let test = texts(&node["healthcheck"]["test"]);
        assert_eq!((test[0], json!(test[1..])), ("CMD", command.clone()));
    }
    let arguments = texts(&command)[1..].to_vec();
    // Without a service on the port it fails, and not because of its command line.
    let closed = crate::support::closed_port::ClosedPort::new();
    let asked = Command::new(env!("CARGO_BIN_EXE_slugline"))
        .args(arguments)
        .env("SLUGLINE_LISTEN", closed.address().to_string())
        .output()
        .unwrap();
    assert_eq!(asked.status.code(), Some(1), "{asked:?}");
}

fn nodes() -> Vec<(String, Value)> {
    let compose = yaml::document("compose.cluster.yaml");
    let services = compose["services"].as_object().unwrap();
    let nodes = services
        .iter()
        .filter(|(name, _)| name.starts_with("node"))
        .map(|(name, node)| (name.clone(), node.clone()));
    nodes.collect()
}

#[test]
fn three_nodes_run_alike_each_with_a_folder_of_its_own() {
    let compose = yaml::document("compose.cluster.yaml");
    let nodes = nodes();
    assert_eq!(nodes.len(), 3);
    let mut folders = BTreeSet::new();
    for (name, node) in &nodes {
        assert_eq!(node["user"], format!("{ACCOUNT}:{ACCOUNT}"), "{name}");
        assert_eq!(node["read_only"], true, "{name}");
        assert_eq!(node["cap_drop"], json!(["ALL"]), "{name}");
        assert_eq!(node["security_opt"], json!(["no-new-privileges:true"]));
        let [volume] = texts(&node["volumes"])[..] else {
            panic!("{name} has one volume");
        };
        let (volume, at) = volume.split_once(':').unwrap();
        assert_eq!(at, instruction("ENV SLUGLINE_DATA_DIR="));
        assert!(folders.insert(volume.to_owned()), "{volume} is shared");
    }
    for volume in folders {
        assert!(compose["volumes"].get(&volume).is_some(), "{volume}");
    }
    let upstream = compose["services"]["caddy"]["environment"]["NODES"].clone();
    let asked: Vec<String> = nodes
        .iter()
        .map(|(name, _)| format!("{name}:{}", port()))
        .collect();
    assert_eq!(upstream, asked.join(" "));
    let connections = texts(&compose["services"]["postgres"]["command"]);
    let most = connections
        .iter()
        .find_map(|option| option.strip_prefix("max_connections="));
    let most: usize = most.unwrap().parse().unwrap();
    assert!(most >= nodes.len() * 13 + 10, "{most} connections");
}

#[test]
fn one_service_runs_as_the_nodes_do_and_has_a_volume() {
    let compose = yaml::document("compose.yaml");
    let service = &compose["services"]["slugline"];
    for name in ["read_only", "cap_drop", "security_opt", "stop_grace_period"] {
        assert_eq!(service[name], nodes()[0].1[name], "{name}");
    }
    let data = instruction("ENV SLUGLINE_DATA_DIR=");
    assert_eq!(service["volumes"], json!([format!("slugline:{data}")]));
    assert!(compose["volumes"].get("slugline").is_some());
    let port = port();
    assert_eq!(
        service["ports"],
        json!([format!("127.0.0.1:{port}:{port}")])
    );
}

#[test]
fn the_proxy_is_the_one_that_nodes_believe_and_cannot_be_another() {
    let compose = yaml::document("compose.cluster.yaml");
    let caddy = &compose["services"]["caddy"]["networks"]["front"]["ipv4_address"];
    for (_, node) in nodes() {
        assert_eq!(&node["environment"]["SLUGLINE_TRUSTED_PROXIES"], caddy);
    }
    let network = &compose["networks"]["front"]["ipam"]["config"][0];
    let range = |name: &str| network[name].as_str().unwrap().parse().unwrap();
    let (subnet, given): (ipnet::IpNet, ipnet::IpNet) = (range("subnet"), range("ip_range"));
    let caddy: std::net::IpAddr = caddy.as_str().unwrap().parse().unwrap();
    assert!(subnet.contains(&caddy) && subnet.contains(&given) && !given.contains(&caddy));
}

#[test]
fn no_service_has_rights_that_it_does_not_need() {
    let compose = yaml::document("compose.cluster.yaml");
    for (name, service) in compose["services"].as_object().unwrap() {
        assert_eq!(service["cap_drop"], json!(["ALL"]), "{name}");
        assert_eq!(
            service["security_opt"],
            json!(["no-new-privileges:true"]),
            "{name}"
        );
        // Caddy's image has no account; it keeps the one right to listen on ports below 1024.
        let rights = texts_or_none(&service["cap_add"]);
        if name == "caddy" {
            assert_eq!(rights, ["NET_BIND_SERVICE"]);
        } else {
            let user = service["user"].as_str().unwrap();
            assert!(rights.is_empty() && !user.starts_with('0'), "{name}");
        }
    }
    let networks = |name: &str| texts(&compose["services"][name]["networks"]);
    assert_eq!(networks("postgres"), ["links"]);
    assert_eq!(networks("clickhouse"), ["visits"]);
    for name in ["links", "visits"] {
        assert_eq!(compose["networks"][name]["internal"], true, "{name}");
    }
}

/// The elements of a list of texts that may be missing.
fn texts_or_none(list: &Value) -> Vec<&str> {
    let list = list.as_array().into_iter().flatten();
    list.filter_map(Value::as_str).collect()
}

#[test]
fn images_of_others_are_pinned_by_digest() {
    let compose = yaml::document("compose.cluster.yaml");
    let services = compose["services"].as_object().unwrap();
    let images = services.values().filter_map(|one| one["image"].as_str());
    let containerfile = sample("Containerfile");
    let bases = containerfile
        .lines()
        .filter_map(|line| line.strip_prefix("FROM "))
        .filter_map(|base| base.split(' ').next())
        .filter(|base| *base != "scratch");
    let workflows =
        ["ci", "weekly"].map(|name| yaml::document(&format!("../.github/workflows/{name}.yml")));
    let jobs = workflows.iter().filter_map(|all| all["jobs"].as_object());
    let jobs = jobs.flat_map(|jobs| jobs.values());
    let containers = jobs.filter_map(|job| job["container"].as_str());
    let mut count = 0;
    for image in images.chain(bases).chain(containers) {
        if image == "slugline" {
            continue;
        }
        count += 1;
        let (name, digest) = image.split_once("@sha256:").expect(image);
        assert!(name.contains(':'), "{image} tells its version, too");
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        assert!(
            digest.len() == 64 && digest.bytes().all(is_digit),
            "{image}"
        );
    }
    assert_eq!(count, 13);
}

#[test]
fn the_role_of_the_nodes_owns_its_database_and_nothing_else() {
    let server = OwnPostgres::start();
    let temporary = tempfile::tempdir().unwrap();
    let password = temporary.path().join("database_password");
    fs::write(&password, "a'b\\c").unwrap();
    let url = server.url();
    let made = Command::new("sh")
        .arg(repository("deploy/postgres-role.sh"))
        .env("PGHOST", url.host_str().unwrap())
        .env("PGPORT", url.port().unwrap().to_string())
        .env("POSTGRES_USER", url.username())
        .env("DATABASE_PASSWORD_FILE", &password)
        .output()
        .unwrap();
    assert!(made.status.success(), "{made:?}");
    let rights = "SELECT rolsuper OR rolcreatedb OR rolcreaterole OR rolreplication OR rolbypassrls \
                  FROM pg_roles WHERE rolname = 'slugline';";
    let mut psql = Psql::connect(url.as_str());
    assert_eq!(psql.ask(rights), "f");
    let mut database = url.clone();
    database.set_username("slugline").unwrap();
    database.set_path("slugline");
    let service = Server::start_with(&[("SLUGLINE_DATABASE_URL", database.as_str())]);
    let link = json!({"url": "https://example.com/", "slug": "made"});
    service.create(&link);
    assert_eq!(service.visit("/made").status, 301);
}

#[test]
fn services_name_only_secrets_volumes_and_networks_that_exist() {
    let compose = yaml::document("compose.cluster.yaml");
    let declared = |kind: &str, name: &str| {
        assert!(compose[kind].get(name).is_some(), "{kind}: {name}");
    };
    for (_, service) in compose["services"].as_object().unwrap() {
        for secret in service["secrets"].as_array().into_iter().flatten() {
            let name = secret.as_str().or(secret["source"].as_str());
            declared("secrets", name.unwrap());
        }
        for volume in service["volumes"].as_array().into_iter().flatten() {
            let name = volume.as_str().unwrap().split(':').next().unwrap();
            if let Some(file) = name.strip_prefix("./") {
                assert!(repository("deploy").join(file).exists(), "{file}");
            } else {
                declared("volumes", name);
            }
        }
        let networks = &service["networks"];
        for name in networks.as_array().into_iter().flatten() {
            declared("networks", name.as_str().unwrap());
        }
        for (name, _) in networks.as_object().into_iter().flatten() {
            declared("networks", name);
        }
    }
}

/// Runs `secrets.sh` for a folder that does not exist yet.
fn make_secrets(folder: &Path) -> std::process::Output {
    Command::new("sh")
        .arg(repository("deploy/secrets.sh"))
        .arg(folder)
        .output()
        .unwrap()
}

#[test]
fn the_script_makes_the_secrets_that_the_services_need_and_replaces_none() {
    use std::os::unix::fs::PermissionsExt;

    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path().join("secrets");
    let made = make_secrets(&folder);
    assert!(made.status.success(), "{made:?}");
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    let permissions = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(permissions(&folder), 0o700);

    let compose = yaml::document("compose.cluster.yaml");
    for (name, secret) in compose["secrets"].as_object().unwrap() {
        let file = secret["file"].as_str().unwrap();
        let file = folder.join(file.strip_prefix("./secrets/").unwrap());
        assert!(file.exists(), "{name}");
        assert_eq!(permissions(&file), 0o644, "{name}");
    }
    for (name, node) in nodes() {
        let settings = node["environment"].as_object().unwrap();
        let settings: Vec<(&str, String)> = settings
            .iter()
            .map(|(name, value)| {
                let value = value.as_str().unwrap();
                let site = "${SITE:?the name under which visitors reach this machine}";
                let value = value.replace(site, "go.example");
                let secret = value.strip_prefix("/run/secrets/").map(str::to_owned);
                if let Some(secret) = &secret {
                    assert!(texts(&node["secrets"]).contains(&secret.as_str()));
                }
                let file = secret.map(|name| folder.join(name).to_str().unwrap().to_owned());
                (name.as_str(), file.unwrap_or(value))
            })
            .collect();
        let pairs = settings.iter().map(|(name, value)| (*name, value.as_str()));
        let settings =
            Settings::from_pairs(pairs).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(settings.site_token.is_some());
        assert!(matches!(settings.access_log, AccessLog::ClickHouse(_)));
    }
    let database: url::Url = read("database_url").parse().unwrap();
    assert_eq!(database.password().unwrap(), read("database_password"));
    assert_ne!(read("database_password"), read("postgres_password"));
    assert_eq!(database.host_str(), Some("postgres"));
    let log: url::Url = read("analytics_url").parse().unwrap();
    assert_eq!(log.host_str(), Some("clickhouse"));
    let hash = Sha256::digest(log.password().unwrap());
    let hash = hash.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    });
    assert!(read("clickhouse_users.xml").contains(&hash));

    let before = read("site_token");
    assert!(!make_secrets(&folder).status.success());
    assert_eq!(read("site_token"), before);
}

#[test]
fn proxies_ask_for_a_health_that_the_service_has() {
    let caddy = sample("Caddyfile");
    let asked = caddy
        .lines()
        .find_map(|line| line.trim().strip_prefix("health_uri "));
    assert_probe_exists(&json!(asked));
}
