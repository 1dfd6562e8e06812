//! Shortens the target of a request that is longer than actix can read.

use crate::long_target::LONGEST_TARGET;

/// The most bytes of one target that are dropped. Beyond that, actix ends the connection.
const MOST_DROPPED: usize = 1 << 20;

/// The longest method.
const LONGEST_METHOD: usize = 20;

/// The part of a head that the next bytes of a client belong to.
#[derive(Debug)]
pub(super) struct RequestLine {
    part: Part,
    cut: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// After so many bytes of the method.
    Method(usize),
    /// After so many bytes of the target.
    Target(usize),
    /// After so many dropped bytes of the target.
    Rest(usize),
    /// Beyond the target, or in a body, or unknown.
    Elsewhere,
}

impl RequestLine {
    pub(super) fn new() -> Self {
        Self {
            part: Part::Elsewhere,
            cut: false,
        }
    }

    /// Notes that a head begins with the next bytes, unless one has begun before.
    pub(super) fn begin(&mut self) {
        if self.part == Part::Elsewhere {
            self.part = Part::Method(0);
        }
    }

    /// Notes that the next bytes may belong to anything.
    pub(super) fn lose_track(&mut self) {
        self.part = Part::Elsewhere;
    }

    /// Removes the bytes of a target that is too long. Returns the number of bytes that are left
    /// at the beginning of the slice.
    pub(super) fn shorten(&mut self, bytes: &mut [u8]) -> usize {
        let mut at = 0;
        if let Part::Method(before) = self.part {
            at = self.pass_method(before, bytes);
        }
        if let Part::Target(before) = self.part {
            let all = target_bytes(&bytes[at..]);
            let kept = all.min(LONGEST_TARGET - before);
            at += kept;
            self.part = if kept < all {
                self.cut = true;
                Part::Rest(0)
            } else if at < bytes.len() {
                Part::Elsewhere
            } else {
                Part::Target(before + kept)
            };
        }
        let Part::Rest(before) = self.part else {
            return bytes.len();
        };
        let dropped = target_bytes(&bytes[at..]);
        let next = at + dropped;
        self.part = if next < bytes.len() || before + dropped > MOST_DROPPED {
            Part::Elsewhere
        } else {
            Part::Rest(before + dropped)
        };
        bytes.copy_within(next.., at);
        bytes.len() - dropped
    }

    /// True if the head that has just arrived lacks a part of its target.
    pub(super) fn take_cut(&mut self) -> bool {
        std::mem::take(&mut self.cut)
    }

    /// Returns the number of bytes up to the target. Bytes that are no method, such as the middle
    /// of a head whose beginning came together with an earlier request, are passed over.
    fn pass_method(&mut self, before: usize, bytes: &[u8]) -> usize {
        let letters = bytes.iter().take_while(|byte| byte.is_ascii_uppercase());
        let letters = letters.count();
        self.part = match bytes.get(letters) {
            _ if before + letters > LONGEST_METHOD => Part::Elsewhere,
            None => Part::Method(before + letters),
            Some(b' ') if before + letters > 0 => Part::Target(0),
            Some(_) => Part::Elsewhere,
        };
        bytes.len().min(letters + 1)
    }
}

/// The number of bytes before the end of a target.
fn target_bytes(bytes: &[u8]) -> usize {
    let end = |byte: &u8| matches!(byte, b' ' | b'\r' | b'\n');
    bytes.iter().position(end).unwrap_or(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Passes a head in pieces of a size. Returns what is left, and whether something was cut.
    fn passed(head: &str, size: usize) -> (String, bool) {
        let mut line = RequestLine::new();
        line.begin();
        let mut left = Vec::new();
        for piece in head.as_bytes().chunks(size) {
            let mut piece = piece.to_vec();
            let kept = line.shorten(&mut piece);
            left.extend_from_slice(&piece[..kept]);
        }
        (String::from_utf8(left).unwrap(), line.take_cut())
    }

    fn head(method: &str, target: usize) -> String {
        let target = "x".repeat(target);
        format!("{method} {target} HTTP/1.1\r\nHost: e\r\n\r\n")
    }

    #[test]
    fn a_long_target_is_shortened_however_it_arrives() {
        for size in [1, 7, 8 << 10, 65_538, 65_539, 1 << 20] {
            for (target, left) in [
                (5, 5),
                (LONGEST_TARGET, LONGEST_TARGET),
                (LONGEST_TARGET + 1, LONGEST_TARGET),
                (300_000, LONGEST_TARGET),
            ] {
                let cut = left < target;
                let expected = (head("GET", left), cut);
                assert!(
                    passed(&head("GET", target), size) == expected,
                    "{target}, {size}"
                );
            }
        }
    }

    #[test]
    fn other_bytes_are_left_alone() {
        let long = "x".repeat(100_000);
        for text in [
            format!("GET / HTTP/1.1\r\nCookie: {long}\r\n\r\n"),
            format!("GET /\r\n{long}"),
            format!("{long} {long}"),
            format!(" {long}"),
            format!("{} {long}", "A".repeat(30)),
            format!("Cookie: {long}"),
        ] {
            assert!(passed(&text, 1000) == (text.clone(), false), "{text:.40}");
        }
    }

    #[test]
    fn a_target_without_end_is_not_dropped_for_ever() {
        let (left, cut) = passed(&head("GET", 4 << 20), 8 << 10);
        assert!(cut && left.len() > 2 << 20);
    }

    #[test]
    fn bytes_of_unknown_origin_are_left_alone() {
        let mut line = RequestLine::new();
        let mut text = head("GET", 100_000).into_bytes();
        assert_eq!(line.shorten(&mut text), text.len());
        line.begin();
        line.lose_track();
        assert_eq!(line.shorten(&mut text), text.len());
    }
}
