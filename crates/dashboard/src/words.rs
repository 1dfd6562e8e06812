//! Chooses the words for a browser's language.
//!
//! The page chooses its language itself (`web/words.js`), also by a person's earlier
//! choice. This module guesses from the header alone; a wrong guess costs four kilobytes.

use actix_web::{HttpRequest, http::header::ACCEPT_LANGUAGE};
use slugline_httpkit::header;

use crate::packed;

/// Returns the path, below the folder of all files, of the words for the first language
/// in the header that has a file.
pub(crate) fn preferred(request: &HttpRequest) -> Option<String> {
    let accepted = header(request, &ACCEPT_LANGUAGE)?;
    accepted
        .split(',')
        .filter_map(|range| range.split(';').next())
        .map(|tag| format!("web/words/{}.js", file_of(&tag.trim().to_ascii_lowercase())))
        .find(|path| packed::find(path).is_some())
}

/// Returns the name of the file that `fitting` of `web/words.js` would choose.
fn file_of(tag: &str) -> &str {
    let mut parts = tag.split('-');
    let language = parts.next().unwrap_or_default();
    let rest: Vec<&str> = parts.collect();
    let has = |names: &[&str]| rest.iter().any(|part| names.contains(part));
    match language {
        "pt" if has(&["pt"]) => "pt-pt",
        "pt" => "pt-br",
        "zh" if has(&["hant", "tw", "hk", "mo"]) && !has(&["hans"]) => "zh-tw",
        "zh" => "zh-cn",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    fn for_header(accepted: &str) -> Option<String> {
        let request = TestRequest::get().insert_header((ACCEPT_LANGUAGE, accepted));
        preferred(&request.to_http_request())
    }

    #[test]
    fn the_first_language_that_has_words_is_taken() {
        for (accepted, file) in [
            ("de-AT,de;q=0.9,en;q=0.8", "de"),
            ("nl, fr;q=0.5", "fr"),
            ("pt-PT", "pt-pt"),
            ("pt", "pt-br"),
            ("zh-Hant-HK", "zh-tw"),
            ("zh-Hans-HK", "zh-cn"),
        ] {
            let wanted = format!("web/words/{file}.js");
            assert_eq!(for_header(accepted), Some(wanted), "{accepted}");
        }
        for accepted in ["", "nl", "*", "../../main", "\"><script>"] {
            assert_eq!(for_header(accepted), None, "{accepted}");
        }
    }
}
