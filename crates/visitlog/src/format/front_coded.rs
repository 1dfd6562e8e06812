//! Texts in order. Each is stored without the ends that it shares with the one before.
//!
//! | bytes | content |
//! |---|---|
//! | 4 each | the starts of the texts 64, 128, …, little-endian |
//! | | then for each text: |
//! | 1–5 | number of bytes at the beginning that are those of the one before |
//! | 1 | number of such bytes at the end, times 16, plus the number of bytes in between; each is 15 if it is 15 or more |
//! | 0–5 | the first number minus 15, if it is 15 or more; the same for the second |
//! | | the bytes in between |
//!
//! Every 64th text is stored whole, so a single text can be found without the others.

use super::{
    bytes::{put_length, take, take_length},
    dictionary::Dictionary,
    selection::{index, short},
};

/// The number of texts from one whole text to the next.
const STEP: usize = 64;

/// The longest text, and the most bytes of all texts: those of the longest destinations in as many
/// rows as a chunk may have. Without these limits, few bytes could claim a million texts of a
/// gigabyte.
pub(crate) const TEXT_MAX: usize = 16 << 10;
const ALL_MAX: usize = 1 << 30;

/// The value of a half byte if the number is too large for it and follows.
const MORE: usize = 15;

/// Writes texts, which are in order. Returns the bytes and the number of texts.
pub(crate) fn write<'t>(texts: impl Iterator<Item = &'t str>) -> (Vec<u8>, usize) {
    let (mut starts, mut data) = (Vec::new(), Vec::new());
    let mut before = "";
    let mut count = 0;
    for text in texts {
        if count % STEP == 0 {
            before = "";
            if count > 0 {
                starts.extend(short(data.len()).to_le_bytes());
            }
        }
        let prefix = shared(before.bytes(), text.bytes());
        let (one, other) = (&before.as_bytes()[prefix..], &text.as_bytes()[prefix..]);
        let suffix = shared(one.iter().rev(), other.iter().rev());
        let middle = &other[..other.len() - suffix];
        put_length(&mut data, prefix);
        let (ends, between) = (suffix.min(MORE), middle.len().min(MORE));
        data.push(u8::try_from(ends << 4 | between).expect("both are half a byte"));
        for (length, said) in [(suffix, ends), (middle.len(), between)] {
            if said == MORE {
                put_length(&mut data, length - MORE);
            }
        }
        data.extend(middle);
        before = text;
        count += 1;
    }
    starts.extend(data);
    (starts, count)
}

/// Counts the equal items at the beginning.
fn shared<T: PartialEq>(one: impl Iterator<Item = T>, other: impl Iterator<Item = T>) -> usize {
    one.zip(other)
        .take_while(|(one, other)| one == other)
        .count()
}

/// The data is no valid list of texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NoText;

/// Texts as [`write`] wrote them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrontCoded<'d> {
    starts: &'d [[u8; 4]],
    data: &'d [u8],
    count: usize,
}

impl<'d> FrontCoded<'d> {
    /// `None` if there is no room for so many.
    pub(crate) fn new(data: &'d [u8], count: usize) -> Option<Self> {
        let starts = count.div_ceil(STEP).saturating_sub(1);
        let (starts, data) = data.split_at_checked(starts * 4)?;
        // Each text takes at least two bytes.
        (count <= data.len() / 2).then_some(Self {
            starts: starts.as_chunks().0,
            data,
            count,
        })
    }

    /// All texts; `None` unless the data consists of texts alone.
    pub(crate) fn all(&self) -> Option<Dictionary> {
        let mut text = Vec::with_capacity(self.data.len().saturating_mul(4).min(1 << 20));
        let mut ends = Vec::with_capacity(self.count);
        let mut rest = self.data;
        let mut before = 0;
        for position in 0..self.count {
            let start = text.len();
            if position % STEP == 0 {
                before = start;
                if self.at(position / STEP)?.len() != rest.len() {
                    return None;
                }
            }
            next(&mut rest, &mut text, before)?;
            ends.push(u32::try_from(text.len()).ok()?);
            before = start;
        }
        let text = String::from_utf8(text).ok().filter(|_| rest.is_empty())?;
        Dictionary::new(text, ends)
    }

