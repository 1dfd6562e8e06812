//! Which inputs of a corpus reach nothing that others do not reach.

use std::collections::BTreeSet;
use std::path::Path;

/// An input stays if it reaches at least so many edges of the program that no other one reaches
/// which stays.
const LEAST: usize = 3;

/// Reads libFuzzer's control file of a merge: the number of files, the number of those that need
/// no reading, a path a line, and then lines such as `FT 7 12 90`: file 7 reaches edges 12 and
/// 90. Returns the files to remove; `None` if the text is of another form.
pub(super) fn superfluous(control: &str) -> Option<Vec<&str>> {
    let mut lines = control.lines();
    let count: usize = lines.next()?.parse().ok()?;
    lines.next()?;
    let mut inputs: Vec<(&str, BTreeSet<usize>)> = Vec::new();
    for _ in 0..count {
        inputs.push((lines.next()?, BTreeSet::new()));
    }
    for line in lines {
        if let Some(numbers) = line.strip_prefix("FT ") {
            let mut numbers = numbers.split(' ').flat_map(str::parse::<usize>);
            let (_, edges) = inputs.get_mut(numbers.next()?)?;
            edges.extend(numbers);
        }
    }
    let (named, mut others): (Vec<_>, Vec<_>) =
        inputs.into_iter().partition(|(path, _)| is_named(path));
    let mut reached: BTreeSet<usize> = named.into_iter().flat_map(|(_, edges)| edges).collect();
    loop {
        for (_, edges) in &mut others {
            edges.retain(|edge| !reached.contains(edge));
        }
        let most = others.iter().map(|(_, edges)| edges.len()).max();
        let most = most.filter(|most| *most >= LEAST);
        // The first of several, which is the shortest.
        let best = others
            .iter()
            .position(|(_, edges)| Some(edges.len()) == most);
        let Some(best) = best else {
            return Some(others.into_iter().map(|(path, _)| path).collect());
        };
        reached = others.remove(best).1;
    }
}

/// True for an input whose name a person chose: an example, or one that broke the target.
/// libFuzzer's names are hashes.
fn is_named(path: &str) -> bool {
    let name = Path::new(path).file_name().unwrap_or_default();
    let name = name.to_string_lossy();
    name.len() != 40 || name.contains(|digit: char| !digit.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_that_reach_little_else_go_and_named_ones_stay() {
        let [one, two, three] = ["1", "2", "3"].map(|digit| format!("c/{}", digit.repeat(40)));
        let control = format!(
            "4\n0\n{one}\n{two}\nc/broken\n{three}\n\
             STARTED 0 9\nFT 0 1 2 3 4 5 6\nCOV 0 1\nFT 1 1 2 3 4 7 8 9\nFT 2 1\nFT 3 5 6 10\n"
        );
        // The second reaches most that `broken` does not; two new edges are left for each other.
        assert_eq!(superfluous(&control), Some(vec![&*one]));
        assert_eq!(superfluous("no control file"), None);
    }
}
