//! The first few of many.

/// Leaves the `limit` items with the smallest keys, in order.
pub(super) fn keep_first<T, K: Ord>(
    items: &mut Vec<T>,
    limit: usize,
    key: impl Fn(&T) -> K + Copy,
) {
    if let Some(last) = limit.checked_sub(1)
        && last < items.len()
    {
        items.select_nth_unstable_by_key(last, key);
    }
    items.truncate(limit);
    items.sort_unstable_by_key(key);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_are_kept_in_order() {
        for limit in 0..7 {
            let mut items = vec![5, 1, 4, 2, 3];
            keep_first(&mut items, limit, |&item| item);
            let expected: Vec<i32> = (1..=5).take(limit).collect();
            assert_eq!(items, expected);
        }
    }
}
