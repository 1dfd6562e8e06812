//! The sum over all `test result:` lines.

use std::fmt;

/// The numbers of passed, failed and skipped tests of all binaries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    /// The harness calls these ignored.
    pub(crate) skipped: u64,
}

impl Tally {
    /// Counts a line of output when it is the summary of one test binary:
    /// `test result: ok. 3 passed; 0 failed; 1 ignored; …`.
    pub(crate) fn add(&mut self, line: &str) {
        let summary = line.strip_prefix("test result: ");
        let Some((_, counts)) = summary.and_then(|summary| summary.split_once(". ")) else {
            return;
        };
        for count in counts.split(';') {
            // `finished in 0.02s` is in the same list but is not a count.
            let (number, outcome) = count.trim().split_once(' ').unwrap_or_default();
            let number = number.parse::<u64>().unwrap_or_default();
            match outcome {
                "passed" => self.passed += number,
                "failed" => self.failed += number,
                "ignored" => self.skipped += number,
                _ => {}
            }
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            passed,
            failed,
            skipped,
        } = self;
        write!(f, "{passed} passed, {failed} failed")?;
        if *skipped > 0 {
            write!(f, ", {skipped} skipped")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_of_all_binaries_add_up() {
        let mut tally = Tally::default();
        tally.add("running 5 tests\n");
        tally.add("test result: ok. 4 passed; 0 failed; 1 ignored; 0 measured; 7 filtered out; finished in 0.02s\n");
        tally.add("test result: FAILED. 2 passed; 3 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.50s\n");
        assert_eq!(
            tally,
            Tally {
                passed: 6,
                failed: 3,
                skipped: 1
            }
        );
    }

    #[test]
    fn only_whole_summaries_count() {
        let mut tally = Tally::default();
        tally.add("it printed: test result: ok. 9 passed; 0 failed");
        tally.add("test result: unclear");
        assert_eq!(tally, Tally::default());
    }

    #[test]
    fn skipped_tests_are_named_when_there_are_any() {
        let mut tally = Tally {
            passed: 3,
            failed: 0,
            skipped: 0,
        };
        assert_eq!(tally.to_string(), "3 passed, 0 failed");
        tally.skipped = 2;
        assert_eq!(tally.to_string(), "3 passed, 0 failed, 2 skipped");
    }
}
