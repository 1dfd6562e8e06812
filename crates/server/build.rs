//! Packs the notices of others' work, which `slugline licenses` prints.

use std::{env, fs, io, path::PathBuf};

use flate2::{Compression, write::GzEncoder};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=THIRD-PARTY.txt");
    let folder = env::var_os("OUT_DIR").expect("cargo names a folder");
    let packed = fs::File::create(PathBuf::from(folder).join("third-party.txt.gz"))?;
    let mut packing = GzEncoder::new(packed, Compression::best());
    io::copy(&mut fs::File::open("THIRD-PARTY.txt")?, &mut packing)?;
    packing.finish()?.sync_all()
}
