//! Passwords of imported links.

use thiserror::Error;

use crate::{Password, PasswordError, PasswordForm, PasswordFormError, PasswordHash};

/// The password of an imported link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportedPassword {
    /// A hash that gates can check; it is stored unchanged.
    Hashed(PasswordHash),
    /// A password in clear, to be hashed.
    Plain(Password),
}

impl ImportedPassword {
    /// Tells hashes from passwords in clear, which the oldest exports hold.
    ///
    /// # Errors
    /// The text starts like a stored hash but cannot be checked as one, or it
    /// cannot be a password. A mask is not a password.
    pub fn parse(text: &str) -> Result<Self, ImportedPasswordError> {
        let text = text.trim();
        match PasswordForm::of(text) {
            Ok(PasswordForm::Argon2id | PasswordForm::Sink(_) | PasswordForm::Bcrypt) => {
                Ok(Self::Hashed(PasswordHash::new(text)))
            }
            Err(PasswordFormError::Unknown) => Ok(Self::Plain(Password::parse(text)?)),
            Err(error) => Err(error.into()),
        }
    }
}

/// The reason why a text cannot be the password of an imported link.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ImportedPasswordError {
    /// It starts like a stored hash but is not a valid one.
    #[error(transparent)]
    Hash(#[from] PasswordFormError),
    /// It cannot be a password in clear either.
    #[error(transparent)]
    Plain(#[from] PasswordError),
}

#[cfg(test)]
mod tests {
    use super::*;

    const SINK: &str =
        "sink-pwd:v1:10000:AAECAwQFBgcICQoLDA0ODw:5RUHDgNTp9sBOWGYS4e6u57cz_Sq3_TQgaDP_8MW6L8:cnNl";

    const BCRYPT: &str = "$2b$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW";

    #[test]
    fn hashes_are_kept_and_texts_are_passwords() {
        let hashed = ImportedPassword::Hashed(PasswordHash::new(SINK));
        let plain = ImportedPassword::Plain(Password::parse("hunter2").unwrap());
        let other = ImportedPassword::Hashed(PasswordHash::new(BCRYPT));
        for (text, expected) in [(SINK, hashed), (" hunter2 ", plain), (BCRYPT, other)] {
            assert_eq!(ImportedPassword::parse(text), Ok(expected));
        }
    }

    #[test]
    fn masks_and_hashes_that_cannot_be_checked_are_refused() {
        let malformed = || PasswordFormError::Malformed.into();
        for (text, error) in [
            ("__SINK_MASKED__•••rse", PasswordError::Masked.into()),
            ("sink-pwd:v1:1:x:y:z", malformed()),
            ("$argon2id$", malformed()),
            ("$2b$12$abc", malformed()),
            ("$6$abc", PasswordFormError::Other("6".into()).into()),
        ] {
            assert_eq!(ImportedPassword::parse(text), Err(error));
        }
        assert!(ImportedPassword::parse("$2 a day").is_ok());
    }
}
