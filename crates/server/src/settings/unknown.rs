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

/// The setting that shares the most words with the name, if they share at least half.
fn nearest(name: &str) -> Option<&'static str> {
    let name = &name[PREFIX.len()..];
    let given = words_of(name);
    let likeness = |setting: &'static str| {
        let bare = &setting[PREFIX.len()..];
        let words = words_of(bare);
        let is_shared = |given: &&&str| words.iter().any(|word| is_near(given, word));
        let shared = given.iter().filter(is_shared).count();
        let percent = 200 * shared / (given.len() + words.len());
        (percent, strsim::jaro(bare, name), setting)
    };
    let settings = CATALOGUE.iter().map(|setting| likeness(setting.name));
    settings
        .filter(|(percent, ..)| *percent >= 50)
        .max_by(|left, right| left.partial_cmp(right).expect("all are numbers"))
        .map(|(.., setting)| setting)
}

/// The words of a name. Other programs have other words for the address to listen on.
fn words_of(name: &str) -> Vec<&str> {
    let words = name.split('_').map(|word| match word {
        "PORT" | "HOST" | "BIND" | "ADDRESS" | "ADDR" => "LISTEN",
        word => word,
    });
    words.collect()
}

/// True if two words differ by a slip of the fingers, or by their endings.
fn is_near(given: &str, word: &str) -> bool {
    let same = |(given, word): &(char, char)| given == word;
    let beginning = given.chars().zip(word.chars()).take_while(same).count();
    strsim::damerau_levenshtein(given, word) <= 1 || 2 * beginning > given.len().max(word.len())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("SLUGLINE_TRUSTED_PROXY", "did you mean SLUGLINE_TRUSTED_PROXIES?")]
    #[case("SLUGLINE_RETENTION", "did you mean SLUGLINE_RETENTION_DAYS?")]
    #[case("SLUGLINE_SITE_TOKN", "did you mean SLUGLINE_SITE_TOKEN?")]
    #[case("SLUGLINE_IMPORT_LIMIT", "did you mean SLUGLINE_IMPORT_REQUEST_LIMIT?")]
    #[case("SLUGLINE_PORT", "did you mean SLUGLINE_LISTEN?")]
    #[case("SLUGLINE_HOST", "did you mean SLUGLINE_LISTEN?")]
    #[case("SLUGLINE_BIND", "did you mean SLUGLINE_LISTEN?")]
    #[case("SLUGLINE_ADDRESS", "did you mean SLUGLINE_LISTEN?")]
    #[case("SLUGLINE_HTTP_PORT", "did you mean SLUGLINE_LISTEN?")]
    #[case("SLUGLINE_METRICS_PORT", "did you mean SLUGLINE_METRICS_LISTEN?")]
    #[case("SLUGLINE_ZZZ", "`slugline --help` lists all settings")]
    #[case("SLUGLINE_PASS", "`slugline --help` lists all settings")]
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
