//! Names of applications, as they give them themselves.

use thiserror::Error;
use unicode_security::{
    GeneralSecurityProfile, RestrictionLevel, RestrictionLevelDetection,
    general_security_profile::IdentifierType,
};

/// The name of an application, in visible characters of one script or of scripts that are usually
/// mixed. A stranger chose it, so a page that shows it says that the service has not verified it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientName(Box<str>);

text_form!(ClientName: as_str, Display);

impl ClientName {
    /// The maximum length of a name in characters.
    pub const MAX_CHARS: usize = 100;

    /// Checks a name. A symbol that is neither ASCII nor part of a word, such as `™`, becomes a
    /// blank, and several blanks become one.
    ///
    /// # Errors
    /// The name is empty or too long, has a control, an invisible character or an address, or mixes
    /// letters of scripts that look alike.
    pub fn parse(text: &str) -> Result<Self, ClientNameError> {
        let length = text.chars().count();
        if length > Self::MAX_CHARS {
            return Err(ClientNameError::TooLong { length });
        }
        if let Some(hidden) = text.chars().find(|c| is_hidden(*c)) {
            return Err(ClientNameError::Hidden(hidden));
        }
        let shown: String = text
            .chars()
            .map(|c| if is_plain(c) { c } else { ' ' })
            .collect();
        let words: Vec<&str> = shown.split_whitespace().collect();
        let name = words.join(" ");
        if name.is_empty() {
            return Err(ClientNameError::Empty);
        }
        if name.contains("://") {
            return Err(ClientNameError::Address);
        }
        let letters: String = name.chars().filter(|c| c.is_alphanumeric()).collect();
        // UTS #39, section 5.2.
        if !letters
            .as_str()
            .check_restriction_level(RestrictionLevel::HighlyRestrictive)
        {
            return Err(ClientNameError::MixedScripts);
        }
        Ok(Self(name.into()))
    }
}

/// Controls, and characters that show nothing or turn the direction of writing.
fn is_hidden(c: char) -> bool {
    let ignorable = || {
        let kind = GeneralSecurityProfile::identifier_type(c);
        kind == Some(IdentifierType::Default_Ignorable)
    };
    let turns = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || turns || ignorable()
}

fn is_plain(c: char) -> bool {
    c.is_ascii() || GeneralSecurityProfile::identifier_allowed(c)
}

/// The reason why a text is not the name of an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ClientNameError {
    /// It has no visible character.
    #[error("the name is empty")]
    Empty,
    /// It is longer than [`ClientName::MAX_CHARS`].
    #[error(
        "the name has {length} characters, at most {} are allowed",
        ClientName::MAX_CHARS
    )]
    TooLong {
        /// Its length in characters.
        length: usize,
    },
    /// It has a control, or a character that shows nothing.
    #[error("the name has the character U+{:04X}, which nobody sees", u32::from(*.0))]
    Hidden(char),
    /// It has an address, which would stand beside the one that the page shows.
    #[error("the name has an address in it (://)")]
    Address,
    /// It mixes scripts whose letters look alike, such as Latin and Cyrillic.
    #[error("the name mixes letters of scripts that look alike")]
    MixedScripts,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_applications_are_shown_as_words() {
        for (text, shown) in [
            ("Claude", "Claude"),
            ("  Claude  Code (my server) ", "Claude Code (my server)"),
            ("Cursor™ – beta", "Cursor beta"),
            ("助手 Pro", "助手 Pro"),
            ("Ассистент", "Ассистент"),
        ] {
            assert_eq!(ClientName::parse(text).unwrap().as_str(), shown);
        }
    }

    #[test]
    fn tricks_are_refused() {
        for (text, error) in [
            ("", ClientNameError::Empty),
            ("™ ", ClientNameError::Empty),
            ("a\nb", ClientNameError::Hidden('\n')),
            ("a\u{202e}b", ClientNameError::Hidden('\u{202e}')),
            ("a\u{200b}b", ClientNameError::Hidden('\u{200b}')),
            (
                "Claude (verified) http://claude.ai",
                ClientNameError::Address,
            ),
            // The second letter is Cyrillic.
            ("Cl\u{430}ude", ClientNameError::MixedScripts),
        ] {
            assert_eq!(ClientName::parse(text), Err(error), "{text:?}");
        }
        let long = "x".repeat(101);
        let refused = ClientName::parse(&long);
        assert_eq!(refused, Err(ClientNameError::TooLong { length: 101 }));
        assert!(ClientName::parse(&long[1..]).is_ok());
    }
}
