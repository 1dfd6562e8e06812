//! Hosts as the pages show them, with the part that says whose they are.

/// A host in two parts. A stranger may choose any beginning, such as `claude.ai.` before
/// `evil.example`; the end is registered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ShownHost<'a> {
    pub(crate) beginning: &'a str,
    pub(crate) end: &'a str,
}

impl<'a> ShownHost<'a> {
    /// Takes the last two labels for the end, or three where a country's registry has short names
    /// of its own (`co.uk`). An address of the network is an end as a whole.
    pub(crate) fn of(host: &'a str) -> Self {
        let name = host.split(':').next().unwrap_or_default();
        let labels: Vec<&str> = name.rsplit('.').collect();
        let kept = match labels[..] {
            [last, ..] if !last.starts_with(char::is_alphabetic) => labels.len(),
            [last, second, ..] if last.len() == 2 && second.len() <= 3 => 3,
            _ => 2,
        };
        let dot = host.rmatch_indices('.').nth(kept - 1);
        let (beginning, end) = host.split_at(dot.map_or(0, |(at, _)| at + 1));
        Self { beginning, end }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("", "claude.ai")]
    #[case("claude.ai.xxxxxxxx.", "evil.example")]
    #[case("claude.ai.", "evil.example:8443")]
    #[case("login.", "shop.co.uk")]
    #[case("login.", "shop.co.uk:8443")]
    #[case("", "localhost:33418")]
    #[case("", "127.0.0.1:33418")]
    #[case("", "[::1]:1")]
    fn the_end_of_a_host_stands_out(#[case] beginning: &str, #[case] end: &str) {
        let host = format!("{beginning}{end}");
        assert_eq!(ShownHost::of(&host), ShownHost { beginning, end });
    }
}
