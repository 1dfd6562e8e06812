//! Packs `web` and `vendor` into the binary: every file as it is and
//! compressed, below a folder that is named by the hash of all of them.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "cargo reads the output of a build script, and a failure ends the build"
)]

mod modules;
mod vendored;

use std::{
    collections::BTreeMap,
    env,
    fmt::Write as _,
    fs,
    io::Write as _,
    path::{Path, PathBuf},
};

use flate2::{Compression, write::GzEncoder};
use sha2::{Digest, Sha256};

/// The pages, each with a folder of its own below `web`. The first one is shown
/// when the address names none.
const PAGES: [&str; 6] = ["links", "analytics", "live", "audit", "setup", "trash"];

/// Files by their path from the folder of the crate.
type Files = BTreeMap<String, Vec<u8>>;

fn main() {
    let home = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap());
    let mut files = Files::new();
    println!("cargo::rerun-if-changed=build");
    for folder in ["vendor", "web"] {
        println!("cargo::rerun-if-changed={folder}");
        gather(&home, &home.join(folder), &mut files);
    }
    let page = String::from_utf8(files.remove("web/index.html").unwrap()).unwrap();
    join_styles(&mut files);
    files.retain(|path, _| is_served(path));
    let preloads = join_modules(&mut files);
    let folder = format!("a-{}", hash_of(&files));
    let page = page.replace("{{folder}}", &folder);

    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap());
    let mut packer = Packer {
        out: &out,
        packed: 0,
    };
    let mut table = format!("pub(crate) const FOLDER: &str = {folder:?};\n");
    table.push_str("pub(crate) const PAGES: &[(&str, Packed)] = &[\n");
    for (name, modules) in PAGES.iter().zip(preloads) {
        let page = page.replace("{{preloads}}\n", &preload_lines(&folder, &modules));
        let entry = packer.pack(page.as_bytes());
        writeln!(table, "    ({name:?}, {entry}),").unwrap();
    }
    table.push_str("];\n");
    table.push_str("pub(crate) const FILES: &[(&str, Packed)] = &[\n");
    for (path, content) in &files {
        let entry = packer.pack(content);
        writeln!(table, "    ({path:?}, {entry}),").unwrap();
    }
    table.push_str("];\n");
    fs::write(out.join("packed.rs"), table).unwrap();
}

fn gather(home: &Path, folder: &Path, files: &mut Files) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            gather(home, &path, files);
            continue;
        }
        let name = path.strip_prefix(home).unwrap();
        let name = name.to_str().unwrap().replace('\\', "/");
        files.insert(name, fs::read(&path).unwrap());
    }
}

/// One style sheet of all, in the order of their names: fewer requests.
fn join_styles(files: &mut Files) {
    let is_style = |path: &String| path.starts_with("web/style/");
    let styles: Vec<String> = files
        .keys()
        .filter(|path| is_style(path))
        .cloned()
        .collect();
    let parts: Vec<Vec<u8>> = styles
        .iter()
        .filter_map(|path| files.remove(path))
        .collect();
    files.insert("web/style.css".to_owned(), parts.concat());
}

/// Tests and types are for developers.
fn is_served(path: &str) -> bool {
    let served = [".js", ".mjs", ".css", ".svg", ".json", ".webmanifest"];
    let kept_back = [".test.js", ".d.ts", ".d.mts", "lock.json"];
    served.iter().any(|end| path.ends_with(end)) && !kept_back.iter().any(|end| path.ends_with(end))
}

fn hash_of(files: &Files) -> String {
    let mut hash = Sha256::new();
    for (path, content) in files {
        hash.update(path.as_bytes());
        hash.update([0]);
        hash.update(u64::try_from(content.len()).unwrap().to_le_bytes());
        hash.update(content);
    }
    hex(&hash.finalize(), 8)
}

fn hex(digest: &[u8], bytes: usize) -> String {
    digest
        .iter()
        .take(bytes)
        .fold(String::new(), |mut text, byte| {
            write!(text, "{byte:02x}").unwrap();
            text
        })
}

/// Joins each file that a browser fetches with the modules that it needs and that
/// files before it do not have. Returns what each page needs before it shows
/// anything, so that a browser asks for all of it at once. The words are left out:
/// only the browser knows which.
fn join_modules(files: &mut Files) -> Vec<Vec<String>> {
    /// The script that runs first, without waiting for the style, and the one that shows the
    /// frame.
    const AHEAD: &str = "web/ahead.js";
    const START: &str = "web/main.js";
    let sources = files.clone();
    let mut joined = Joined {
        sources: &sources,
        files,
    };
    let ahead = joined.join(AHEAD, &[]);
    joined.join(START, &ahead);
    // It runs as soon as it is there, which may be late.
    let start = joined.files.get_mut(START).unwrap();
    start.splice(..0, *b"import './ahead.js';\n");
    let pages = PAGES.map(|name| format!("web/{name}/page.js"));
    let needed = pages.map(|page| vec![AHEAD.to_owned(), START.to_owned(), page]);
    needed.to_vec()
}

/// Files on their way from modules to what is served.
struct Joined<'f> {
    sources: &'f Files,
    files: &'f mut Files,
}

impl Joined<'_> {
    /// Joins a file, and those that its modules fetch later. Returns the modules that
    /// are there once it has run.
    fn join(&mut self, entry: &str, before: &[String]) -> Vec<String> {
        let bundle = modules::bundle(self.sources, entry, before);
        for module in &bundle.modules {
            self.files.remove(module);
        }
        let there = [before, &bundle.modules].concat();
        for later in bundle.later {
            self.join(&later, &there);
        }
        self.files.insert(entry.to_owned(), bundle.source.into());
        there
    }
}

fn preload_lines(folder: &str, modules: &[String]) -> String {
    modules.iter().fold(String::new(), |mut lines, path| {
        let line = format!("<link rel=\"modulepreload\" href=\"./{folder}/{path}\">");
        writeln!(lines, "{line}").unwrap();
        lines
    })
}

/// Writes files where the crate embeds them from.
struct Packer<'a> {
    out: &'a Path,
    packed: usize,
}

impl Packer<'_> {
    /// Writes both forms of a file, and gives the expression that embeds them.
    fn pack(&mut self, content: &[u8]) -> String {
        let number = self.packed;
        self.packed += 1;
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(content).unwrap();
        fs::write(self.out.join(format!("{number}.plain")), content).unwrap();
        let gzip = encoder.finish().unwrap();
        fs::write(self.out.join(format!("{number}.gz")), gzip).unwrap();
        let tag = hex(&Sha256::digest(content), 8);
        let embed = |form: &str| {
            format!("include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{number}.{form}\"))")
        };
        format!(
            "Packed {{ tag: \"\\\"{tag}\\\"\", plain: {}, gzip: {} }}",
            embed("plain"),
            embed("gz")
        )
    }
}
