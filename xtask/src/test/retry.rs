//! A second run, alone, for the few tests that failed among many.
//!
//! Tests start real servers, databases and browsers on a busy machine. A test that fails there
//! and passes alone has a fault of its own, such as a wait that is too short. The report names and
//! counts it, so that the team mends it, but it does not hold up a change that has nothing to do
//! with it.

/// Failures beyond this number are no accident, and the tests do not run again.
const MOST: usize = 3;

/// The names of failed tests, read from the list that ends the output of each test binary:
/// `failures:`, then a line with four blanks and a name for each.
#[derive(Debug, Default)]
pub(crate) struct Failures {
    names: Vec<String>,
    in_list: bool,
}

impl Failures {
    /// Reads a line of output.
    pub(crate) fn add(&mut self, line: &str) {
        let line = line.trim_end_matches(['\r', '\n']);
        if line == "failures:" {
            self.in_list = true;
            return;
        }
        match line.strip_prefix("    ").filter(|_| self.in_list) {
            Some(name) => self.names.push(name.to_owned()),
            None => self.in_list = false,
        }
    }

    /// The tests to run again: all that failed, if they are few and the output names each.
    pub(crate) fn to_retry(&self, failed: u64) -> Option<&[String]> {
        let all_named = u64::try_from(self.names.len()) == Ok(failed);
        (all_named && (1..=MOST).contains(&self.names.len())).then_some(&self.names)
    }
}

/// The arguments of `cargo test` that run these tests only, one after the other.
pub(crate) fn arguments(first_run: &[String], names: &[String]) -> Vec<String> {
    let mut arguments = first_run.to_vec();
    if !first_run.iter().any(|argument| argument == "--") {
        arguments.push("--".into());
    }
    arguments.extend(["--test-threads=1".into(), "--exact".into()]);
    arguments.extend_from_slice(names);
    arguments
}

/// The number of tests that failed among the others and passed alone, and a line for each.
pub(crate) fn report(flaky: &[String]) -> String {
    let names = flaky.iter().map(|name| format!("FLAKY {name}\n"));
    format!("flaky tests: {}\n", flaky.len()) + &names.collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failures(output: &str) -> Failures {
        let mut failures = Failures::default();
        output.lines().for_each(|line| failures.add(line));
        failures
    }

    const OUTPUT: &str = "\
test gates::opens ... FAILED
test gates::shuts ... ok

failures:

---- gates::opens stdout ----
    left: 1

failures:
    gates::opens

test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out";

    #[test]
    fn the_closing_list_names_what_failed() {
        let failures = failures(OUTPUT);
        assert_eq!(failures.names, ["gates::opens"]);
        assert_eq!(failures.to_retry(1), Some(&failures.names[..]));
    }

    #[test]
    fn only_few_failures_with_a_name_each_run_again() {
        assert_eq!(failures(OUTPUT).to_retry(2), None, "one has no name");
        assert_eq!(failures("").to_retry(0), None);
        let many = failures("failures:\n    a\n    b\n    c\n    d\n");
        assert_eq!(many.to_retry(4), None);
    }

    #[test]
    fn flaky_tests_are_counted_and_named_also_when_there_are_none() {
        assert_eq!(report(&[]), "flaky tests: 0\n");
        let two = ["gates::opens".to_owned(), "gates::shuts".to_owned()];
        assert_eq!(
            report(&two),
            "flaky tests: 2\nFLAKY gates::opens\nFLAKY gates::shuts\n"
        );
    }

    #[test]
    fn the_second_run_has_the_arguments_of_the_first() {
        let of = |line: &str| {
            let first: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            arguments(&first, &["gates::opens".into()]).join(" ")
        };
        assert_eq!(
            of("-p slugline"),
            "-p slugline -- --test-threads=1 --exact gates::opens"
        );
        assert_eq!(
            of("-- --nocapture"),
            "-- --nocapture --test-threads=1 --exact gates::opens"
        );
    }
}
