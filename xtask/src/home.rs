//! `cargo xtask home OWNER/NAME`: the one address of the repository, in each file that states it.
//!
//! Until somebody runs it, no file states an address, and nothing can be released.

use std::{collections::BTreeMap, fs};

use anyhow::{Context, Result};

use xtask::process;

/// Writes the address into each file.
pub(crate) fn set(repository: &str) -> Result<()> {
    let (owner, name) = parsed(repository)?;
    for (file, text) in with_address(owner, name)? {
        fs::write(process::root().join(file), text)?;
        println!("{file}: https://github.com/{owner}/{name}");
    }
    Ok(())
}

/// A file, the text before what states the address, the text after it, and what stands between
/// them. `{owner}`, `{name}` and `{image}` stand for the parts of the address.
#[rustfmt::skip]
const PLACES: [Place; 8] = [
    ("Cargo.toml", "\nrepository = \"", "\"", "https://github.com/{owner}/{name}"),
    ("Cargo.toml", "\nhomepage = \"", "\"", "https://github.com/{owner}/{name}"),
    ("README.md", "<!-- home -->\n", "<!-- end of home -->", WAYS_IN),
    ("deploy/Containerfile", "\nLABEL org.opencontainers.image.source=\"", "\"", "https://github.com/{owner}/{name}"),
    ("deploy/Containerfile", "\nLABEL io.modelcontextprotocol.server.name=\"", "\"", "io.github.{owner}/{name}"),
    ("deploy/install.sh", "INSTALL_FROM:-", "}\"", "https://github.com/{owner}/{name}/releases"),
    ("server.json", "\n  \"name\": \"", "  \"title\"", LISTED),
    ("server.json", "\"identifier\": \"", ":", "ghcr.io/{image}"),
];

const LISTED: &str = "io.github.{owner}/{name}\",
  \"repository\": { \"url\": \"https://github.com/{owner}/{name}\", \"source\": \"github\" },
";

const WAYS_IN: &str = "
```sh elsewhere
# Linux and macOS; it checks what it downloads
curl -fsSL https://github.com/{owner}/{name}/releases/latest/download/install.sh | sh
# a container
docker run -it -p 127.0.0.1:8080:8080 -v slugline:/data ghcr.io/{image}
# with cargo-binstall
cargo binstall --git https://github.com/{owner}/{name} slugline
```

";

/// Each file of the places, with the address of this repository.
fn with_address(owner: &str, name: &str) -> Result<BTreeMap<&'static str, String>> {
    let mut files = BTreeMap::new();
    for place in &PLACES {
        let file = place.0;
        let text = files.remove(file).map_or_else(|| read(file), Ok)?;
        files.insert(file, filled(&text, place, owner, name)?);
    }
    Ok(files)
}

type Place = (&'static str, &'static str, &'static str, &'static str);

/// The text of a file, with the address at this place.
fn filled(
    text: &str,
    (file, before, after, stated): &Place,
    owner: &str,
    name: &str,
) -> Result<String> {
    // Names of images are in lower case.
    let image = format!("{owner}/{name}").to_lowercase();
    let stated = stated.replace("{owner}", owner).replace("{name}", name);
    let stated = stated.replace("{image}", &image);
    let old = between(text, before, after).with_context(|| (*file).to_owned())?;
    let old = format!("{before}{old}{after}");
    Ok(text.replacen(&old, &format!("{before}{stated}{after}"), 1))
}

fn between<'a>(text: &'a str, before: &str, after: &str) -> Result<&'a str> {
    let found = text
        .split_once(before)
        .and_then(|(_, rest)| rest.split_once(after));
    Ok(found.with_context(|| format!("{before:?} is missing"))?.0)
}

/// The owner and the name, as GitHub spells them.
fn parsed(repository: &str) -> Result<(&str, &str)> {
    let known = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let plain = |part: &str| !part.is_empty() && part.bytes().all(known);
    let parts = repository.split_once('/');
    let parts = parts.filter(|(owner, name)| plain(owner) && plain(name));
    parts.with_context(|| format!("{repository:?} is not OWNER/NAME, such as octocat/slugline"))
}

fn read(file: &str) -> Result<String> {
    fs::read_to_string(process::root().join(file)).with_context(|| format!("cannot read {file}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_place_states_the_address_and_a_second_one_replaces_the_first() {
        for place @ (file, before, after, _) in &PLACES {
            let first = filled(&read(file).unwrap(), place, "Ann", "quux").unwrap();
            let second = filled(&first, place, "Bob", "second").unwrap();
            let stated = between(&second, before, after).unwrap();
            assert!(
                stated.to_lowercase().contains("bob/second"),
                "{file}: {stated}"
            );
            assert!(!second.contains("quux"), "{file}");
            assert!(
                !["{owner}", "{name}", "{image}"]
                    .iter()
                    .any(|part| stated.contains(part))
            );
        }
    }

    #[test]
    fn what_is_no_repository_is_refused() {
        assert_eq!(parsed("ann/slugline").unwrap(), ("ann", "slugline"));
        for wrong in [
            "slugline",
            "ann/",
            "https://github.com/ann/slugline",
            "a b/c",
            "a/b\"",
        ] {
            assert!(parsed(wrong).is_err(), "{wrong}");
        }
    }
}
