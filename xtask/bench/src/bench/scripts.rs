//! Lua scripts with the requests for wrk.

use std::fmt::Write;

use super::export::WORDS;

/// The choice of links to follow, among those that [`super::export`] numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pick {
    /// `hot` links in turn, spread evenly among all.
    InTurn { hot: u32, links: u32 },
    /// A random link, each equally likely.
    Uniform { links: u32, seed: u32 },
    /// Few links often and many seldom: rank `r` is `r` times less likely than the first.
    /// Neighbouring ranks do not have neighbouring numbers.
    Zipf { ranks: u32, links: u32, seed: u32 },
    /// Slugs of ten characters that no link has, a new one each time.
    Unknown { seed: u32 },
}

/// The headers of a visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Headers {
    /// Only `Host`.
    Plain,
    /// Also the headers of a browser.
    Browser,
}

/// Follows links.
pub(crate) fn follow(pick: Pick, headers: Headers) -> String {
    let words = WORDS.map(|word| format!("'{word}'")).join(", ");
    let next = match pick {
        Pick::InTurn { hot, links } => format!(
            "local slugs, at = {{}}, 0\n\
             for n = 0, {hot} - 1 do slugs[n] = slug(n * {step}) end\n\
             local function next_slug() at = (at + 1) % {hot}; return slugs[at] end\n",
            step = (links / hot).max(1)
        ),
        Pick::Uniform { links, seed } => format!(
            "math.randomseed({seed})\n\
             local function next_slug() return slug(math.random(0, {links} - 1)) end\n"
        ),
        Pick::Zipf { ranks, links, seed } => format!(
            "math.randomseed({seed})\n\
             local sums, sum = {{}}, 0\n\
             for rank = 1, {ranks} do sum = sum + 1 / rank; sums[rank] = sum end\n\
             local function next_slug()\n\
               local target, low, high = math.random() * sum, 1, {ranks}\n\
               while low < high do\n\
                 local middle = math.floor((low + high) / 2)\n\
                 if sums[middle] < target then low = middle + 1 else high = middle end\n\
               end\n\
               return slug(low * {PRIME} % {links})\n\
             end\n"
        ),
        Pick::Unknown { seed } => format!(
            "math.randomseed({seed})\n\
             local function next_slug()\n\
               return string.format('%05x%05x', math.random(0, 1048575), math.random(0, 1048575))\n\
             end\n"
        ),
    };
    let headers = match headers {
        Headers::Plain => String::new(),
        Headers::Browser => header_lines(&BROWSER),
    };
    format!(
        "{headers}\
         local words = {{ {words} }}\n\
         local function slug(i) return words[i % 10 + 1] .. '-' .. i end\n\
         {next}{TEMPLATE}\
         init = function() split(wrk.format('GET', '/@')) end\n\
         request = function() return head .. next_slug() .. tail end\n"
    )
}

/// Sends the same body each time, with a new number of ten digits in place of `@`, starting
/// after `start`.
pub(crate) fn post_numbered(body: &str, headers: &[(&str, &str)], start: u32) -> String {
    let body = body.replace('@', "@@@@@@@@@@");
    format!(
        "{headers}wrk.method = 'POST'\n\
         {TEMPLATE}\
         local number = {start}\n\
         init = function() split(wrk.format(nil, nil, nil, '{body}'), 10) end\n\
         request = function()\n\
           number = number + 1\n\
           return head .. string.format('%010d', number) .. tail\n\
         end\n",
        headers = header_lines(headers)
    )
}

fn header_lines(headers: &[(&str, &str)]) -> String {
    headers
        .iter()
        .fold(String::new(), |mut lines, (name, value)| {
            writeln!(lines, "wrk.headers['{name}'] = '{value}'")
                .expect("strings take what is written");
            lines
        })
}

/// Larger than any number of ranks, so that no two ranks give the same link.
const PRIME: u32 = 1_000_003;

/// The script formats a request once and splits it at the variable part, because `wrk.format`
/// would cost the load more than a redirect costs a server.
const TEMPLATE: &str = "local head, tail\n\
    local function split(whole, width)\n\
      local at = whole:find('@', 1, true)\n\
      head, tail = whole:sub(1, at - 1), whole:sub(at + (width or 1))\n\
    end\n";

/// The headers of a current browser when a person follows a link on a page.
const BROWSER: [(&str, &str); 10] = [
    (
        "user-agent",
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) \
         Chrome/141.0.0.0 Safari/537.36",
    ),
    (
        "accept",
        "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
    ),
    ("accept-language", "de-DE,de;q=0.9,en-US;q=0.8,en;q=0.7"),
    ("accept-encoding", "gzip, deflate, br, zstd"),
    ("referer", "https://news.example/today/links"),
    ("sec-fetch-dest", "document"),
    ("sec-fetch-mode", "navigate"),
    ("sec-fetch-site", "cross-site"),
    ("sec-fetch-user", "?1"),
    ("upgrade-insecure-requests", "1"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hot_links_lie_evenly_among_all() {
        let pick = Pick::InTurn {
            hot: 200,
            links: 1_000_000,
        };
        assert!(follow(pick, Headers::Plain).contains("slug(n * 5000)"));
    }

    #[test]
    fn browser_sends_more_than_a_host() {
        let pick = Pick::Unknown { seed: 1 };
        assert!(follow(pick, Headers::Browser).contains("wrk.headers['user-agent'] = 'Mozilla"));
        assert!(!follow(pick, Headers::Plain).contains("wrk.headers"));
    }

    #[test]
    fn number_has_as_many_places_as_digits() {
        let script = post_numbered(r#"{"url":"https://example.com/@"}"#, &[("x-key", "k")], 7);
        assert!(script.contains("https://example.com/@@@@@@@@@@\""));
        assert!(script.contains("wrk.headers['x-key'] = 'k'\n"));
        assert!(script.contains("local number = 7\n"));
    }
}
