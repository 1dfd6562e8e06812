//! Countries of addresses, from a table in the program.

use std::{
    fmt,
    io::{self, BufReader, Read},
    net::IpAddr,
    sync::OnceLock,
};

use flate2::read::DeflateDecoder;
use slugline_domain::{Country, Place, ports::PlaceFinder};

/// Four lines that say what the table is made of, and the packed runs: the number of countries but one,
/// their codes, and for IPv4 and the upper halves of IPv6 the number of runs, the country of each, and
/// how far each begins behind the one before. `cargo xtask countries` writes it.
static TABLE: &[u8] = include_bytes!("../data/dbip-country/countries.bin");

/// The countries of the world's networks, for instances that no file and no proxy tells more.
///
/// The first look-up unpacks the table, which takes some 10 ms and 5 MB. A later one is a binary search.
#[derive(Default)]
pub struct CountryTable(OnceLock<Runs>);

/// The data behind the table. Its licence asks for name and address wherever its results are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountrySource {
    /// The day of the data, such as `2026-06-01`.
    pub date: &'static str,
    /// The name of the data.
    pub name: &'static str,
    /// The address of who makes them.
    pub address: &'static str,
    /// The licence.
    pub licence: &'static str,
}

impl CountrySource {
    /// Reads the source from the head of this program's table.
    pub fn of_table() -> Self {
        let mut lines = TABLE.split(|byte| *byte == b'\n');
        let mut line = || {
            let line = lines.next().unwrap_or_default();
            str::from_utf8(line).expect("the head is a text")
        };
        Self {
            date: line(),
            name: line(),
            address: line(),
            licence: line(),
        }
    }
}

impl PlaceFinder for CountryTable {
    fn find(&self, address: IpAddr) -> Place {
        let runs = self.0.get_or_init(Runs::unpacked);
        let place = match address.to_canonical() {
            IpAddr::V4(address) => runs.four.at(address.to_bits()),
            IpAddr::V6(address) => runs.six.at(upper(address.to_bits())),
        };
        Place {
            country: place.and_then(|place| runs.countries[usize::from(place)]),
            ..Place::default()
        }
    }
}

impl fmt::Debug for CountryTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        CountrySource::of_table().fmt(f)
    }
}

fn upper(address: u128) -> u64 {
    u64::try_from(address >> 64).expect("64 bits are left")
}

/// The table, unpacked.
struct Runs {
    /// `None` for networks without a country.
    countries: Vec<Option<Country>>,
    four: Family<u32>,
    six: Family<u64>,
}

/// The start of each run of networks with one country, and that country's place in the list.
struct Family<T> {
    starts: Vec<T>,
    places: Vec<u8>,
}

impl<T: Copy + Ord> Family<T> {
    fn at(&self, address: T) -> Option<u8> {
        let behind = self.starts.partition_point(|start| *start <= address);
        self.places.get(behind.checked_sub(1)?).copied()
    }
}

impl Runs {
    fn unpacked() -> Self {
        let head = TABLE.split_inclusive(|byte| *byte == b'\n').take(4);
        let packed = &TABLE[head.map(<[u8]>::len).sum::<usize>()..];
        let mut from = BufReader::new(DeflateDecoder::new(packed));
        Self::read(&mut from).expect("a test has read the table")
    }

    fn read(from: &mut impl Read) -> io::Result<Self> {
        let [last] = array(from)?;
        let country = |code: [u8; 2]| Country::parse(str::from_utf8(&code).ok()?).ok();
        let countries = (0..=last).map(|_| Ok(country(array(from)?)));
        Ok(Self {
            countries: countries.collect::<io::Result<_>>()?,
            four: Family::read(from)?,
            six: Family::read(from)?,
        })
    }
}

impl<T: TryFrom<u64>> Family<T> {
    fn read(from: &mut impl Read) -> io::Result<Self> {
        let runs = u32::from_le_bytes(array(from)?);
        let runs = usize::try_from(runs).map_err(io::Error::other)?;
        let mut places = vec![0; runs];
        from.read_exact(&mut places)?;
        let mut starts = Vec::with_capacity(runs);
        let mut start = 0;
        for _ in 0..runs {
            start += distance(from)?;
            let start = T::try_from(start);
            starts.push(start.map_err(|_| io::Error::other("a start is too large"))?);
        }
        Ok(Self { starts, places })
    }
}

/// Seven bits a byte, the lowest first.
fn distance(from: &mut impl Read) -> io::Result<u64> {
    let mut distance = 0;
    for shift in (0..u64::BITS).step_by(7) {
        let [byte] = array(from)?;
        distance |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            break;
        }
    }
    Ok(distance)
}

fn array<const N: usize>(from: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn well_known_networks_have_their_countries_and_others_none() {
        let table = CountryTable::default();
        for (address, country) in [
            ("8.8.8.8", "US"),
            ("80.128.0.1", "DE"),
            ("::ffff:80.128.0.1", "DE"),
            ("193.0.6.139", "NL"),
            ("90.0.0.1", "FR"),
            ("202.12.27.33", "JP"),
            ("200.160.2.3", "BR"),
            ("2003::1", "DE"),
            ("2a01:cb00::1", "FR"),
            ("2600::1", "US"),
            ("2001:200::1", "JP"),
        ] {
            let found = table.country(address.parse().unwrap());
            assert_eq!(found, Country::parse(country).ok(), "{address}");
        }
        for nowhere in [
            "0.0.0.0",
            "10.1.2.3",
            "127.0.0.1",
            "192.168.0.1",
            "192.0.2.7",
            "198.51.100.7",
            "203.0.113.7",
            "224.0.0.1",
            "255.255.255.255",
            "::1",
            "fe80::1",
            "fd00::1",
            "2001:db8::1",
            "ff02::1",
        ] {
            let found = table.find(nowhere.parse().unwrap());
            assert!(found.is_unknown(), "{nowhere}: {found:?}");
        }
    }

    #[test]
    fn the_table_is_whole_small_and_says_what_it_is_made_of() {
        assert!(TABLE.len() <= 700_000);
        let runs = Runs::unpacked();
        assert!(runs.four.starts.is_sorted() && runs.six.starts.is_sorted());
        let size = runs.four.starts.len() * 5 + runs.six.starts.len() * 9;
        assert!(size < 6_000_000, "{size} bytes in memory");
        let source = CountrySource::of_table();
        assert!(source.date.starts_with("20") && source.date.len() == 10);
        assert!(source.address.starts_with("https://"), "{source:?}");
    }
}
