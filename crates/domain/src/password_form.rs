//! The forms in which passwords are stored, and the most that a check may cost.

use thiserror::Error;

/// A stored password, parsed as far as its check needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PasswordForm<'a> {
    /// A PHC string of Argon2id, which Slugline makes.
    Argon2id,
    /// The form that Sink makes.
    Sink(SinkForm<'a>),
    /// `$2b$<cost>$<salt and hash>`: bcrypt of the password's first 72 UTF-8 bytes, as Kutt makes it.
    Bcrypt,
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
    /// The largest cost of a bcrypt hash, the logarithm of its rounds: half a second. Kutt uses 12.
    pub const MAX_BCRYPT_COST: u32 = 13;

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
            check_bcrypt(&stored[4..]).map(|()| Self::Bcrypt)
        } else if let Some(form) = other_form(stored) {
            Err(PasswordFormError::Other(form.to_owned()))
        } else {
            Err(PasswordFormError::Unknown)
        }
    }
}

/// Returns the name of a hash that another program stores, such as `6` of `$6$…`. A person's password begins
/// like none of them.
fn other_form(stored: &str) -> Option<&str> {
    let (form, _) = stored.strip_prefix('$')?.split_once('$')?;
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    (!form.is_empty() && form.bytes().all(is_name)).then_some(form)
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

/// Checks `12$` and the salt and the hash in 53 characters of bcrypt's base64.
fn check_bcrypt(rest: &str) -> Result<(), PasswordFormError> {
    let (cost, body) = rest.split_once('$').ok_or(PasswordFormError::Malformed)?;
    let cost = number(cost)?;
    let (salt, hash) = body.split_at_checked(22).unwrap_or_default();
    if cost < 4 || !is_base64(salt, 22..=22, b"./") || !is_base64(hash, 31..=31, b"./") {
        return Err(PasswordFormError::Malformed);
    }
    if cost > PasswordForm::MAX_BCRYPT_COST {
        return Err(PasswordFormError::TooCostly);
    }
    Ok(())
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
#[derive(Clone, Debug, PartialEq, Eq, Error)]
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
    /// It is a hash that another program stores and this one cannot check.
    #[error(
        "password is a stored hash (${0}$), which cannot be checked; leave it out, or give the \
         password in clear"
    )]
    Other(String),
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
        for text in ["hunter2", "", "sink-pwd:v2:1", "$2 a day", "$1"] {
            assert_eq!(PasswordForm::of(text), Err(PasswordFormError::Unknown));
        }
        for (text, name) in [("$1$abc", "1"), ("$pbkdf2-sha256$9$x", "pbkdf2-sha256")] {
            let other = PasswordFormError::Other(name.into());
            assert_eq!(PasswordForm::of(text), Err(other));
        }
    }

    #[rstest]
    #[case("$2a$04", 53, Ok(PasswordForm::Bcrypt))]
    #[case("$2b$12", 53, Ok(PasswordForm::Bcrypt))]
    #[case("$2y$13", 53, Ok(PasswordForm::Bcrypt))]
    #[case("$2b$14", 53, Err(PasswordFormError::TooCostly))]
    #[case("$2b$03", 53, Err(PasswordFormError::Malformed))]
    #[case("$2b$12", 52, Err(PasswordFormError::Malformed))]
    fn bcrypt_is_bounded_in_what_it_costs(
        #[case] start: &str,
        #[case] length: usize,
        #[case] expected: Result<PasswordForm<'_>, PasswordFormError>,
    ) {
        let stored = format!("{start}${}", "a".repeat(length));
        assert_eq!(PasswordForm::of(&stored), expected);
    }
}
