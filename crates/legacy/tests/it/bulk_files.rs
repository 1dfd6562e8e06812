//! The members of a bulk file's entries.

use std::{fs, path::Path};

use serde_json::json;
use slugline_domain::{
    EntryFault, UnixSeconds,
    ports::{OldStore, OldStoreError},
};
use slugline_legacy::BulkFile;
use slugline_testkit::{assert_matches, slug};

const VALUE: &str = r#"{"url":"https://example.com/"}"#;

fn write(folder: &Path, text: &str) -> BulkFile {
    let path = folder.join("links.json");
    fs::write(&path, text).unwrap();
    BulkFile::new(&path)
}

#[tokio::test]
async fn every_member_of_an_entry_counts() {
    let folder = tempfile::tempdir().unwrap();
    let now = fs::metadata(folder.path()).unwrap().modified().unwrap();
    let entries = json!([
        {"key": "link:plain", "value": VALUE},
        {"key": "link:ends", "value": VALUE, "expiration": 4_000_000_000_i64},
        {"key": "link:lives", "value": VALUE, "expiration": 5, "expiration_ttl": 1000},
        {"key": "link:meta", "value": VALUE, "metadata": {"comment": "m", "expiration": 4_000_000_001_i64}},
        {"key": "link:encoded", "value": "eyJ1cmwiOiJodHRwczovL2IuZXhhbXBsZS8ifQ==", "base64": true},
        {"key": "link:twice", "value": "{}"},
        {"key": "link:twice", "value": r#"{"url":"https://last.example/"}"#},
        {"key": "image:x", "value": "AAAA", "base64": true},
    ]);
    let file = write(folder.path(), &entries.to_string());
    let find = async |text| file.find(&slug(text)).await.unwrap().unwrap().content;
    let second = |at: Option<UnixSeconds>| at.map(UnixSeconds::get);
    assert_eq!(second(find("plain").await.expires_at), None);
    assert_eq!(second(find("ends").await.expires_at), Some(4_000_000_000));
    assert_eq!(second(find("meta").await.expires_at), Some(4_000_000_001));
    assert_eq!(find("meta").await.comment.unwrap().as_str(), "m");
    let encoded = find("encoded").await.destination;
    assert_eq!(encoded.as_str(), "https://b.example/");
    let twice = find("twice").await.destination;
    assert_eq!(twice.as_str(), "https://last.example/");
    // The file was written within a minute of the folder.
    let began = now.duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    let began = i64::try_from(began).unwrap();
    let lives = second(find("lives").await.expires_at).unwrap() - began;
    assert!((1000..1060).contains(&lives), "{lives}");
    let page = file.page(None).await.unwrap();
    assert_eq!((page.entries.len(), page.ignored, page.next), (6, 1, None));
}

#[tokio::test]
async fn entries_that_are_none_are_named_by_key_or_position() {
    let folder = tempfile::tempdir().unwrap();
    let entries = json!([
        5,
        {"value": VALUE},
        {"key": "link:a"},
        {"key": "link:b", "value": {"url": "https://example.com/"}},
        {"key": "link:c", "value": "%", "base64": true},
        {"key": "link:d", "value": VALUE, "expiration": "soon"},
        {"key": "link:good", "value": VALUE},
    ]);
    let file = write(folder.path(), &entries.to_string());
    let page = file.page(None).await.unwrap();
    let faults = page.entries.iter().map(|entry| {
        let fault = entry.link.as_ref().err().map(EntryFault::as_str);
        format!("{}: {}", entry.key, fault.unwrap_or("none"))
    });
    let expected = [
        "entry 0 of the file: the entry is no object with a key",
        "entry 1 of the file: the entry is no object with a key",
        "link:a: value is not a text",
        "link:b: value is not a text",
        "link:c: the value is not base64",
        "link:d: expiration is not Unix seconds",
        "link:good: none",
    ];
    assert_eq!(faults.collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn a_file_that_is_none_cannot_be_used() {
    let folder = tempfile::tempdir().unwrap();
    let missing = BulkFile::new(&folder.path().join("missing.json"));
    for file in [missing, write(folder.path(), r#"{"key": "link:a"}"#)] {
        let error = file.ping().await.unwrap_err();
        assert_matches!(error, OldStoreError::Unusable(_));
        assert!(error.to_string().contains(".json: "), "{error}");
    }
}