    /// The texts at some indexes, which are in order; `None` if any is no text.
    pub(crate) fn some(&self, positions: &[u32]) -> Option<Dictionary> {
        let mut found = Dictionary::default();
        let mut reader = Reader::default();
        for &position in positions {
            found.push(self.get(index(position), &mut reader)?);
        }
        Some(found)
    }

    /// The index of a text, if the list has it.
    pub(crate) fn find(&self, wanted: &str) -> Result<Option<u32>, NoText> {
        let mut reader = Reader::default();
        let (mut first, mut last) = (0, self.count.div_ceil(STEP));
        while last - first > 1 {
            let middle = first + (last - first) / 2;
            if self.get(middle * STEP, &mut reader).ok_or(NoText)? <= wanted {
                first = middle;
            } else {
                last = middle;
            }
        }
        for position in first * STEP..self.count.min((first + 1) * STEP) {
            let text = self.get(position, &mut reader).ok_or(NoText)?;
            if text >= wanted {
                return Ok((text == wanted).then_some(short(position)));
            }
        }
        Ok(None)
    }

    /// The bytes from a whole text on.
    fn at(&self, step: usize) -> Option<&'d [u8]> {
        let start = match step.checked_sub(1) {
            Some(before) => u32::from_le_bytes(*self.starts.get(before)?),
            None => 0,
        };
        self.data.get(index(start)..)
    }

    /// The text at an index. This is quick if the reader has just read a text shortly before it.
    fn get<'r>(&self, position: usize, reader: &'r mut Reader<'d>) -> Option<&'r str> {
        if position >= self.count {
            return None;
        }
        let first = position - position % STEP;
        let is_near = (first + 1..=position + 1).contains(&reader.next);
        if !is_near {
            reader.rest = self.at(position / STEP)?;
            reader.next = first;
            reader.text.clear();
            reader.last = 0;
        }
        while reader.next <= position {
            let start = reader.text.len();
            next(&mut reader.rest, &mut reader.text, reader.last)?;
            reader.last = start;
            reader.next += 1;
        }
        std::str::from_utf8(&reader.text[reader.last..]).ok()
    }
}

/// Reads texts in order, and keeps its position.
#[derive(Debug, Default)]
struct Reader<'d> {
    rest: &'d [u8],
    /// The index of the next text.
    next: usize,
    /// The texts since the last whole one.
    text: Vec<u8>,
    /// The start of the last of these texts.
    last: usize,
}

/// Reads a text, and appends it to the one before, which begins at `start`.
fn next(rest: &mut &[u8], text: &mut Vec<u8>, start: usize) -> Option<()> {
    let end = text.len();
    let (prefix, suffix, middle) = lengths(rest)?;
    let length = prefix.checked_add(suffix)?;
    if length > end - start || length + middle > TEXT_MAX || end > ALL_MAX {
        return None;
    }
    let middle = take(rest, middle)?;
    text.reserve(length + middle.len());
    text.extend_from_within(start..start + prefix);
    text.extend_from_slice(middle);
    if suffix > 0 {
        text.extend_from_within(end - suffix..end);
    }
    Some(())
}

