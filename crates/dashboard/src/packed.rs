//! The files in the binary.

/// A file, in both forms in which it is sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packed {
    /// Its validator, quoted as it stands in `ETag`.
    pub(crate) tag: &'static str,
    pub(crate) plain: &'static [u8],
    pub(crate) gzip: &'static [u8],
}

/// The file at this path below the folder of all files.
pub(crate) fn find(path: &str) -> Option<Packed> {
    let place = FILES.binary_search_by_key(&path, |(name, _)| name);
    place.ok().map(|place| FILES[place].1)
}

include!(concat!(env!("OUT_DIR"), "/packed.rs"));

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::GzDecoder;

    use super::*;

    /// What a first visit fetches before the list of links is there.
    const FIRST_LOAD: usize = 100 * 1024;

    #[test]
    fn files_are_found_by_path_and_others_are_not() {
        assert!(find("web/main.js").is_some());
        assert!(find("web/main").is_none());
        assert!(find("web/types/api.d.ts").is_none(), "types are not served");
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

    #[test]
    fn the_page_names_every_module_that_it_needs_at_once() {
        let page = str::from_utf8(PAGE.plain).unwrap();
        assert!(!page.contains("{{"), "{page}");
        let preloaded: Vec<&str> = page
            .lines()
            .filter_map(|line| line.strip_prefix("<link rel=\"modulepreload\" href=\"./"))
            .filter_map(|rest| rest.split_once('/')?.1.strip_suffix("\">"))
            .collect();
        assert!(preloaded.contains(&"web/main.js"));
        assert!(preloaded.contains(&"vendor/preact-11.2.0/preact.mjs"));
        for path in preloaded {
            assert!(find(path).is_some(), "{path}");
        }
    }

    #[test]
    fn first_load_stays_small() {
        let page = str::from_utf8(PAGE.plain).unwrap();
        let at_once = |path: &str| {
            page.contains(&format!("/{path}\""))
                || path.starts_with("web/links/")
                || path == "web/words/de.js"
        };
        let files = FILES.iter().filter(|(path, _)| at_once(path));
        let bytes: usize = files.map(|(_, file)| file.gzip.len()).sum();
        let bytes = bytes + PAGE.gzip.len();
        assert!(bytes < FIRST_LOAD, "{bytes} bytes");
    }
}
