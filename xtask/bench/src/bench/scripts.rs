//! Lua scripts with the requests for wrk.

use std::fmt::Write;

/// Sends the same body each time, with a new number of ten digits in place of `@`, starting
/// after `start`. The script formats a request once and splits it at the number, because
/// `wrk.format` would cost the load more than a request costs a server.
pub(crate) fn post_numbered(body: &str, headers: &[(&str, &str)], start: u32) -> String {
    let body = body.replace('@', "@@@@@@@@@@");
    let headers = headers
        .iter()
        .fold(String::new(), |mut lines, (name, value)| {
            writeln!(lines, "wrk.headers['{name}'] = '{value}'")
                .expect("strings take what is written");
            lines
        });
    format!(
        "{headers}wrk.method = 'POST'\n\
         local head, tail, number = '', '', {start}\n\
         init = function()\n\
           local whole = wrk.format(nil, nil, nil, '{body}')\n\
           local at = whole:find('@', 1, true)\n\
           head, tail = whole:sub(1, at - 1), whole:sub(at + 10)\n\
         end\n\
         request = function()\n\
           number = number + 1\n\
           return head .. string.format('%010d', number) .. tail\n\
         end\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_has_as_many_places_as_digits() {
        let script = post_numbered(r#"{"url":"https://example.com/@"}"#, &[("x-key", "k")], 7);
        assert!(script.contains("https://example.com/@@@@@@@@@@\""));
        assert!(script.contains("wrk.headers['x-key'] = 'k'\n"));
        assert!(script.contains("number = '', '', 7\n"));
    }
}
