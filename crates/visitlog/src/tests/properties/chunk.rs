use proptest::{collection::vec, prelude::*, sample::Index};

use crate::format::{
    chunk::{self, ChunkError, Directory, Encoder, Span, seal},
    selection::Selection,
    values::Values,
};

/// Numbers of a column: few or many bits above any base, so that every width occurs, and blocks of
/// eight bytes end at every position.
fn numbers() -> impl Strategy<Value = Vec<u64>> {
    (any::<u64>(), 0..=64_u32).prop_flat_map(|(base, bits)| {
        let mask = u64::MAX.checked_shr(64 - bits).unwrap_or(0);
        vec(any::<u64>(), 0..70).prop_map(move |entries| {
            let above = |entry: u64| base.saturating_add(entry & mask);
            entries.into_iter().map(above).collect()
        })
    })
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    vec("\\PC{0,9}", 0..30).prop_map(|mut texts| {
        texts.sort();
        texts.dedup();
        texts
    })
}

fn span() -> impl Strategy<Value = Span> {
    (70..1_u32 << 24, any::<i64>(), any::<i64>()).prop_map(|(rows, min_ts, max_ts)| Span {
        rows,
        min_ts,
        max_ts,
    })
}

/// A directory with its parts.
type Written = (Vec<u8>, Vec<(u8, Vec<u8>)>);

fn write(span: Span, numbers: &[u64], texts: &[String]) -> Written {
    let mut encoder = Encoder::new(span);
    encoder.numbers("visitor", numbers);
    encoder.texts("ua", texts.iter().map(String::as_str));
    encoder.finish()
}

/// Reads what [`write`] wrote.
fn read(span: Span, (directory, parts): &Written) -> Result<(Vec<u64>, Vec<String>), ChunkError> {
    let directory = Directory::parse(span, directory)?;
    let part = |position: u8| {
        parts
            .iter()
            .find(|part| part.0 == position)
            .map(|part| &part.1[..])
    };
    let entry = directory.numbers("visitor").unwrap();
    let data = match entry.here() {
        Some(data) => data,
        None => entry.data(span, "visitor", part(entry.position).unwrap())?,
    };
    let numbers = chunk::numbers("visitor", entry, data)?;
    let numbers: Option<Values<u64>> = numbers.read(&Selection::All);
    let numbers = numbers.unwrap();
    let numbers = (0..entry.count()).map(|row| numbers.at(row)).collect();
    let entry = directory.texts("ua").unwrap();
    let data = match entry.here() {
        Some(data) => data,
        None => entry.data(span, "ua", part(entry.position).unwrap())?,
    };
    let texts = chunk::texts("ua", entry, data)?.all();
    let texts = texts.ok_or(ChunkError::Text { column: "ua" })?;
    Ok((numbers, texts.iter().map(str::to_owned).collect()))
}

proptest! {
    #[test]
    fn anything_comes_back(span in span(), numbers in numbers(), texts in texts()) {
        let written = write(span, &numbers, &texts);
        prop_assert_eq!(read(span, &written), Ok((numbers, texts)));
    }

    #[test]
    fn any_damage_is_an_error(
        span in span(),
        numbers in numbers(),
        texts in texts(),
        position in any::<Index>(),
        cut in any::<bool>(),
        bit in 0..8,
    ) {
        let (directory, parts) = write(span, &numbers, &texts);
        let count = parts.len() + 1;
        for which in 0..count {
            let (mut directory, mut parts) = (directory.clone(), parts.clone());
            let bytes = match which.checked_sub(1) {
                None => &mut directory,
                Some(part) => &mut parts[part].1,
            };
            let position = position.index(bytes.len());
            if cut {
                bytes.truncate(position);
            } else {
                bytes[position] ^= 1_u8 << bit;
            }
            prop_assert!(read(span, &(directory, parts)).is_err());
        }
    }

    #[test]
    fn what_belongs_to_another_chunk_is_an_error(
        (one, other) in (span(), span()),
        (numbers, others) in (numbers(), numbers()),
    ) {
        let written = write(one, &numbers, &[]);
        if one != other {
            prop_assert_eq!(read(other, &written), Err(ChunkError::DirectoryChecksum));
        }
        let exchanged = (written.0.clone(), write(one, &others, &[]).1);
        if !written.1.is_empty() && !exchanged.1.is_empty() && numbers != others {
            prop_assert!(read(one, &exchanged).is_err());
        }
    }

    #[test]
    fn any_bytes_are_refused_or_are_as_many_as_they_say(
        span in span(),
        bytes in vec(any::<u8>(), 8..100),
        width in prop::sample::select(&[0_u8, 1, 8, 13, 32, 64, 60, 255][..]),
        count in 0_u32..80,
        data in vec(any::<u8>(), 0..64),
    ) {
        prop_assert!(Directory::parse(span, &bytes).is_err());
        let mut sealed = bytes;
        seal(span, &mut sealed);
        let _: Result<Directory, ChunkError> = Directory::parse(span, &sealed);
        // One column with a matching checksum, which damage hardly ever produces.
        let mut directory = vec![0; 8];
        directory.extend([2, b'u', b'a', width]);
        directory.extend(count.to_le_bytes());
        directory.extend([0xff; 8]);
        directory.push(u8::try_from(data.len()).unwrap());
        directory.extend(&data);
        seal(span, &mut directory);
        let Ok(directory) = Directory::parse(span, &directory) else {
            prop_assert!(count > span.rows);
            return Ok(());
        };
        if let Some(entry) = directory.texts("ua")
            && let Ok(coded) = chunk::texts("ua", entry, &data)
            && let Some(texts) = coded.all()
        {
            prop_assert_eq!(texts.iter().count(), entry.count());
        }
        if let Some(entry) = directory.numbers("ua")
            && let Ok(packed) = chunk::numbers("ua", entry, &data)
        {
            match packed.read::<u64>(&Selection::All) {
                Some(Values::Each(numbers)) => prop_assert_eq!(numbers.len(), entry.count()),
                Some(Values::Same(_)) => prop_assert_eq!(width, 0),
                None => {}
            }
        }
    }
}
