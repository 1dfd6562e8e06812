//! The files in the binary.

/// A file, in both forms in which it is sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packed {
    /// Its validator, quoted as it stands in `ETag`.
    pub(crate) tag: &'static str,
    pub(crate) plain: &'static [u8],
    pub(crate) gzip: &'static [u8],
}

/// Finds the file at this path below the folder of all files.
pub(crate) fn find(path: &str) -> Option<Packed> {
    let index = FILES.binary_search_by_key(&path, |(name, _)| name);
    index.ok().map(|index| FILES[index].1)
}

/// Finds the page of this name.
pub(crate) fn page(name: &str) -> Option<Packed> {
    let page = PAGES.iter().find(|(known, _)| *known == name);
    page.map(|(_, page)| *page)
}

include!(concat!(env!("OUT_DIR"), "/packed.rs"));

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::GzDecoder;

    use super::*;

    /// The most bytes of files that a first visit fetches.
    const FIRST_LOAD: usize = 75_000;

    #[test]
    fn files_are_found_by_path_and_others_are_not() {
        assert!(find("web/main.js").is_some());
        assert!(find("web/main").is_none());
        let is_types = |path: &str| path.ends_with(".d.mts") || path.ends_with(".d.ts");
        assert!(!FILES.iter().any(|(path, _)| is_types(path)));
        assert!(find("../Cargo.toml").is_none());
    }

    #[test]
    fn both_forms_say_the_same() {
        for (path, file) in FILES {
            let mut unpacked = Vec::new();
            GzDecoder::new(file.gzip)
                .read_to_end(&mut unpacked)
                .unwrap();
            assert_eq!(unpacked, file.plain, "{path}");
        }
    }

    fn preloaded(page: Packed) -> Vec<&'static str> {
        let page = str::from_utf8(page.plain).unwrap();
        assert!(!page.contains("{{"), "{page}");
        page.lines()
            .filter_map(|line| line.strip_prefix("<link rel=\"modulepreload\" href=\"./"))
            .filter_map(|rest| rest.split_once('/')?.1.strip_suffix("\">"))
            .collect()
    }

    #[test]
    fn each_page_names_every_module_that_it_needs_at_once() {
        for (name, page) in PAGES {
            let modules = preloaded(*page);
            assert_eq!(modules[..2], ["web/ahead.js", "web/main.js"], "{name}");
            assert!(modules.contains(&format!("web/{name}/page.js").as_str()));
            for path in modules {
                assert!(find(path).is_some(), "{name}: {path}");
            }
        }
    }

    #[test]
    fn first_load_of_every_page_stays_small() {
        let longest_words = FILES
            .iter()
            .filter(|(path, _)| path.starts_with("web/words/"))
            .map(|(_, file)| file.gzip.len())
            .max()
            .unwrap();
        for (name, page) in PAGES {
            let style = find("web/style.css").unwrap().gzip.len();
            let modules = preloaded(*page);
            let modules: usize = modules
                .iter()
                .map(|path| find(path).unwrap().gzip.len())
                .sum();
            let bytes = page.gzip.len() + style + longest_words + modules;
            assert!(bytes < FIRST_LOAD, "{name}: {bytes} bytes");
        }
    }
}
