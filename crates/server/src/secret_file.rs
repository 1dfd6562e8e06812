//! Files that hold one secret.

use std::{fs, io, path::Path};

use slugline_domain::text::without_byte_order_mark;

/// Reads a secret: the text of a file without a byte order mark and white space around it. Editors
/// and shells add both, and no client sends them.
pub(crate) fn read_secret(path: &Path) -> io::Result<String> {
    let bytes = fs::read(path)?;
    let text = str::from_utf8(without_byte_order_mark(&bytes));
    let text = text.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
    Ok(text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_editors_add_is_no_part_of_a_secret() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        for written in ["secret", "\u{feff}secret\r\n", " secret\n\n"] {
            fs::write(&path, written).unwrap();
            assert_eq!(read_secret(&path).unwrap(), "secret");
        }
        fs::write(&path, b"\xff\xfes\0").unwrap();
        let kind = read_secret(&path).map_err(|error| error.kind());
        assert_eq!(kind, Err(io::ErrorKind::InvalidData));
    }
}
