//! Texts that a person takes for one, in one form.
//!
//! Versions of Unicode add characters and never change the forms of older ones (Unicode Standard Annex
//! #15, section 3; The Unicode Standard, section 3.13), so a stored form stays right.

use std::borrow::Cow;

use icu_casemap::CaseMapper;
use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};

/// The text in Normalization Form C: `e` and an accent in one character.
pub(crate) fn composed(text: &str) -> Cow<'_, str> {
    ComposingNormalizerBorrowed::new_nfc().normalize(text)
}

/// The text in Normalization Form D, which some systems make of what people type: `e`, and its accent
/// behind it.
pub(crate) fn decomposed(text: &str) -> Cow<'_, str> {
    DecomposingNormalizerBorrowed::new_nfd().normalize(text)
}

/// The text with its case folded, in Normalization Form C: one for all texts that differ in case or in
/// their form only (The Unicode Standard, definition D145). Unlike lower case it does not depend on
/// neighbours, so that a part of a text is folded as the whole is.
pub(crate) fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    composed(&CaseMapper::new().fold_string(&decomposed(text))).into_owned()
}

/// Every character that another one may be a form of.
#[cfg(test)]
pub(crate) fn characters() -> impl Iterator<Item = char> {
    ('\0'..='\u{1ffff}').chain('\u{2f800}'..='\u{2fa1f}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::accents("CAFE\u{301}", "caf\u{e9}")]
    #[case::sharp_s("Straße", "STRASSE")]
    #[case::capital_sharp_s("STRAẞE", "strasse")]
    #[case::final_sigma("ΟΔΟΣ", "οδοσ")]
    #[case::iota_below("\u{1fb4}", "ΆΙ")]
    #[case::ligature("ﬁn", "FIN")]
    #[case::kelvin("\u{212a}", "k")]
    #[case::korean("\u{1112}\u{1161}\u{11ab}", "한")]
    #[case::cherokee("ꭰ", "Ꭰ")]
    #[case::georgian("ᲗᲑᲘᲚᲘᲡᲘ", "თბილისი")]
    fn texts_that_a_person_takes_for_one_are_folded_to_one(#[case] one: &str, #[case] other: &str) {
        assert_eq!(folded(one), folded(other));
    }

    #[test]
    fn a_dotted_and_a_dotless_i_are_two_letters() {
        assert_ne!(folded("ı"), folded("i"));
        assert_eq!(folded("İ"), "i\u{307}");
    }

    #[test]
    fn each_character_has_one_form() {
        for character in characters() {
            let text = character.to_string();
            let once = folded(&text);
            assert_eq!(folded(&once), once, "{character:?}");
            for form in [composed(&text), decomposed(&text)] {
                assert_eq!(folded(&form), once, "{character:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn every_text_has_one_form(text in ".*") {
            let once = folded(&text);
            prop_assert_eq!(&folded(&once), &once);
            prop_assert_eq!(&folded(&composed(&text)), &once);
            prop_assert_eq!(&folded(&decomposed(&text)), &once);
        }
    }
}
