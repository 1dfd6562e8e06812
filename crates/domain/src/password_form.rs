//! The forms in which passwords are stored, and the most that a check may cost.

use thiserror::Error;

/// A stored password, parsed as far as its check needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PasswordForm<'a> {
    /// A PHC string of Argon2id, which Slugline makes.
    Argon2id,
    /// The form that Sink makes.
    Sink(SinkForm<'a>),
}

/// `sink-pwd:v1:<iterations>:<salt>:<hash>:<tail>`: PBKDF2-HMAC-SHA-256 of the
/// password's UTF-8 bytes, with salt, hash and tail in unpadded base64url. The
/// tail is the end of the password in clear. Sink shows it in its masks;
/// Slugline never reads it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SinkForm<'a> {
    /// Rounds of PBKDF2, 1 to [`SinkForm::MAX_ITERATIONS`].
    pub iterations: u32,
    /// The salt in base64url; Sink draws 16 bytes.
    pub salt: &'a str,
    /// The hash, 32 bytes in base64url.
    pub hash: &'a str,
}

impl<'a> PasswordForm<'a> {
    const ARGON2ID_PREFIX: &'static str = "$argon2id$";
    /// The most memory that an Argon2id hash may need, in KiB; ours need
    /// 19,456.
    pub const MAX_ARGON2_KIB: u32 = 64 << 10;
    /// The most passes that an Argon2id hash may need; ours need 2.
    pub const MAX_ARGON2_PASSES: u32 = 8;
    /// The most lanes that an Argon2id hash may need; ours need 1.
    pub const MAX_ARGON2_LANES: u32 = 4;

    /// Recognises a stored form.
    ///
    /// # Errors
    /// The text does not start like a stored form, or starts like one that
    /// cannot be checked.
    pub fn of(stored: &'a str) -> Result<Self, PasswordFormError> {
        if let Some(rest) = stored.strip_prefix(SinkForm::PREFIX) {
            SinkForm::parse(rest).map(Self::Sink)
        } else if let Some(rest) = stored.strip_prefix(Self::ARGON2ID_PREFIX) {
            check_argon2id(rest).map(|()| Self::Argon2id)
        } else if matches!(stored.get(..4), Some("$2a$" | "$2b$" | "$2y$")) {
            Err(PasswordFormError::Bcrypt)
        } else {
            Err(PasswordFormError::Unknown)
        }
    }
}

impl<'a> SinkForm<'a> {
    const PREFIX: &'static str = "sink-pwd:v1:";
    /// The most rounds that are computed for a visitor. Sink uses 10,000; OWASP
    /// recommends 600,000.
    pub const MAX_ITERATIONS: u32 = 600_000;

    fn parse(rest: &'a str) -> Result<Self, PasswordFormError> {
        let parts: Vec<&str> = rest.split(':').collect();
        let [iterations, salt, hash, tail] = parts[..] else {
            return Err(PasswordFormError::Malformed);
        };
        let iterations = number(iterations)?;
        // Base64 takes four characters for three bytes. The salt has 8 to 64
        // bytes, the hash 32; the tail comes from at most three characters.
        let well_formed = iterations > 0
            && is_base64(salt, 11..=86, b"-_")
            && is_base64(hash, 43..=43, b"-_")
            && is_base64(tail, 0..=64, b"-_");
        if !well_formed {
            return Err(PasswordFormError::Malformed);
        }
        if iterations > Self::MAX_ITERATIONS {
            return Err(PasswordFormError::TooCostly);
        }
        Ok(Self {
            iterations,
            salt,
            hash,
        })
    }
}

/// Shows nothing of the password.
impl std::fmt::Debug for SinkForm<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SinkForm")
            .field("iterations", &self.iterations)
            .finish_non_exhaustive()
    }
}

/// Checks `v=19$m=19456,t=2,p=1$<salt>$<hash>`, salt and hash in unpadded
/// base64.
fn check_argon2id(rest: &str) -> Result<(), PasswordFormError> {
    let parts: Vec<&str> = rest.split('$').collect();
    let ["v=19", costs, salt, hash] = parts[..] else {
        return Err(PasswordFormError::Malformed);
    };
    let costs: Vec<&str> = costs.split(',').collect();
    let [memory, passes, lanes] = costs[..] else {
        return Err(PasswordFormError::Malformed);
    };
    let cost = |text: &str, name| {
        let digits = text.strip_prefix(name);
        number(digits.ok_or(PasswordFormError::Malformed)?)
    };
    let (memory, passes, lanes) = (cost(memory, "m=")?, cost(passes, "t=")?, cost(lanes, "p=")?);
    // Argon2's own lower bounds, and the lengths that PHC strings allow.
    let well_formed = passes >= 1
        && lanes >= 1
        && memory / 8 >= lanes
        && is_base64(salt, 11..=64, b"+/")
        && is_base64(hash, 14..=86, b"+/");
    if !well_formed {
        return Err(PasswordFormError::Malformed);
    }
    let affordable = memory <= PasswordForm::MAX_ARGON2_KIB
        && passes <= PasswordForm::MAX_ARGON2_PASSES
        && lanes <= PasswordForm::MAX_ARGON2_LANES;
    if affordable {
        Ok(())
    } else {
        Err(PasswordFormError::TooCostly)
    }
}

fn number(digits: &str) -> Result<u32, PasswordFormError> {
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
    match digits.parse() {
        Ok(number) if plain => Ok(number),
        // The number does not fit 32 bits.
        Err(_) if plain && !digits.is_empty() => Err(PasswordFormError::TooCostly),
        Ok(_) | Err(_) => Err(PasswordFormError::Malformed),
    }
}

