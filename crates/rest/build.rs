//! Packs the pages of the API reference, so that the binary holds them once and
//! compressed, and most clients get those bytes unchanged.

use std::{
    env,
    fs::File,
    io::{self, Write},
    path::PathBuf,
};

use aide::{scalar::Scalar, swagger::Swagger};
use flate2::{Compression, write::GzEncoder};

const DOCUMENT_PATH: &str = "/_docs/openapi.json";
const TITLE: &str = "Slugline API";

/// Scalar's own fonts would come from another server; without them it falls back to a
/// serif font.
const SYSTEM_FONTS: &str = "<style>:root, body { \
    --scalar-font: system-ui, sans-serif !important; \
    --scalar-font-code: ui-monospace, monospace !important; }</style></head>";

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    let scalar = Scalar::new(DOCUMENT_PATH).with_title(TITLE).html();
    pack("scalar", &scalar.replacen("</head>", SYSTEM_FONTS, 1))?;
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
