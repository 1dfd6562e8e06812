//! Numbers in as few bits as the largest of them needs.

use super::{
    selection::{Selection, index},
    values::Values,
};

/// The most bits of a number that is not stored whole: at any start, such a number ends within
/// eight bytes.
const MOST: u32 = 56;

/// The bits for each number of a list with this largest number.
pub(crate) fn width(largest: u64) -> u8 {
    let bits = u64::BITS - largest.leading_zeros();
    let bits = if bits > MOST { u64::BITS } else { bits };
    u8::try_from(bits).expect("it is at most 64")
}

/// The bytes for this many numbers; `None` if there is no such width.
pub(crate) fn length(count: usize, width: u8) -> Option<usize> {
    let known = u32::from(width) <= MOST || u32::from(width) == u64::BITS;
    let bits = count.checked_mul(width.into());
    bits.filter(|_| known).map(|bits| bits.div_ceil(8))
}

/// Writes numbers minus a base one after the other, lowest bits first.
pub(crate) fn pack(numbers: &[u64], base: u64, width: u8) -> Vec<u8> {
    let bytes = length(numbers.len(), width).expect("there is such a width");
    let mut data = Vec::with_capacity(bytes + 8);
    if u32::from(width) == u64::BITS {
        for number in numbers {
            data.extend((number - base).to_le_bytes());
        }
        return data;
    }
    let (mut waiting, mut filled) = (0_u64, 0);
    for number in numbers {
        waiting |= (number - base) << filled;
        filled += width;
        while filled >= 8 {
            data.push(waiting.to_le_bytes()[0]);
            waiting >>= 8;
            filled -= 8;
        }
    }
    if filled > 0 {
        data.push(waiting.to_le_bytes()[0]);
    }
    data
}

/// Numbers that [`pack`] wrote.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packed<'d> {
    data: &'d [u8],
    count: usize,
    width: usize,
    mask: u64,
    base: u64,
}

impl<'d> Packed<'d> {
    /// `None` unless the data has the right length.
    pub(crate) fn new(data: &'d [u8], count: usize, base: u64, width: u8) -> Option<Self> {
        let mask = u64::MAX.checked_shr(64_u32.checked_sub(width.into())?);
        (length(count, width) == Some(data.len())).then_some(Self {
            data,
            count,
            width: width.into(),
            mask: mask.unwrap_or(0),
            base,
        })
    }

    /// The number at an index, cut to 64 bits.
    #[inline]
    pub(crate) fn at(&self, position: usize) -> u64 {
        self.base.wrapping_add(self.above_base(position))
    }

    #[inline]
    fn above_base(&self, position: usize) -> u64 {
        let bit = position * self.width;
        let rest = &self.data[bit / 8..];
        let word = rest.first_chunk().copied().unwrap_or_else(|| {
            let mut word = [0; 8];
            word[..rest.len()].copy_from_slice(rest);
            word
        });
        let word = u64::from_le_bytes(word);
        (word >> (bit % 8)) & self.mask
    }

    /// The index of a number among numbers that are in order.
    pub(crate) fn find(&self, number: u64) -> Option<usize> {
        let (mut start, mut end) = (0, self.count);
        while start < end {
            let middle = start + (end - start) / 2;
            if self.at(middle) < number {
                start = middle + 1;
            } else {
                end = middle;
            }
        }
        (start < self.count && self.at(start) == number).then_some(start)
    }

    /// The chosen numbers; `None` if any number is too large. The width mostly rules that out, so
    /// the numbers need no check one by one.
    pub(crate) fn read<T: Number>(&self, rows: &Selection) -> Option<Values<T>> {
        let fits = |above: u64| {
            let number = self.base.checked_add(above);
            number.is_some_and(|number| T::try_from(number).is_ok())
        };
        if self.width == 0 {
            return T::try_from(self.base).ok().map(Values::Same);
        }
        let all = 0..self.count;
        if !fits(self.mask) && !all.clone().all(|position| fits(self.above_base(position))) {
            return None;
        }
        Some(Values::Each(match rows {
            Selection::Rows(rows) => {
                let value = |&row: &u32| T::low_bits(self.at(index(row)));
                rows.iter().map(value).collect()
            }
            Selection::All => self.whole(),
        }))
    }

    fn whole<T: Number>(&self) -> Vec<T> {
        let mut numbers = vec![T::low_bits(0); self.count];
        let mut slots = numbers.iter_mut();
        self.each_above_base(|above| {
            if let Some(slot) = slots.next() {
                *slot = T::low_bits(self.base.wrapping_add(above));
            }
        });
        numbers
    }