/// The bytes that a text shares at both ends, and those in between.
fn lengths(rest: &mut &[u8]) -> Option<(usize, usize, usize)> {
    let prefix = take_length(rest)?;
    let halves = usize::from(take(rest, 1)?[0]);
    let mut long = |said| match said {
        MORE => take_length(rest)?.checked_add(MORE),
        said => Some(said),
    };
    Some((prefix, long(halves >> 4)?, long(halves & MORE)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(texts: &[String]) -> Vec<u8> {
        let (data, count) = write(texts.iter().map(String::as_str));
        assert_eq!(count, texts.len());
        data
    }

    #[test]
    fn texts_come_back_all_and_one_by_one() {
        for count in [0, 1, 2, 63, 64, 65, 128, 129, 1_000] {
            let ends = ["", "?campaign=autumn", "é", "è"];
            let mut texts: Vec<String> = (0..count)
                .map(|n| {
                    format!(
                        "https://example.com/{}/{n}{}",
                        "ü".repeat(n % 90),
                        ends[n % 4]
                    )
                })
                .collect();
            texts.sort();
            let data = written(&texts);
            let coded = FrontCoded::new(&data, count).unwrap();
            let all = coded.all().unwrap();
            assert_eq!(all.iter().collect::<Vec<_>>(), texts);
            for (position, text) in (0..).zip(&texts) {
                assert_eq!(coded.find(text), Ok(Some(position)));
                assert_eq!(coded.find(&format!("{text}+")), Ok(None));
                let one = coded.some(&[position]).unwrap();
                assert_eq!(one.iter().collect::<Vec<_>>(), [text]);
            }
            assert_eq!((coded.find(""), coded.find("é")), (Ok(None), Ok(None)));
            let odd: Vec<u32> = (0..short(count)).filter(|n| n % 2 > 0).collect();
            let some = coded.some(&odd).unwrap();
            let expected: Vec<&String> = odd.iter().map(|&n| &texts[index(n)]).collect();
            assert_eq!(some.iter().collect::<Vec<_>>(), expected);
            assert_eq!(coded.some(&[short(count)]), None);
        }
    }

    #[test]
    fn anything_else_is_refused() {
        let texts: Vec<String> = (100..300).map(|n| format!("ü{n}é")).collect();
        let data = written(&texts);
        let all = |data: &[u8], count| FrontCoded::new(data, count)?.all();
        assert!(all(&data, 200).is_some());
        assert_eq!(all(&data, 199), None);
        assert_eq!(all(&data, 201), None);
        assert_eq!(all(&data[..data.len() - 1], 200), None);
        assert_eq!(all(&[&data[..], b"x"].concat(), 200), None);
        // A start that is not the start of a text.
        let mut other = data.clone();
        other[0] ^= 1;
        assert_eq!(all(&other, 200), None);
        // A text that shares more than the one before has, and bytes that are not UTF-8.
        assert_eq!(all(&[0, 1, b'b', 2, 0], 2), None);
        assert_eq!(all(&[0, 1, b'b', 1, 0x10], 2), None);
        assert_eq!(all(&[0, 1, 0xff], 1), None);
        assert_eq!(
            FrontCoded::new(&[0, 0, 0], 2).map(|coded| coded.count),
            None
        );
    }

    #[test]
    fn what_neighbours_share_takes_no_room() {
        let texts: Vec<String> = (1_000..2_000)
            .map(|n| format!("https://example.com/{}/{n}?campaign=autumn", "ü".repeat(20)))
            .collect();
        let data = written(&texts);
        assert!(data.len() < 7_500, "{}", data.len());
    }

    #[test]
    fn a_few_bytes_do_not_become_gigabytes() {
        let mut data = vec![0, 15];
        put_length(&mut data, TEXT_MAX - MORE);
        data.extend(vec![b'a'; TEXT_MAX]);
        let one = data.len();
        // Each text claims to equal the one before.
        let mut again = Vec::new();
        put_length(&mut again, TEXT_MAX);
        again.push(0);
        data.extend(again.repeat(40));
        assert!(FrontCoded::new(&data, 41).unwrap().all().is_some());
        // And one byte more.
        data.truncate(one);
        put_length(&mut data, TEXT_MAX);
        data.extend([1, b'a']);
        assert_eq!(FrontCoded::new(&data, 2).unwrap().all(), None);
    }
}
