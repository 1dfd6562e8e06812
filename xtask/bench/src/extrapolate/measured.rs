//! Measured figures in the tables of a document.

use anyhow::{Context, Result};

/// A figure's name, and its value at numbers of visits.
pub(super) type Row = (String, Vec<(f64, f64)>);

/// The rows of all tables whose first row is `visits` and numbers.
pub(super) fn measured(text: &str) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    let mut visits = None;
    for line in text.lines() {
        let Some(cells) = cells(line) else {
            visits = None;
            continue;
        };
        match (&visits, cells.split_first()) {
            (None, Some((&"visits", numbers))) => {
                let numbers: Option<Vec<f64>> = numbers.iter().map(|cell| number(cell)).collect();
                visits = Some(numbers.with_context(|| format!("numbers of visits: {line}"))?);
            }
            (Some(visits), Some((name, values))) if !name.starts_with('-') => {
                let values: Option<Vec<f64>> = values.iter().map(|cell| number(cell)).collect();
                let values = values.with_context(|| format!("figures: {line}"))?;
                let points = visits.iter().copied().zip(values).collect();
                rows.push(((*name).to_owned(), points));
            }
            _ => {}
        }
    }
    Ok(rows)
}

/// The cells of a table's row.
fn cells(line: &str) -> Option<Vec<&str>> {
    let inside = line.trim().strip_prefix('|')?.strip_suffix('|')?;
    Some(inside.split('|').map(str::trim).collect())
}

/// A number with its thousands apart, or without.
fn number(cell: &str) -> Option<f64> {
    cell.replace(',', "").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_visits_are_found_among_others() {
        let text = "| A | B |\n|---|---|\n| x | 1 |\n\ntext\n\n\
            | visits | 10,000,000 | 30,000,000 | 100,000,000 |\n|---|---|---|---|\n\
            | counters, ms | 31 | 38 | 42.5 |\n| bytes | 226000000 | 1 | 2 |\n\n\
            | C | 5 |\n|---|---|\n| y | 7 |\n";
        let rows = measured(text).unwrap();
        let names: Vec<_> = rows.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["counters, ms", "bytes"]);
        assert_eq!(rows[0].1, [(1e7, 31.0), (3e7, 38.0), (1e8, 42.5)]);
    }

    #[test]
    fn figure_that_is_no_number_is_named() {
        let error = measured("| visits | 10 |\n|---|---|\n| counters | about 3 |\n").unwrap_err();
        assert!(error.to_string().contains("about 3"), "{error}");
    }
}