    /// The count of each number below `end`; `None` if any number is not below it.
    pub(crate) fn counts(&self, end: usize) -> Option<Vec<u32>> {
        let mut counts = vec![0; end + 1];
        let base = usize::try_from(self.base).ok()?;
        self.each_above_base(|above| {
            let above = usize::try_from(above).unwrap_or(usize::MAX);
            counts[base.saturating_add(above).min(end)] += 1;
        });
        (counts.pop() == Some(0)).then_some(counts)
    }

    #[inline]
    fn each_above_base(&self, mut see: impl FnMut(u64)) {
        if self.width == 64 {
            for number in self.data.as_chunks().0 {
                see(u64::from_le_bytes(*number));
            }
            return;
        }
        let unpack = UNPACK[self.width];
        let mut rest = self.data;
        let mut seen = 0;
        // Eight numbers begin and end with a byte.
        while let Some(window) = rest.first_chunk()
            && seen + 8 <= self.count
        {
            for above in unpack(window) {
                see(above);
            }
            rest = &rest[self.width..];
            seen += 8;
        }
        for position in seen..self.count {
            see(self.above_base(position));
        }
    }
}

/// Reads the eight numbers at the beginning.
type Unpack = fn(&[u8; 64]) -> [u64; 8];

/// The function that reads eight numbers, for each width of up to 56 bits. It is several times as
/// fast because the width is known at compile time.
const UNPACK: [Unpack; 57] = {
    macro_rules! of_widths {
        ($($width:literal)*) => { [$(eight::<$width>),*] };
    }
    of_widths!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28
        29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56)
};

fn eight<const WIDTH: usize>(bytes: &[u8; 64]) -> [u64; 8] {
    let mut numbers = [0; 8];
    for (position, number) in numbers.iter_mut().enumerate() {
        let bit = position * WIDTH;
        let mut word = [0; 8];
        word.copy_from_slice(&bytes[bit / 8..bit / 8 + 8]);
        *number = (u64::from_le_bytes(word) >> (bit % 8)) & ((1 << WIDTH) - 1);
    }
    numbers
}

/// A number in memory.
pub(crate) trait Number: TryFrom<u64> + Copy {
    /// The number with the lowest bits of another one.
    fn low_bits(number: u64) -> Self;
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Number for $number {
            #[expect(
                clippy::allow_attributes,
                reason = "not every type is cut"
            )]
            #[allow(
                clippy::as_conversions,
                clippy::cast_possible_truncation,
                reason = "that is what it is for, and a checked conversion would be made one by one"
            )]
            fn low_bits(number: u64) -> Self {
                number as Self
            }
        }
    )*};
}

numbers!(u8, u32, u64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_width_come_back() {
        for bits in 0..=64 {
            let mask = u64::MAX.checked_shr(64 - bits).unwrap_or(0);
            for count in [0, 1, 2, 7, 8, 9, 100] {
                let spread = |n: u64| n.wrapping_mul(0x9e37_79b9_7f4a_7c15) & mask;
                let mut numbers: Vec<u64> = (0..count).map(spread).collect();
                numbers.push(mask);
                let width = width(mask);
                let data = pack(&numbers, 0, width);
                let packed = Packed::new(&data, numbers.len(), 0, width).unwrap();
                let read: Values<u64> = packed.read(&Selection::All).unwrap();
                let positions = 0..numbers.len();
                assert!(
                    positions
                        .clone()
                        .all(|position| read.at(position) == numbers[position])
                );
                assert!(
                    positions
                        .clone()
                        .all(|position| packed.at(position) == numbers[position])
                );
                if width <= 8 {
                    let of = |n| numbers.iter().filter(|&&number| number == n).count();
                    let counts = packed.counts(1 << width).unwrap();
                    let expected = (0..1 << width).map(|n| of(n).try_into().unwrap());
                    assert_eq!(counts, expected.collect::<Vec<u32>>());
                    assert_eq!(packed.counts(mask.try_into().unwrap()), None);
                }
                let longer = [&data[..], &[0]].concat();
                assert!(Packed::new(&longer, numbers.len(), 0, width).is_none());
            }
        }
    }

    #[test]
    fn numbers_in_order_are_found() {
        let data = pack(&[10, 12, 19], 10, 4);
        let packed = Packed::new(&data, 3, 10, 4).unwrap();
        let found = [9, 10, 11, 12, 19, 20].map(|number| packed.find(number));
        assert_eq!(found, [None, Some(0), None, Some(1), Some(2), None]);
    }

    #[test]
    fn widths_that_there_are_not_are_refused() {
        for width in [57, 63, 65, 255] {
            assert_eq!(length(1, width), None);
            assert!(Packed::new(&[0; 8], 1, 0, width).is_none());
        }
    }
}