/// Returns whether the text is unpadded base64 with these two characters
/// besides letters and digits. Its length is never one more than a multiple of
/// four: a single character encodes nothing.
fn is_base64(text: &str, chars: std::ops::RangeInclusive<usize>, extra: &[u8]) -> bool {
    chars.contains(&text.len())
        && text.len() % 4 != 1
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || extra.contains(&byte))
}

/// The reason why a stored password cannot be checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PasswordFormError {
    /// It does not start like any known form.
    #[error("password is not a stored hash")]
    Unknown,
    /// It starts like a known form, but the rest is malformed.
    #[error("password starts like a stored hash but is malformed")]
    Malformed,
    /// The check would keep the server busy for too long.
    #[error("password is a stored hash that costs too much to check")]
    TooCostly,
    /// It is a hash of bcrypt, which other products store.
    #[error("password is a bcrypt hash, which cannot be checked")]
    Bcrypt,
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const SALT: &str = "AAECAwQFBgcICQoLDA0ODw";
    const HASH: &str = "5RUHDgNTp9sBOWGYS4e6u57cz_Sq3_TQgaDP_8MW6L8";

    #[test]
    fn sinks_form_is_taken_apart() {
        let stored = format!("sink-pwd:v1:10000:{SALT}:{HASH}:cnNl");
        let form = SinkForm {
            iterations: 10_000,
            salt: SALT,
            hash: HASH,
        };
        assert_eq!(PasswordForm::of(&stored), Ok(PasswordForm::Sink(form)));
        assert_eq!(format!("{form:?}"), "SinkForm { iterations: 10000, .. }");
    }

    #[rstest]
    #[case(
        "v=19$m=19456,t=2,p=1$AAECAwQFBgcICQoLDA0ODw$",
        Ok(PasswordForm::Argon2id)
    )]
    #[case(
        "v=19$m=65537,t=2,p=1$AAECAwQFBgcICQoLDA0ODw$",
        Err(PasswordFormError::TooCostly)
    )]
    #[case(
        "v=19$m=19456,t=9,p=1$AAECAwQFBgcICQoLDA0ODw$",
        Err(PasswordFormError::TooCostly)
    )]
    #[case(
        "v=19$m=19456,t=2,p=5$AAECAwQFBgcICQoLDA0ODw$",
        Err(PasswordFormError::TooCostly)
    )]
    #[case(
        "v=19$m=7,t=2,p=1$AAECAwQFBgcICQoLDA0ODw$",
        Err(PasswordFormError::Malformed)
    )]
    #[case(
        "v=19$m=19456,t=2$AAECAwQFBgcICQoLDA0ODw$",
        Err(PasswordFormError::Malformed)
    )]
    #[case(
        "v=16$m=19456,t=2,p=1$AAECAwQFBgcICQoLDA0ODw$",
        Err(PasswordFormError::Malformed)
    )]
    #[case("v=19$m=19456,t=2,p=1$short$", Err(PasswordFormError::Malformed))]
    fn argon2id_is_bounded_in_what_it_costs(
        #[case] start: &str,
        #[case] expected: Result<PasswordForm<'_>, PasswordFormError>,
    ) {
        let stored = format!("$argon2id${start}{}", "A".repeat(43));
        assert_eq!(PasswordForm::of(&stored), expected);
    }

    #[rstest]
    #[case("0", PasswordFormError::Malformed)]
    #[case("", PasswordFormError::Malformed)]
    #[case("+10", PasswordFormError::Malformed)]
    #[case("-10", PasswordFormError::Malformed)]
    #[case("1e4", PasswordFormError::Malformed)]
    #[case("600001", PasswordFormError::TooCostly)]
    #[case("99999999999999999999", PasswordFormError::TooCostly)]
    fn iterations_are_a_bounded_number(#[case] iterations: &str, #[case] error: PasswordFormError) {
        let stored = format!("sink-pwd:v1:{iterations}:{SALT}:{HASH}:cnNl");
        assert_eq!(PasswordForm::of(&stored), Err(error));
    }

    #[rstest]
    #[case(format!("sink-pwd:v1:10000:{SALT}:{HASH}"))]
    #[case(format!("sink-pwd:v1:10000:{SALT}:{HASH}:cnNl:x"))]
    #[case(format!("sink-pwd:v1:10000:{SALT}=:{HASH}:cnNl"))]
    #[case(format!("sink-pwd:v1:10000::{HASH}:cnNl"))]
    #[case(format!("sink-pwd:v1:10000:{SALT}:{HASH}A:cnNl"))]
    #[case(format!("sink-pwd:v1:10000:{SALT}:{}:cnNl", HASH.replace('_', "/")))]
    #[case(format!("sink-pwd:v1:10000:{SALT}:{HASH}:c"))]
    fn what_only_begins_like_sinks_form_is_malformed(#[case] stored: String) {
        assert_eq!(PasswordForm::of(&stored), Err(PasswordFormError::Malformed));
    }

    #[test]
    fn other_texts_are_no_stored_form() {
        for text in ["hunter2", "", "sink-pwd:v2:1", "$2 a day", "$1$abc"] {
            assert_eq!(PasswordForm::of(text), Err(PasswordFormError::Unknown));
        }
        for text in ["$2a$12$abc", "$2b$12$abc", "$2y$12$abc"] {
            assert_eq!(PasswordForm::of(text), Err(PasswordFormError::Bcrypt));
        }
    }
}
