//! Cursors: the position at which a page ends, opaque to clients.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::{Serialize, de::DeserializeOwned};

use crate::{Code, Problem};

/// The longest cursor of a listing that is read, in bytes: the longest texts make one of about
/// 3,500.
pub(crate) const MAX_CHARS: usize = 4096;

/// Writes a cursor in URL-safe characters only: one client pastes cursors into query
/// strings unencoded.
pub(crate) fn write(content: &impl Serialize) -> String {
    URL_SAFE_NO_PAD.encode(serde_json::to_vec(content).expect("a cursor is plain data"))
}

/// Reads the position from which a listing continues. `position` returns `None` for the content of
/// a cursor of another listing; `conditions` names what distinguishes them. An empty cursor counts
/// as absent: one client always sends the parameter.
///
/// # Errors
/// The text is no cursor of the listing.
pub(crate) fn read<C: DeserializeOwned, T>(
    sent: Option<&String>,
    conditions: &str,
    position: impl FnOnce(C) -> Option<T>,
) -> Result<Option<T>, Problem> {
    let Some(text) = sent.filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    let found = content(text, MAX_CHARS).and_then(position);
    found.map(Some).ok_or_else(|| {
        let detail = format!(
            "use the cursor of the previous page with the same {conditions}, or start again \
             without one"
        );
        Problem::new(Code::InvalidCursor, detail)
    })
}

/// Reads the content of a cursor of at most so many bytes; `None` if it has another form.
pub(crate) fn content<C: DeserializeOwned>(text: &str, most: usize) -> Option<C> {
    let bytes = (text.len() <= most).then(|| URL_SAFE_NO_PAD.decode(text).ok());
    serde_json::from_slice(&bytes.flatten()?).ok()
}
