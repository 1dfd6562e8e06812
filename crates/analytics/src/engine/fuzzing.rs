//! The door for `fuzz/`: the chunk format is nobody else's business.

use super::{
    chunk::{Directory, Span, read_numbers, read_texts, seal},
    columns::{Family, TEXTS},
    selection::Selection,
};

/// Takes bytes for the directory of a chunk, as they are and with the checksum
/// that would belong to them, and checks that each column in it is refused, or is
/// as many numbers or texts as the directory says.
///
/// # Panics
/// It is not.
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
}

fn read(span: Span, bytes: &[u8]) {
    let Ok(directory) = Directory::parse(span, bytes) else {
        return;
    };
    let numbers = ["ts", "si", "coh", "visitor", "links", "link_ends"];
    let families = Family::ALL.map(Family::name);
    let texts = TEXTS.map(|column| column.name);
    for name in numbers.into_iter().chain(families).chain(texts) {
        if let Some(entry) = directory.numbers(name)
            && let Some(data) = entry.here()
        {
            let wide = read_numbers::<u64>(name, entry, data, &Selection::All);
            let narrow = read_numbers::<u32>(name, entry, data, &Selection::All);
            match wide {
                Ok(wide) => {
                    let numbers = (0..entry.count()).map(|row| wide.at(row));
                    let fits = numbers
                        .into_iter()
                        .all(|number| u32::try_from(number).is_ok());
                    // A column of no rows has a base all the same.
                    let fits = fits || entry.count() == 0;
                    assert!(narrow.is_ok() <= fits, "a number is never cut to fit");
                }
                Err(_) => assert!(narrow.is_err(), "what is no number is no small number"),
            }
        }
        if let Some(entry) = directory.texts(name)
            && let Some(data) = entry.here()
            && let Ok(texts) = read_texts(name, entry, data)
        {
            assert_eq!(texts.iter().count(), entry.count());
        }
    }
}
