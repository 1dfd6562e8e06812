//! Tables in plain text, for documents.

use std::fmt::{self, Write};

/// Names in the first column, figures in the others.
#[derive(Clone, Debug)]
pub(crate) struct Table<const COLUMNS: usize> {
    rows: Vec<[String; COLUMNS]>,
}

impl<const COLUMNS: usize> Table<COLUMNS> {
    pub(crate) fn new(head: [&str; COLUMNS]) -> Self {
        Self {
            rows: vec![head.map(str::to_owned)],
        }
    }

    pub(crate) fn row(&mut self, cells: [String; COLUMNS]) {
        self.rows.push(cells);
    }
}

impl<const COLUMNS: usize> fmt::Display for Table<COLUMNS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = |column: usize| {
            let cells = self.rows.iter().map(|row| row[column].chars().count());
            cells.max().unwrap_or_default()
        };
        let widths: [usize; COLUMNS] = std::array::from_fn(width);
        for row in &self.rows {
            let mut line = String::new();
            for (column, (cell, width)) in row.iter().zip(widths).enumerate() {
                match column {
                    0 => write!(line, "{cell:<width$}")?,
                    _ => write!(line, "  {cell:>width$}")?,
                }
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_left_and_figures_right() {
        let mut table = Table::new(["µs", "median", "range"]);
        table.row(["nginx map".into(), "12.5".into(), "9–14".into()]);
        table.row(["x".into(), "3.0".into(), "2–4".into()]);
        table.row(["disk".into(), "1.0".into(), String::new()]);
        assert_eq!(
            table.to_string(),
            "µs         median  range\n\
             nginx map    12.5   9–14\n\
             x             3.0    2–4\n\
             disk          1.0\n"
        );
    }
}
