//! Exposes the chunk reader to the fuzz targets.

use slugline_analytics::columns::{Family, TEXTS};

use crate::format::{
    batch,
    block_builder::BlockBuilder,
    chunk::{self, Directory, Span, seal},
    front_coded::NoText,
    selection::Selection,
};

/// Reads bytes as the directory of a chunk and as a batch of the tail, unchanged and with the right
/// checksum. Checks that each column of the chunk is refused or has as many numbers or texts as the
/// directory states, and that the batch is refused or has as many rows as its span states.
///
/// # Panics
/// A check fails.
pub fn fuzz_chunk(bytes: &[u8]) {
    let Some((&rows, directory)) = bytes.split_first() else {
        return;
    };
    let span = Span {
        rows: rows.into(),
        min_ts: 0,
        max_ts: 0,
    };
    read(span, directory);
    let mut sealed = directory.to_owned();
    seal(span, &mut sealed);
    read(span, &sealed);
    let mut draft = BlockBuilder::default();
    let decoded = batch::decode(span, &sealed, (i64::MIN, i64::MAX), &mut draft);
    let rows = decoded.map_or(0, |()| usize::from(rows));
    assert_eq!(draft.len(), rows, "a batch is read as a whole");
}

fn read(span: Span, bytes: &[u8]) {
    let Ok(directory) = Directory::parse(span, bytes) else {
        return;
    };
    let numbers = ["ts", "si", "coh", "visitor", "links", "link_ends"];
    let families = Family::STORED.map(Family::name);
    let texts = TEXTS.map(|column| column.name);
    for name in numbers.into_iter().chain(families).chain(texts) {
        if let Some(entry) = directory.numbers(name)
            && let Some(data) = entry.here()
        {
            let Ok(packed) = chunk::numbers(name, entry, data) else {
                continue;
            };
            let wide = packed.read::<u64>(&Selection::All);
            let narrow = packed.read::<u32>(&Selection::All);
            match wide {
                Some(wide) => {
                    let mut numbers = (0..entry.count()).map(|row| wide.at(row));
                    let fits = numbers.all(|number| u32::try_from(number).is_ok());
                    // A column without rows has a base, too.
                    let fits = fits || entry.count() == 0;
                    assert!(narrow.is_some() <= fits, "a number is never cut to fit");
                    for row in 0..entry.count() {
                        assert_eq!(packed.at(row), wide.at(row));
                    }
                }
                None => assert!(narrow.is_none(), "what is no number is no small number"),
            }
            // The numbers need not be in order.
            let _: Option<usize> = packed.find(7);
        }
        if let Some(entry) = directory.texts(name)
            && let Some(data) = entry.here()
            && let Ok(coded) = chunk::texts(name, entry, data)
        {
            let last = u32::try_from(entry.count()).unwrap_or(0).wrapping_sub(1);
            let one = coded.some(&[last]);
            let _: Result<Option<u32>, NoText> = coded.find("a");
            if let Some(texts) = coded.all() {
                assert_eq!(texts.iter().count(), entry.count());
                let same = one.is_none_or(|one| one.iter().next() == texts.iter().last());
                assert!(same, "one text is what it is among all");
            }
        }
    }
}
