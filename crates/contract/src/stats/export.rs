//! Counters by link as a file for spreadsheets.

use std::fmt::Write;

use jiff::Timestamp;
use slugline_domain::{AccessRow, UnixMillis};

/// The start of the file: a byte-order mark, without which spreadsheets do not read
/// UTF-8, and the names of the columns.
pub const CSV_HEAD: &str = "\u{feff}slug,url,viewer,views,referer\n";

/// Returns one line for each row.
pub fn csv_lines(rows: &[AccessRow]) -> String {
    let mut lines = String::new();
    for row in rows {
        let AccessRow {
            slug,
            url,
            visitors,
            visits,
            referers,
        } = row;
        let (slug, url) = (cell(slug), cell(url));
        writeln!(lines, "{slug},{url},{visitors},{visits},{referers}")
            .expect("a text takes any text");
    }
    lines
}

/// Returns the name under which browsers save a file made at this moment.
pub fn csv_file_name(now: UnixMillis) -> String {
    let moment = Timestamp::from_millisecond(now.get()).unwrap_or(Timestamp::MAX);
    let moment = format!("{moment:.3}").replace([':', '.'], "-");
    format!("slugline-access-{moment}.csv")
}

/// Returns a text as a cell. Spreadsheets run a cell that begins like a formula. Visitors
/// must not be able to write formulas, so an apostrophe comes before such a text.
fn cell(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let text = if formula {
        format!("'{text}")
    } else {
        text.to_owned()
    };
    if text.contains(['"', ',', '\r', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("docs", "docs")]
    #[case("=1+1", "'=1+1")]
    #[case("+1", "'+1")]
    #[case("-1", "'-1")]
    #[case("@SUM(A1)", "'@SUM(A1)")]
    #[case("\tx", "'\tx")]
    #[case("\rx", "\"'\rx\"")]
    #[case("a,b", "\"a,b\"")]
    #[case("say \"hi\"", "\"say \"\"hi\"\"\"")]
    #[case("a\nb", "\"a\nb\"")]
    #[case("a=b", "a=b")]
    #[case("", "")]
    fn cells_are_quoted_and_never_formulas(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(cell(text), expected);
    }

    #[test]
    fn a_file_has_a_mark_a_head_and_a_line_for_each_row() {
        let row = AccessRow {
            slug: "docs".into(),
            url: "https://example.com/ü?a=1,2".into(),
            visitors: 2,
            visits: 3,
            referers: 1,
        };
        let file = [CSV_HEAD, &csv_lines(&[row.clone(), row])].concat();
        let line = "docs,\"https://example.com/ü?a=1,2\",2,3,1\n";
        assert_eq!(
            file,
            format!("\u{feff}slug,url,viewer,views,referer\n{line}{line}")
        );
    }

    #[test]
    fn the_name_of_a_file_says_when_it_was_made() {
        let name = csv_file_name(UnixMillis::new(1_741_489_500_007));
        assert_eq!(name, "slugline-access-2025-03-09T03-05-00-007Z.csv");
    }
}
