//! Every setting that a sample or a page names is one.

use std::{fs, path::Path};

use slugline::settings::CATALOGUE;

use super::repository;

#[test]
fn every_setting_that_a_sample_or_a_page_names_exists() {
    let mut named = 0;
    for path in ["deploy", "docs", "README.md"] {
        named += named_in(&repository(path));
    }
    assert!(named > 50, "{named} names were found");
}

/// The number of names in a file, or in all files of a folder.
fn named_in(path: &Path) -> usize {
    if path.is_dir() {
        let entries = fs::read_dir(path).unwrap();
        return entries.map(|entry| named_in(&entry.unwrap().path())).sum();
    }
    let Ok(text) = fs::read_to_string(path) else {
        return 0; // a picture
    };
    let names = names(&text);
    for name in &names {
        assert!(is_setting(name), "{}: {name}", path.display());
    }
    names.len()
}

fn names(text: &str) -> Vec<&str> {
    let part_of_a_name =
        |byte: &char| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == '_';
    text.match_indices("SLUGLINE_")
        .map(|(at, _)| {
            let rest = &text[at..];
            let end = rest.find(|byte| !part_of_a_name(&byte));
            &rest[..end.unwrap_or(rest.len())]
        })
        // `SLUGLINE_…_FILE` speaks of many, and some are those of the tests.
        .filter(|name| *name != "SLUGLINE_" && !name.starts_with("SLUGLINE_TEST_"))
        .collect()
}

fn is_setting(name: &str) -> bool {
    CATALOGUE.iter().any(|setting| {
        let from_a_file = setting.secret && name == setting.file_variable();
        name == setting.name || from_a_file
    })
}

#[test]
fn a_name_ends_where_it_ends() {
    assert_eq!(
        names("`SLUGLINE_LISTEN`: SLUGLINE_SITE_TOKEN_FILE=x, SLUGLINE_…_FILE"),
        ["SLUGLINE_LISTEN", "SLUGLINE_SITE_TOKEN_FILE"]
    );
    assert!(is_setting("SLUGLINE_SITE_TOKEN_FILE"));
    assert!(!is_setting("SLUGLINE_LISTEN_FILE"));
}
