use proptest::{collection::vec, prelude::*, sample::Index};

use super::super::{
    chunk::{ChunkError, Span, decode, encode, seal},
    column::Column,
};

const HEADER_BYTES: usize = 17;

/// Values of a column: few bits or many above any base, so that every width
/// comes up, and blocks of eight bytes end in every place.
fn values() -> impl Strategy<Value = Vec<u64>> {
    (any::<u64>(), 0..=64_u32).prop_flat_map(|(base, bits)| {
        let mask = u64::MAX.checked_shr(64 - bits).unwrap_or(0);
        vec(any::<u64>(), 0..70).prop_map(move |entries| {
            let above = |entry: u64| base.saturating_add(entry & mask);
            entries.into_iter().map(above).collect()
        })
    })
}

fn column() -> impl Strategy<Value = Column> {
    prop::sample::select(&Column::ALL[..])
}

fn span(rows: usize, (min_ts, max_ts): (i64, i64)) -> Span {
    Span {
        rows: u32::try_from(rows).unwrap(),
        min_ts,
        max_ts,
    }
}

/// A column as it is written: where it belongs, its values and its bytes.
fn written() -> impl Strategy<Value = (Span, Column, Vec<u64>, Vec<u8>)> {
    (values(), any::<(i64, i64)>(), column()).prop_map(|(values, times, column)| {
        let span = span(values.len(), times);
        let blob = encode(span, column, &values);
        (span, column, values, blob)
    })
}

proptest! {
    #[test]
    fn any_values_come_back((span, column, values, blob) in written()) {
        prop_assert_eq!(decode::<u64>(span, column, &blob), Ok(values.clone()));
        // And as smaller numbers exactly if they are.
        let narrow: Result<Vec<u32>, _> = values.into_iter().map(u32::try_from).collect();
        let too_large = ChunkError::Value { column: column.name() };
        prop_assert_eq!(
            decode::<u32>(span, column, &blob),
            narrow.map_err(|_| too_large)
        );
    }

    #[test]
    fn any_flipped_bit_is_an_error(
        (span, column, _, blob) in written(),
        place in any::<Index>(),
        bit in 0..8,
    ) {
        let mut damaged = blob;
        let place = place.index(damaged.len());
        damaged[place] ^= 1_u8 << bit;
        let error = decode::<u64>(span, column, &damaged).unwrap_err();
        // Only the first byte says something about the others.
        let checksum = ChunkError::Checksum { column: column.name() };
        prop_assert!(place == 0 || error == checksum, "{}", error);
    }

    #[test]
    fn any_cut_is_an_error((span, column, _, blob) in written(), place in any::<Index>()) {
        let cut = &blob[..place.index(blob.len())];
        let expected = if cut.len() < HEADER_BYTES {
            ChunkError::Header { column: column.name() }
        } else {
            ChunkError::Length {
                column: column.name(),
                found: cut.len(),
                expected: blob.len(),
            }
        };
        prop_assert_eq!(decode::<u64>(span, column, cut), Err(expected));
    }

    #[test]
    fn any_appended_bytes_are_an_error(
        (span, column, _, blob) in written(),
        more in vec(any::<u8>(), 1..40),
    ) {
        let longer = [blob.as_slice(), &more].concat();
        let expected = ChunkError::Length {
            column: column.name(),
            found: longer.len(),
            expected: blob.len(),
        };
        prop_assert_eq!(decode::<u64>(span, column, &longer), Err(expected));
    }

    #[test]
    fn a_column_of_another_chunk_is_an_error(
        (span, column, _, blob) in written(),
        other_times in any::<(i64, i64)>(),
        more_rows in 0_u32..3,
    ) {
        let (min_ts, max_ts) = other_times;
        let other = Span { rows: span.rows + more_rows, min_ts, max_ts };
        prop_assume!(other != span);
        let error = decode::<u64>(other, column, &blob).unwrap_err();
        let clear = matches!(error, ChunkError::Checksum { .. })
            || more_rows > 0 && matches!(error, ChunkError::Length { .. });
        prop_assert!(clear, "{}", error);
    }

    #[test]
    fn a_column_in_the_place_of_another_is_an_error(
        (span, column, _, blob) in written(),
        other in column(),
    ) {
        prop_assume!(other != column);
        let expected = ChunkError::Checksum { column: other.name() };
        prop_assert_eq!(decode::<u64>(span, other, &blob), Err(expected));
    }

    #[test]
    fn any_bytes_are_refused_or_are_as_many_values_as_there_are_rows(
        bytes in vec(any::<u8>(), 0..200),
        width in prop::sample::select(&[0_u8, 1, 2, 4, 8, 3, 255][..]),
        rows in 0_usize..30,
        times in any::<(i64, i64)>(),
        column in column(),
    ) {
        let span = span(rows, times);
        prop_assert!(decode::<u64>(span, column, &bytes).is_err());
        // With a checksum that matches, which damage hardly ever has.
        let mut blob = bytes;
        blob.resize(HEADER_BYTES + rows * usize::from(width), 0xa5);
        blob[0] = width;
        prop_assert!(seal(span, column, &mut blob));
        match decode::<u64>(span, column, &blob) {
            Ok(values) => prop_assert_eq!(values.len(), rows),
            // The smallest value and the distance to it may be too much together.
            Err(ChunkError::Value { .. }) => prop_assert!(width > 0),
            Err(error) => {
                let expected = ChunkError::Width { column: column.name(), width };
                prop_assert_eq!(error, expected);
            }
        }
        let _: Result<Vec<u8>, _> = decode(span, column, &blob);
    }
}
