//! Digests and secrets as texts.

pub(crate) fn hexadecimal(digest: &[u8; 32]) -> String {
    let (high, low) = digest.split_at(16);
    let number = |half: &[u8]| u128::from_be_bytes(half.try_into().expect("16 bytes"));
    format!("{:032x}{:032x}", number(high), number(low))
}

pub(crate) fn from_hexadecimal(text: &str) -> Option<[u8; 32]> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let byte = |pair: &[u8; 2]| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok();
    let bytes: Option<Vec<u8>> = pairs.iter().map(byte).collect();
    bytes?.try_into().ok().filter(|_| rest.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_in_hexadecimal_is_read_back() {
        let digest = std::array::from_fn(|i| u8::try_from(i * 8).unwrap());
        let text = hexadecimal(&digest);
        assert_eq!(text.len(), 64);
        assert_eq!(from_hexadecimal(&text), Some(digest));
        assert_eq!(from_hexadecimal("0g"), None);
        assert_eq!(from_hexadecimal(&text[1..]), None);
    }
}
