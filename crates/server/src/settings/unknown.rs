//! Finds environment variables that are named like settings but are none.

use super::catalogue::CATALOGUE;

const PREFIX: &str = "SLUGLINE_";

/// A warning for each name that has the prefix of a setting and belongs to none, with the most
/// similar setting.
pub fn warnings(names: impl IntoIterator<Item = String>) -> Vec<String> {
    let is_known = |name: &str| {
        CATALOGUE.iter().any(|setting| {
            setting.name == name || setting.secret && setting.file_variable() == name
        })
    };
    let mut unknown: Vec<String> = names
        .into_iter()
        .filter(|name| name.starts_with(PREFIX) && !is_known(name))
        .collect();
    unknown.sort_unstable();
    unknown.iter().map(|name| warning(name)).collect()
}

fn warning(name: &str) -> String {
    let advice = nearest(name).map_or_else(
        || "`slugline --help` lists all settings".to_owned(),
        |setting| format!("did you mean {setting}?"),
    );
    format!("the environment variable {name} is not a setting and has no effect; {advice}")
}

fn nearest(name: &str) -> Option<&'static str> {
    /// Names count as similar from here on; clap uses the same threshold for flags.
    const ALIKE: f64 = 0.7;
    let rest = |name: &str| name.strip_prefix(PREFIX).unwrap_or(name).to_owned();
    CATALOGUE
        .iter()
        .map(|setting| (strsim::jaro(&rest(setting.name), &rest(name)), setting.name))
        .filter(|(likeness, _)| *likeness > ALIKE)
        .max_by(|(left, _), (right, _)| left.total_cmp(right))
        .map(|(_, setting)| setting)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("SLUGLINE_TRUSTED_PROXY", "did you mean SLUGLINE_TRUSTED_PROXIES?")]
    #[case("SLUGLINE_RETENTION", "did you mean SLUGLINE_RETENTION_DAYS?")]
    #[case("SLUGLINE_SITE_TOKN", "did you mean SLUGLINE_SITE_TOKEN?")]
    #[case("SLUGLINE_ZZZ", "`slugline --help` lists all settings")]
    fn a_mistyped_name_is_told_with_its_nearest(#[case] name: &str, #[case] advice: &str) {
        let told = warnings(["HOME".to_owned(), name.to_owned()]);
        assert_eq!(told.len(), 1);
        assert!(
            told[0].contains(name) && told[0].ends_with(advice),
            "{told:?}"
        );
    }

    #[test]
    fn settings_and_names_of_others_are_silent() {
        let settings = CATALOGUE.iter().map(|setting| setting.name.to_owned());
        let others = ["PATH", "NUXT_SITE_TOKN"].map(str::to_owned);
        assert_eq!(warnings(settings.chain(others)), Vec::<String>::new());
    }
}
