use proptest::{collection::vec, prelude::*, sample::Index};
use slugline_analytics::utc::MILLIS_PER_DAY;

use super::sealed_rows::{Stored, draft_of, rows_of, stored};
use crate::format::{
    batch::{BatchError, decode, encode, seal},
    block_builder::BlockBuilder,
    chunk::Span,
    selection::short,
};

const ALL: (i64, i64) = (i64::MIN, i64::MAX);

fn read(span: Span, bytes: &[u8], range: (i64, i64)) -> Result<Vec<Stored>, BatchError> {
    let mut draft = BlockBuilder::default();
    decode(span, bytes, range, &mut draft)?;
    Ok(rows_of(&draft.into_block()))
}

proptest! {
    #[test]
    fn rows_come_back_in_order_of_arrival(rows in vec(stored(), 1..40), day in -1..2_i64) {
        let (span, bytes) = encode(&draft_of(&rows));
        prop_assert_eq!(read(span, &bytes, ALL), Ok(rows.clone()));
        let until = day * MILLIS_PER_DAY;
        let early = rows.iter().filter(|(numbers, _)| numbers.time <= until);
        let early: Vec<Stored> = early.cloned().collect();
        prop_assert_eq!(read(span, &bytes, (i64::MIN, until)), Ok(early));
    }

    #[test]
    fn any_damage_is_an_error_and_adds_nothing(
        rows in vec(stored(), 1..20),
        position in any::<Index>(),
        cut in any::<bool>(),
        bit in 0..8,
    ) {
        let (span, mut bytes) = encode(&draft_of(&rows));
        let position = position.index(bytes.len());
        if cut {
            bytes.truncate(position);
        } else {
            bytes[position] ^= 1_u8 << bit;
        }
        let mut draft = draft_of(&rows);
        prop_assert_eq!(decode(span, &bytes, ALL, &mut draft), Err(BatchError::Checksum));
        // The same bytes with a matching checksum, which damage hardly ever produces.
        seal(span, &mut bytes);
        if decode(span, &bytes, ALL, &mut draft).is_err() {
            prop_assert_eq!(rows_of(&draft.into_block()), rows);
        }
    }

    #[test]
    fn a_batch_counts_only_with_its_own_span(rows in vec(stored(), 1..9), more in 1..9_u32) {
        let (span, mut bytes) = encode(&draft_of(&rows));
        for other in [
            Span { rows: span.rows + more, ..span },
            Span { min_ts: span.min_ts - i64::from(more), ..span },
            Span { max_ts: span.max_ts + i64::from(more), ..span },
        ] {
            prop_assert_eq!(read(other, &bytes, ALL), Err(BatchError::Checksum));
            seal(other, &mut bytes);
            // If all numbers are equal, their count is that of the span.
            let found = read(other, &bytes, ALL).map_or(other.rows, |rows| short(rows.len()));
            prop_assert_eq!(found, other.rows);
            seal(span, &mut bytes);
        }
    }

    #[test]
    fn any_bytes_are_refused_or_are_as_many_rows_as_they_say(
        rows in 0..5_u32,
        mut bytes in vec(any::<u8>(), 8..100),
        min_ts in any::<i64>(),
        zeros in any::<bool>(),
    ) {
        if zeros {
            // Five columns of equal numbers, so that the decoder reaches the families.
            bytes.splice(8..8, [0; 45]);
        }
        let span = Span { rows, min_ts, max_ts: min_ts };
        seal(span, &mut bytes);
        if let Ok(found) = read(span, &bytes, ALL) {
            prop_assert_eq!(u32::try_from(found.len()), Ok(rows));
        }
    }
}
