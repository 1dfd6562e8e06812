//! Names of tokens. The audit trail tells callers apart by them, so no name may look like another.

use thiserror::Error;
use unicode_security::{GeneralSecurityProfile, skeleton};

/// The name of a token. A new name has visible characters only and does not look like `site`,
/// `operator` or `service`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TokenName(Box<str>);

text_form!(TokenName: as_str, Display, FromStr<TokenNameError>);

impl TokenName {
    /// The maximum length of a name in characters.
    pub const MAX_CHARS: usize = 64;
    /// The name of the site token, which no other token may have.
    pub const SITE: &'static str = "site";
    /// The name of the operator's own commands, which no token may have.
    pub const OPERATOR: &'static str = "operator";
    /// The name of the service in the audit trail, which no token may have.
    pub const SERVICE: &'static str = "service";

    const RESERVED: [&'static str; 3] = [Self::SITE, Self::OPERATOR, Self::SERVICE];

    /// Trims and checks the name of a new token.
    ///
    /// # Errors
    /// The name is empty, too long, has another character than those allowed, or looks like a
    /// reserved one.
    pub fn parse(text: &str) -> Result<Self, TokenNameError> {
        let name = Self::restore(text)?;
        if let Some(character) = name.0.chars().find(|c| !is_allowed(*c)) {
            return Err(TokenNameError::Character(character));
        }
        // Pages show several blanks as one.
        if name.0.contains("  ") {
            return Err(TokenNameError::Blanks);
        }
        if looks_reserved(&name.0) {
            return Err(TokenNameError::Reserved);
        }
        Ok(name)
    }

    /// Takes the name of a token that exists. It asks no table of Unicode, so a later one, which may
    /// allow fewer characters, makes no stored token unreadable.
    ///
    /// # Errors
    /// The text is empty or too long, has a control character, or is a reserved name.
    pub fn restore(text: &str) -> Result<Self, TokenNameError> {
        let text = text.trim();
        let length = text.chars().count();
        if length == 0 {
            return Err(TokenNameError::Empty);
        }
        if length > Self::MAX_CHARS {
            return Err(TokenNameError::TooLong { length });
        }
        if let Some(control) = text.chars().find(|c| c.is_control()) {
            return Err(TokenNameError::Character(control));
        }
        let is_reserved = |name: &str| text.eq_ignore_ascii_case(name);
        if Self::RESERVED.into_iter().any(is_reserved) {
            return Err(TokenNameError::Reserved);
        }
        Ok(Self(text.into()))
    }

    /// Returns whether a reader could take this name for the other one.
    pub fn looks_like(&self, other: &Self) -> bool {
        look(&self.0) == look(&other.0)
    }
}

/// Returns whether a new name may have this character: visible ASCII, a blank, or a letter, mark
/// or digit of a script in use today. Unicode's profile for identifiers (UTS #39) has no
/// characters that are invisible, change the direction of a text or are letters of another form.
fn is_allowed(c: char) -> bool {
    if c.is_ascii() {
        return c == ' ' || c.is_ascii_graphic();
    }
    GeneralSecurityProfile::identifier_allowed(c)
}

/// The look of a text: texts that look the same have the same one (UTS #39, confusable
/// detection).
fn look(text: &str) -> String {
    let mut look = String::with_capacity(text.len());
    for c in skeleton(text) {
        // These letters have a dot, and another one is drawn at the same spot.
        if c == '\u{307}' && look.ends_with(['i', 'j']) {
            continue;
        }
        look.push(c);
    }
    look
}

/// Returns whether a name looks like a reserved one in any case of letters. A letter may look
/// like another one in one case only, as the Cyrillic `т` does.
fn looks_reserved(name: &str) -> bool {
    let looks = |text: &str| {
        let cases = [text.to_owned(), text.to_lowercase(), text.to_uppercase()];
        cases.map(|text| look(&text).to_lowercase())
    };
    let own = looks(name);
    let reserved = TokenName::RESERVED.into_iter().flat_map(looks);
    reserved.into_iter().any(|look| own.contains(&look))
}

/// The reason why a text is not a name of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum TokenNameError {
    /// It is empty, or only white space.
    #[error("the name is empty")]
    Empty,
    /// It is longer than [`TokenName::MAX_CHARS`].
    #[error(
        "the name has {length} characters, at most {} are allowed",
        TokenName::MAX_CHARS
    )]
    TooLong {
        /// Its length in characters.
        length: usize,
    },
    /// It has a character that is invisible, a control, or no letter, digit or ASCII character.
    #[error("the name has the character U+{:04X}, which is not allowed", u32::from(*.0))]
    Character(char),
    /// It has several blanks in a row.
    #[error("the name has several blanks in a row")]
    Blanks,
    /// It is `site`, `operator` or `service` in any case of letters, or looks like one of them.
    #[error(
        "the names site, operator and service, and names that look like them, are taken by the \
         site token, by commands and by the service itself"
    )]
    Reserved,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_trimmed_and_bounded() {
        assert_eq!(TokenName::parse("  CI bot ").unwrap().as_str(), "CI bot");
        assert_eq!(TokenName::parse(" "), Err(TokenNameError::Empty));
        assert!(TokenName::parse(&"ü".repeat(64)).is_ok());
        let long = TokenName::parse(&"x".repeat(65));
        assert_eq!(long, Err(TokenNameError::TooLong { length: 65 }));
        assert_eq!(TokenName::parse("a  b"), Err(TokenNameError::Blanks));
    }

    #[test]
    fn names_in_scripts_of_today_are_allowed() {
        for name in [
            "CI bot (staging) #2",
            "claude@laptop",
            "it's \"x\\y\"; <b>",
            "Büro Zürich",
            "Сборка на CI",
            "καλημέρα",
            "自动化机器人",
            "ボット",
            "배포 봇",
            "הפצה",
            "نشر",
            "प्रकाशन",
            "Việt Nam",
            "sites",
            "my site",
            "operators",
            "Servicebot",
        ] {
            assert_eq!(TokenName::parse(name).unwrap().as_str(), name);
        }
    }

    #[test]
    fn characters_that_hide_or_disguise_something_are_refused() {
        for (kind, characters) in [
            ("controls", "\n\u{7f}\u{85}"),
            ("no width", "\u{ad}\u{200b}\u{200c}\u{200d}\u{2060}\u{feff}"),
            ("fillers", "\u{34f}\u{115f}\u{3164}\u{ffa0}"),
            ("selectors and tags", "\u{fe0f}\u{e0100}\u{e0041}"),
            (
                "directions",
                "\u{200e}\u{200f}\u{61c}\u{202e}\u{2066}\u{2069}",
            ),
            ("other blanks", "\u{a0}\u{2003}\u{3000}\u{2028}"),
            ("other forms of letters", "ｓ𝗌ꜱⓢ"),
            ("no characters", "\u{e000}\u{ffff}\u{378}\u{fffd}"),
        ] {
            for character in characters.chars() {
                let refused = TokenName::parse(&format!("a{character}b"));
                let fault = TokenNameError::Character(character);
                assert_eq!(refused, Err(fault), "{kind}: {character:?}");
            }
        }
    }

    #[test]
    fn nothing_may_look_like_a_reserved_name() {
        for name in [
            "site",
            "SITE",
            "Site",
            "operator",
            "Service",
            "s1te",
            "S|TE",
            "slte",
            "0perator",
            "OPERAT0R",
            "ѕite",
            "ѕіtе",
            "ѕіте",
            "ЅІТЕ",
            "sıte",
            "si\u{307}te",
            "οperatοr",
            "ΟΡΕRΑΤΟR",
            "орerаtоr",
            "ѕеrvісе",
        ] {
            let refused = TokenName::parse(name);
            assert_eq!(refused, Err(TokenNameError::Reserved), "{name:?}");
        }
    }

    #[test]
    fn names_that_look_alike_are_known() {
        let name = |text| TokenName::restore(text).unwrap();
        for (one, other) in [
            ("ci", "сі"),
            ("CI", "Cl"),
            ("bot", "b\u{200b}ot"),
            ("café", "cafe\u{301}"),
            ("a b", "a\u{a0}b"),
            ("jin", "j\u{307}in"),
        ] {
            assert!(name(one).looks_like(&name(other)), "{one:?} {other:?}");
        }
        for (one, other) in [
            ("ci", "CI"),
            ("ci", "cd"),
            ("Büro", "Buro"),
            ("Jose", "José"),
        ] {
            assert!(!name(one).looks_like(&name(other)), "{one:?} {other:?}");
        }
    }
}
