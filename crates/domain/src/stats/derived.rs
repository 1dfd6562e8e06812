//! The dimensions that follow from others, and their rules.

use super::{derivation::Derivation, dimension::Dimension};

const DERIVED: &[(Dimension, Derivation)] = &[];

impl Dimension {
    /// The rules by which it follows from other dimensions; `None` if logs store it.
    #[expect(clippy::as_conversions, reason = "no constant function compares by ==")]
    pub const fn derivation(self) -> Option<&'static Derivation> {
        let mut line = 0;
        while line < DERIVED.len() {
            let (dimension, derivation) = &DERIVED[line];
            if *dimension as usize == self as usize {
                return Some(derivation);
            }
            line += 1;
        }
        None
    }
}
