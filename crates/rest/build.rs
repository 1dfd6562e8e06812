//! Packs the page of the API reference, so that the binary holds it once and
//! compressed, and most clients get those bytes unchanged.

use std::{
    env,
    fs::File,
    io::{self, Write},
    path::PathBuf,
};

use aide::swagger::Swagger;
use flate2::{Compression, write::GzEncoder};

const DOCUMENT_PATH: &str = "/_docs/openapi.json";
const TITLE: &str = "Slugline API";

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    let swagger = Swagger::new(DOCUMENT_PATH).with_title(TITLE).html();
    pack("swagger", &swagger)
}

fn pack(name: &str, html: &str) -> io::Result<()> {
    let folder = env::var_os("OUT_DIR").expect("cargo names a folder");
    let file = PathBuf::from(folder).join(format!("{name}.html.gz"));
    let mut packing = GzEncoder::new(File::create(file)?, Compression::best());
    packing.write_all(html.as_bytes())?;
    packing.finish()?.sync_all()
}
