//! Goals for figures.

use super::samples::Samples;

/// The bound of a goal.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Limit {
    AtMost(f64),
    AtLeast(f64),
}

/// Prints a goal, its result in this run, and the figure.
pub(crate) fn report(what: &str, limit: Limit, unit: &str, figure: f64) {
    println!("{}", line(what, limit, unit, figure));
}

/// Prints the change of a figure since the baseline.
pub(crate) fn change(what: &str, of: &str, now: &Samples, before: &Samples) {
    println!("change: {what}, {of}: {:.2} × baseline", now.ratio(before));
}

fn line(what: &str, limit: Limit, unit: &str, figure: f64) -> String {
    let (sign, bound, met) = match limit {
        Limit::AtMost(bound) => ("≤", bound, figure <= bound),
        Limit::AtLeast(bound) => ("≥", bound, figure >= bound),
    };
    // One decimal more than the bound, so that the output explains a narrow miss.
    let decimals = if bound < 10.0 { 2 } else { 0 };
    let verdict = if met { "met" } else { "missed" };
    let finer = decimals + 1;
    format!("goal: {what} {sign} {bound:.decimals$} {unit}: {verdict} ({figure:.finer$})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goal_says_what_was_asked_and_what_came() {
        assert_eq!(
            line("redirect", Limit::AtMost(1.0), "× nginx map", 1.0),
            "goal: redirect ≤ 1.00 × nginx map: met (1.000)"
        );
        assert_eq!(
            line("redirect", Limit::AtMost(1.0), "× nginx map", 1.004),
            "goal: redirect ≤ 1.00 × nginx map: missed (1.004)"
        );
        assert_eq!(
            line("creations", Limit::AtLeast(8_000.0), "per second", 7_999.0),
            "goal: creations ≥ 8000 per second: missed (7999.0)"
        );
        assert_eq!(
            line("creations", Limit::AtLeast(0.5), "× pgbench", 0.6),
            "goal: creations ≥ 0.50 × pgbench: met (0.600)"
        );
    }

    #[test]
    fn figure_that_is_no_number_misses_its_goal() {
        let line = line("x", Limit::AtMost(1.0), "s", f64::NAN);
        assert!(line.contains("missed"), "{line}");
    }
}
