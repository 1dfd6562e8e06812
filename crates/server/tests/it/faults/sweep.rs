//! Lets the calls of an operation fail one after another.

use super::{
    amount::{Random, factor},
    shim::Kind,
};

/// Lets one of `stride` calls of an operation fail, from a random one on, until two operations in
/// a row make no call that would fail. `send` gets the number of the call that fails and returns
/// whether one did.
pub(crate) fn each_call(
    random: &mut Random,
    kind: Kind,
    stride: u64,
    mut send: impl FnMut(&mut Random, u64) -> bool,
) {
    // There are only a few calls of this kind.
    let stride = if kind == Kind::Unsynced {
        1
    } else {
        stride.div_ceil(factor())
    };
    let (mut first, mut misses) = (1 + random.below(stride), 0);
    // Operations make different numbers of calls.
    while misses < 2 {
        misses = if send(random, first) { 0 } else { misses + 1 };
        first += stride;
    }
}
