use std::{collections::BTreeSet, path::Path};

use super::{Page, pages};
use crate::support::repository;

#[test]
fn the_contents_name_every_page_once_and_each_page_begins_with_its_question() {
    let contents = Page::read("docs/SUMMARY.md");
    let named: Vec<String> = targets(&contents.text)
        .iter()
        .map(|target| format!("docs/{target}"))
        .collect();
    let unique: BTreeSet<&String> = named.iter().collect();
    assert_eq!(unique.len(), named.len(), "a page stands there twice");
    for page in pages() {
        if matches!(page.path.as_str(), "README.md" | "docs/SUMMARY.md") {
            continue;
        }
        assert!(named.contains(&page.path), "SUMMARY.md lacks {}", page.path);
        if page.path.starts_with("docs/adr/0") {
            continue;
        }
        let question = page.text.split("\n\n").nth(1).unwrap();
        let is_asked = question.starts_with('*') && question.contains("?*");
        assert!(is_asked, "{} begins with no question", page.path);
    }
}

#[test]
fn pages_stay_as_short_as_they_are_meant_to_be() {
    let mut words = 0;
    for page in pages() {
        let own = page.text.split_whitespace().count();
        match page.path.as_str() {
            "README.md" => assert!(own <= 900, "README.md has {own} words"),
            path if path.starts_with("docs/adr/") => {}
            _ => words += own,
        }
        for (number, line) in (1..).zip(page.text.lines()) {
            let length = line.chars().count();
            assert!(length <= 120, "{}:{number}: {length} characters", page.path);
        }
    }
    assert!(words <= 38_000, "docs has {words} words");
}

/// A link out of `docs`, or to a README, which the book calls index, would lead nowhere in the book. Pages name such
/// files by their path.
#[test]
fn every_link_leads_to_a_page_and_to_a_heading_that_it_has() {
    let pages = pages();
    for page in &pages {
        let folder = Path::new(&page.path).parent().unwrap();
        for target in targets(&page.text) {
            if target.starts_with("https://") {
                continue;
            }
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            let path = if file.is_empty() {
                page.path.clone()
            } else {
                joined(folder, file)
            };
            let place = format!("{}: {target}", page.path);
            assert!(repository(&path).exists(), "{place} is not there");
            let is_read_in_the_book =
                page.path.starts_with("docs/") && page.path != "docs/SUMMARY.md";
            let is_there = path.starts_with("docs/") && !path.ends_with("README.md");
            assert!(is_there || !is_read_in_the_book, "{place} leaves the book");
            if !heading.is_empty() {
                let page = pages.iter().find(|page| page.path == path);
                let headings = headings(&page.unwrap_or_else(|| panic!("{place}")).text);
                assert!(headings.contains(heading), "{place} has no such heading");
            }
        }
    }
}

/// The targets of all links of a page, those of pictures included.
fn targets(text: &str) -> Vec<&str> {
    let rest = prose(text);
    let links = rest.into_iter().flat_map(|line| {
        let marked = line.split("](").skip(1).map(|rest| (rest, ')'));
        let quoted = ["src=\"", "srcset=\"", "href=\""].map(|name| {
            let after = line.split(name).skip(1);
            after.map(|rest| (rest, '"')).collect::<Vec<_>>()
        });
        marked
            .chain(quoted.into_iter().flatten())
            .collect::<Vec<_>>()
    });
    links
        .filter_map(|(rest, end)| rest.split(end).next())
        .collect()
}

/// The lines outside of code.
fn prose(text: &str) -> Vec<&str> {
    let mut is_code = false;
    let lines = text.lines().filter(|line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    });
    lines.collect()
}

/// The anchors of a page's headings, as forges and the book make them.
fn headings(text: &str) -> BTreeSet<String> {
    let lines = prose(text).into_iter();
    let titles = lines.filter_map(|line| {
        line.split_once("# ")
            .filter(|(marks, _)| marks.chars().all(|mark| mark == '#'))
    });
    let kept = |letter: &char| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_');
    let anchor = |title: &str| {
        title
            .to_lowercase()
            .chars()
            .filter(kept)
            .collect::<String>()
    };
    titles
        .map(|(_, title)| anchor(title).replace(' ', "-"))
        .collect()
}

/// The path of a file that is named from a folder.
fn joined(folder: &Path, file: &str) -> String {
    let mut path = folder.to_path_buf();
    for part in file.split('/') {
        match part {
            ".." => assert!(path.pop(), "{file}"),
            _ => path.push(part),
        }
    }
    path.to_str().unwrap().to_owned()
}

#[test]
fn anchors_of_headings_are_those_of_forges() {
    let page = "# A\n## 1. Start it\n```sh\n# no heading\n```\n### `slugline` and x_y\n";
    let expected = ["a", "1-start-it", "slugline-and-x_y"];
    assert_eq!(headings(page), expected.map(str::to_owned).into());
}
