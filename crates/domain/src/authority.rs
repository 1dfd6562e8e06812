//! Finds the host in the text of a URL.

use std::ops::Range;

use crate::host::without_port;

/// True if a URL of this scheme names a host as name servers know it (URL standard, special schemes).
pub(crate) fn names_a_host(scheme: &str) -> bool {
    let special = ["http", "https", "ftp", "ws", "wss"];
    special.iter().any(|name| scheme.eq_ignore_ascii_case(name))
}

/// The place of the host in a URL of a scheme that [`names_a_host`], without credentials and port.
pub(crate) fn host_range(text: &str) -> Option<Range<usize>> {
    let (scheme, _) = text
        .split_once(':')
        .filter(|(name, _)| names_a_host(name))?;
    let end = authority_end(text)?;
    let begin = scheme.len() + "://".len();
    let credentials = text[begin..end].rfind('@').map_or(0, |at| at + 1);
    let begin = begin + credentials;
    Some(begin..begin + without_port(&text[begin..end]).len())
}

/// The end of the host in a URL, as a position in its text; `None` if it names none, or if
/// programs differ about it.
pub(crate) fn authority_end(text: &str) -> Option<usize> {
    let (_, after_the_scheme) = text.split_once(':')?;
    let rest = after_the_scheme.strip_prefix("//")?;
    let begin = text.len() - rest.len();
    let length = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let authority = &rest[..length];
    (!authority.is_empty() && !authority.contains('\\')).then_some(begin + length)
}
