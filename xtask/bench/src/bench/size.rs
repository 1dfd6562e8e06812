//! The size of the binary without its symbols.

use std::{fs, path::Path};

use anyhow::{Context, Result};

use super::{
    goal::{self, Limit},
    plan::Plan,
    table::Table,
};
use xtask::process;

pub(crate) fn run(plan: &Plan) -> Result<()> {
    println!("\nsize: without symbols\n");
    let mut table = Table::new(["MiB", "binary"]);
    let mut ours = None;
    for binary in plan.sluglines() {
        let mib = stripped_mib(&binary.path, &plan.scratch("size")?)?;
        table.row([binary.name.to_owned(), format!("{mib:.2}")]);
        ours.get_or_insert(mib);
    }
    print!("{table}");
    if let Some(mib) = ours {
        goal::report("size of the binary", Limit::AtMost(25.0), "MiB", mib);
    }
    Ok(())
}

fn stripped_mib(binary: &Path, scratch: &Path) -> Result<f64> {
    let copy = scratch.join("stripped");
    let mut strip = process::program("strip");
    let stripped = process::answer(strip.arg("-o").arg(&copy).arg(binary)).is_some();
    let bytes = if stripped {
        fs::metadata(&copy)?.len()
    } else {
        println!("no `strip` here: the size is that of the parts that are loaded");
        let elf = fs::read(binary)?;
        loaded_bytes(&elf).context("a binary in the form of 64-bit ELF, little-endian")?
    };
    // KiB, so that the number is exact as a float.
    Ok(f64::from(u32::try_from(bytes / 1024)?) / 1024.0)
}

/// The end of the last loaded segment (elf(5)); symbols come after it.
fn loaded_bytes(elf: &[u8]) -> Option<u64> {
    const PT_LOAD: [u8; 4] = [1, 0, 0, 0];
    let u16_at = |at: usize| Some(u16::from_le_bytes(*elf.get(at..)?.first_chunk()?));
    let u64_at = |at: usize| Some(u64::from_le_bytes(*elf.get(at..)?.first_chunk()?));
    if !elf.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let table = usize::try_from(u64_at(32)?).ok()?;
    let (entry, entries) = (usize::from(u16_at(54)?), usize::from(u16_at(56)?));
    let mut end = 0;
    for header in (0..entries).map(|index| table + index * entry) {
        if elf.get(header..)?.starts_with(&PT_LOAD) {
            end = end.max(u64_at(header + 8)? + u64_at(header + 32)?);
        }
    }
    Some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loaded_part_ends_before_the_symbols() {
        let this = std::env::current_exe().unwrap();
        let elf = fs::read(&this).unwrap();
        let loaded = loaded_bytes(&elf).unwrap();
        assert!(loaded > 100_000, "{loaded}");
        assert!(loaded < fs::metadata(this).unwrap().len());
        assert_eq!(loaded_bytes(b"#!/bin/sh\n"), None);
    }
}
