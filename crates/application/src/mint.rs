//! Makes new identifiers and slugs from the caller's clock and random source.

use slugline_domain::{LinkId, Slug, UnixMillis, ports::Random};
use uuid::Builder;

/// Makes a UUID version 7: it sorts by creation, and ten random bytes keep nodes apart.
pub(crate) fn link_id(now: UnixMillis, random: &dyn Random) -> LinkId {
    let mut bytes = [0; 10];
    random.fill(&mut bytes);
    let millis = u64::try_from(now.get()).unwrap_or(0);
    let uuid = Builder::from_unix_timestamp_millis(millis, &bytes).into_uuid();
    LinkId::parse(&uuid.to_string()).expect("a hyphenated UUID is a link id")
}

/// Makes a slug of random characters, each equally likely.
pub(crate) fn slug(length: usize, random: &dyn Random) -> Slug {
    let alphabet = Slug::GENERATED_ALPHABET;
    // The largest multiple of the alphabet's size that fits a byte: bytes above
    // it would make the first characters likelier.
    let fair = u8::MAX - u8::MAX % 31;
    let mut text = String::with_capacity(length);
    let mut bytes = [0; 32];
    while text.len() < length {
        random.fill(&mut bytes);
        let fair_bytes = bytes.iter().filter(|byte| **byte < fair);
        text.extend(
            fair_bytes
                .map(|byte| char::from(alphabet[usize::from(byte % 31)]))
                .take(length - text.len()),
        );
    }
    Slug::parse(&text).expect("the alphabet holds letters and digits only")
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use slugline_testkit::{NOON, SeededRandom};

    use super::*;

    #[test]
    fn ids_are_version_7_and_carry_the_time() {
        let id = link_id(NOON.start(), &SeededRandom::new(7));
        let uuid = uuid::Uuid::parse_str(id.as_str()).unwrap();
        assert_eq!(uuid.get_version_num(), 7);
        let (seconds, _) = uuid.get_timestamp().unwrap().to_unix();
        assert_eq!(i64::try_from(seconds).unwrap(), NOON.get());
    }

    #[test]
    fn slugs_have_the_asked_length_and_use_the_whole_alphabet() {
        let random = SeededRandom::new(1);
        let mut seen = HashSet::new();
        for _ in 0..200 {
            let slug = slug(6, &random);
            assert_eq!(slug.as_str().len(), 6);
            seen.extend(slug.as_str().bytes());
        }
        assert_eq!(seen, Slug::GENERATED_ALPHABET.iter().copied().collect());
        assert_eq!(slug(100, &random).as_str().len(), 100);
    }
}
