//! Lists of mostly small numbers, such as the visits of values.
//!
//! Packed as they are, all numbers would take the bits of the largest one. So a list has few bits
//! for each number, and the largest value of these bits means that a second list has the number.

use super::{chunk::Encoder, packed, selection::number};

/// The column with the large numbers of a list.
pub(crate) fn large_of(name: &str) -> String {
    format!("{name} large")
}

/// Writes a list in as little room as possible.
pub(crate) fn put(encoder: &mut Encoder, name: &str, numbers: &[u64]) {
    let Split { small, large } = Split::of(numbers);
    encoder.numbers(name, &small);
    if !large.is_empty() {
        encoder.numbers(&large_of(name), &large);
    }
}

/// The bytes that a list takes.
pub(crate) fn bytes(numbers: &[u64]) -> usize {
    let Split { small, large } = Split::of(numbers);
    packed_bytes(&small) + packed_bytes(&large)
}

/// Restores the list; `None` if the number of large numbers is wrong.
pub(crate) fn join(small: Vec<u64>, large: Option<Vec<u64>>) -> Option<Vec<u64>> {
    let Some(large) = large else {
        return Some(small);
    };
    let mark = small.iter().copied().max().unwrap_or(0);
    let mut large = large.into_iter();
    let all: Option<Vec<u64>> = small
        .into_iter()
        .map(|small| {
            if small == mark {
                large.next()
            } else {
                Some(small)
            }
        })
        .collect();
    all.filter(|_| large.next().is_none())
}

struct Split {
    small: Vec<u64>,
    large: Vec<u64>,
}

impl Split {
    fn of(numbers: &[u64]) -> Self {
        let least = numbers.iter().copied().min().unwrap_or(0);
        // For each number of bits: the count of all numbers that need so many, and of those with
        // all bits set.
        let (mut all, mut full) = ([0_u64; 65], [0_u64; 65]);
        for number in numbers {
            let above = number - least;
            all[bits(above)] += 1;
            full[bits(above)] += u64::from(above == mark(bits(above)));
        }
        let widest = (0..=64).rev().find(|&width| all[width] > 0).unwrap_or(0);
        let cost = |width: usize, large: u64| {
            number(width) * number(numbers.len()) + number(widest) * large
        };
        let mut best = (cost(widest, 0), widest);
        let mut beyond = 0;
        for width in (1..widest).rev() {
            beyond += all[width + 1];
            best = best.min((cost(width, beyond + full[width]), width));
        }
        let (_, width) = best;
        if width == widest {
            let small = numbers.to_vec();
            let large = Vec::new();
            return Self { small, large };
        }
        let mark = least + mark(width);
        let large = numbers.iter().copied();
        Self {
            small: numbers.iter().map(|number| *number.min(&mark)).collect(),
            large: large.filter(|number| *number >= mark).collect(),
        }
    }
}

/// The largest number of this many bits.
fn mark(bits: usize) -> u64 {
    u64::try_from((1_u128 << bits) - 1).unwrap_or(u64::MAX)
}

fn bits(number: u64) -> usize {
    usize::try_from(u64::BITS - number.leading_zeros()).unwrap_or(64)
}

/// The bytes of packed numbers.
pub(crate) fn packed_bytes(numbers: &[u64]) -> usize {
    let least = numbers.iter().copied().min().unwrap_or(0);
    let largest = numbers.iter().copied().max().unwrap_or(0);
    let length = packed::length(numbers.len(), packed::width(largest - least));
    length.unwrap_or(usize::MAX / 8)
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*};

    use super::*;

    proptest! {
        #[test]
        fn a_list_comes_back_and_takes_no_more_room_than_before(
            numbers in vec(prop_oneof![8 => 0..9_u64, 1 => 0..100_000_u64, 1 => any::<u64>()], 0..200),
        ) {
            let Split { small, large } = Split::of(&numbers);
            prop_assert!(bytes(&numbers) <= packed_bytes(&numbers) + 16);
            let large = (!large.is_empty()).then_some(large);
            prop_assert_eq!(join(small, large), Some(numbers));
        }
    }

    #[test]
    fn lists_that_do_not_belong_together_are_none() {
        assert_eq!(join(vec![1, 3, 3], Some(vec![9, 7])), Some(vec![1, 9, 7]));
        for large in [vec![], vec![9], vec![9, 7, 5]] {
            assert_eq!(join(vec![1, 3, 3], Some(large)), None);
        }
        assert_eq!(join(vec![1, 3], None), Some(vec![1, 3]));
    }

    #[test]
    fn one_large_number_does_not_make_the_others_large() {
        let mut numbers = vec![1; 1_000];
        numbers[500] = 1 << 20;
        assert!(bytes(&numbers) < 150, "{}", bytes(&numbers));
    }
}
