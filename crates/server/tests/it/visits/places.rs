//! The places of visitors: by headers of trusted proxies, and by addresses.

use serde_json::json;
use slugline_testkit::{NETWORKS_FILE, PLACES_FILE};

use crate::support::server::{Call, Server, refusal};

/// A link with other destinations for three countries.
fn with_geo(settings: &[(&str, &str)]) -> Server {
    let server = Server::start_with(settings);
    server.create(&json!({
        "url": "https://example.com/", "slug": "app",
        "geo": {"DE": "https://example.de/", "BR": "https://example.br/", "JP": "https://example.jp/"},
    }));
    server
}

fn led_to(request: Call<'_>) -> String {
    request.send().header("location").to_owned()
}

const PROXY: (&str, &str) = ("SLUGLINE_TRUSTED_PROXIES", "127.0.0.1");
const FILE: (&str, &str) = ("SLUGLINE_GEOIP_PATH", PLACES_FILE);

#[test]
fn a_country_is_believed_from_a_trusted_proxy_only() {
    let trusting = with_geo(&[PROXY]);
    let visit = trusting.request("GET", "/app").header("cf-ipcountry", "DE");
    assert_eq!(led_to(visit), "https://example.de/");

    let distrusting = with_geo(&[]);
    for header in [
        "cf-ipcountry",
        "cloudfront-viewer-country",
        "client-geo-country",
        "x-vercel-ip-country",
    ] {
        let visit = distrusting.request("GET", "/app").header(header, "DE");
        assert_eq!(led_to(visit), "https://example.com/", "{header}");
    }
    distrusting.counters_with("country=", 4);
    distrusting.counters_with("country=DE", 0);
}

#[test]
fn a_fresh_instance_knows_countries_until_they_are_switched_off() {
    let from = |server: &Server, address: &str| {
        led_to(
            server
                .request("GET", "/app")
                .header("x-forwarded-for", address),
        )
    };
    let fresh = with_geo(&[PROXY]);
    for (address, leads) in [
        ("80.128.0.1", "https://example.de/"),
        ("2003::1", "https://example.de/"),
        ("202.12.27.33", "https://example.jp/"),
        ("192.168.0.1", "https://example.com/"),
    ] {
        assert_eq!(from(&fresh, address), leads, "{address}");
    }
    fresh.counters_with("country=DE", 2);
    fresh.counters_with("country=JP", 1);
    let told = fresh.get("/api/setup").json();
    assert_eq!(told["countries"]["address"], "https://db-ip.com");
    assert_eq!(told["switches"]["places"], true);

    let off = with_geo(&[
        PROXY,
        ("SLUGLINE_GEOIP_PATH", "off"),
        ("SLUGLINE_GEO_HEADERS", "none"),
    ]);
    assert_eq!(from(&off, "80.128.0.1"), "https://example.com/");
    let told = off.get("/api/setup").json();
    assert!(told.get("countries").is_none());
    assert_eq!(told["switches"]["places"], false);
}

#[test]
fn a_visitor_behind_one_network_cannot_write_the_headers_of_another() {
    let settled = with_geo(&[PROXY, ("SLUGLINE_GEO_HEADERS", "cloudfront")]);
    let visit = settled
        .request("GET", "/app")
        .header("cloudfront-viewer-country", "BR")
        .header("cf-ipcountry", "DE");
    assert_eq!(led_to(visit), "https://example.br/");
    let visit = settled.request("GET", "/app").header("cf-ipcountry", "DE");
    assert_eq!(led_to(visit), "https://example.com/");

    let automatic = with_geo(&[PROXY]);
    let visit = automatic
        .request("GET", "/app")
        .header("cloudfront-viewer-country", "BR")
        .header("cf-ipcountry", "DE");
    assert_eq!(led_to(visit), "https://example.com/");
}

#[test]
fn addresses_are_looked_up_in_a_file() {
    let server = with_geo(&[PROXY, FILE]);
    for (address, destination) in [
        ("192.0.2.7", "https://example.de/"),
        ("192.0.2.200", "https://example.br/"),
        ("2001:db8::7", "https://example.jp/"),
        ("203.0.113.7", "https://example.com/"),
    ] {
        let visit = server
            .request("GET", "/app")
            .header("x-forwarded-for", address);
        assert_eq!(led_to(visit), destination, "{address}");
    }
    let contradicted = server
        .request("GET", "/app")
        .header("x-forwarded-for", "192.0.2.7")
        .header("cf-ipcountry", "BR");
    assert_eq!(led_to(contradicted), "https://example.br/");

    server.counters_with("", 5);
    server.counters_with("country=DE", 1);
    server.counters_with("country=BR", 2);
    server.counters_with("timezone=Asia/Tokyo", 1);
}

#[test]
fn the_log_keeps_region_city_zone_and_data_centre() {
    let server = Server::start_with(&[PROXY, FILE]);
    server.create(&json!({"url": "https://example.com/", "slug": "docs"}));
    let visit = server
        .request("GET", "/docs")
        .header("cf-ipcountry", "DE")
        .header("cf-region", "Land Berlin")
        .header("cf-ipcity", "Berlin")
        .header("cf-timezone", "Europe/Berlin")
        .header("cf-ray", "230b030023ae2822-TXL");
    assert_eq!(visit.send().status, 301);
    let visit = server
        .request("GET", "/docs")
        .header("x-forwarded-for", "192.0.2.7");
    assert_eq!(visit.send().status, 301);

    server.counters_with("timezone=Europe/Berlin", 2);
}

#[test]
fn a_caller_learns_where_it_is() {
    let server = Server::start_with(&[PROXY, FILE]);
    let location = |name: &str, value: &str| {
        let request = server.api("GET", "/api/location").header(name, value);
        request.send().json()
    };
    assert_eq!(
        location("x-forwarded-for", "192.0.2.7"),
        json!({"latitude": "48.14", "longitude": "11.58"})
    );
    assert_eq!(location("x-forwarded-for", "203.0.113.7"), json!({}));
    let by_header = server
        .api("GET", "/api/location")
        .header("cf-ipcountry", "BR")
        .header("cf-iplatitude", "-23.54750")
        .header("cf-iplongitude", "-46.63611")
        .send();
    assert_eq!(
        by_header.json(),
        json!({"latitude": "-23.55", "longitude": "-46.64"})
    );
    assert_eq!(server.request("GET", "/api/location").send().status, 401);
}

#[test]
fn a_file_that_knows_no_places_stops_the_start() {
    for (path, why) in [
        (NETWORKS_FILE, "is of the kind Slugline-Test-ASN"),
        ("/nonexistent/places.mmdb", "/nonexistent/places.mmdb"),
        ("/bin/sh", "MaxMind DB"),
    ] {
        let output = refusal(&[("SLUGLINE_GEOIP_PATH", path)]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success(), "{said}");
        assert!(said.starts_with("slugline: SLUGLINE_GEOIP_PATH"), "{said}");
        assert!(said.contains(why), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
    }
}
