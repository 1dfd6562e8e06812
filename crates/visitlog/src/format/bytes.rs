//! Reads and writes pieces of bytes, which may come from any writer.

/// Takes this many bytes from the front, if there are as many.
pub(crate) fn take<'b>(bytes: &mut &'b [u8], length: usize) -> Option<&'b [u8]> {
    let (taken, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(taken)
}

/// Takes as many bytes from the front as an array has.
pub(crate) fn take_array<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*taken)
}

/// Takes a name, behind a byte with its length.
pub(crate) fn take_name<'b>(bytes: &mut &'b [u8]) -> Option<&'b str> {
    let [length] = take_array(bytes)?;
    std::str::from_utf8(take(bytes, length.into())?).ok()
}

/// Adds a name, behind a byte with its length.
pub(crate) fn put_name(bytes: &mut Vec<u8>, name: &str) {
    bytes.push(u8::try_from(name.len()).expect("names are short"));
    bytes.extend(name.as_bytes());
}

/// Adds a length, seven bits a byte, lowest first (LEB128).
pub(crate) fn put_length(bytes: &mut Vec<u8>, length: usize) {
    let mut rest = length;
    while let Some(byte) = u8::try_from(rest & 0x7f).ok().filter(|_| rest > 0x7f) {
        bytes.push(byte | 0x80);
        rest >>= 7;
    }
    bytes.push(u8::try_from(rest).expect("seven bits are left"));
}

/// Takes a length of up to three bytes.
#[inline]
pub(crate) fn take_length(bytes: &mut &[u8]) -> Option<usize> {
    if let [length @ 0..0x80, rest @ ..] = *bytes {
        *bytes = rest;
        return Some(usize::from(*length));
    }
    let mut length = 0;
    for shift in [0, 7, 14] {
        let [byte] = take_array(bytes)?;
        length |= usize::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(length);
        }
    }
    None
}
