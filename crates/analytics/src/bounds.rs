//! The longest texts that are stored. Visitors choose most of them, so each has
//! a bound. Together they stay below the 16 KiB that clients of the wire expect
//! of one record.

/// Longest user agent in bytes. Ordinary ones have 80 to 200.
pub const USER_AGENT_MAX_BYTES: usize = 256;

/// Longest referring host in bytes, port included. A DNS name may have 253,
/// but names of real sites stay far below 128.
pub const REFERER_MAX_BYTES: usize = 128;

/// Longest language tag in bytes: the buffer size that RFC 5646 section 4.4.1
/// recommends.
pub const LANGUAGE_MAX_BYTES: usize = 35;

/// Longest name of a system, program or device in bytes. Almost all stay below
/// 30.
pub const NAME_MAX_BYTES: usize = 64;

/// Longest part of a campaign's name in bytes. Those that people write stay below
/// 60.
pub const UTM_MAX_BYTES: usize = 128;

/// Longest URL in bytes: 16 KiB less 2,302 bytes for the longest slug with its domain
/// and a slash, and some 1,750 bytes for all other texts.
pub const URL_MAX_BYTES: usize = 12 * 1024;

/// The longest beginning of a text that has at most `max` bytes and ends
/// between two characters.
pub fn truncate(text: &str, max: usize) -> &str {
    &text[..text.floor_char_boundary(max)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_between_characters() {
        assert_eq!(truncate("abc", 3), "abc");
        assert_eq!(truncate("abc", 2), "ab");
        assert_eq!(truncate("añb", 2), "a");
        assert_eq!(truncate("añb", 3), "añ");
        assert_eq!(truncate("🦀", 3), "");
    }
}
