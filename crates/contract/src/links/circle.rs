//! Refuses links that lead to themselves.

use slugline_domain::{Change, Country, Destination, LinkContent, LinkKey, LinkPatch, Routing};

use crate::{issue::IssueCode, rules::Rules, validation::Validation};

/// Notes each destination of the link that is its own address.
pub(super) fn refuse_circle(
    validation: &mut Validation,
    rules: &Rules,
    key: Option<&LinkKey>,
    content: Option<&LinkContent>,
) {
    let (Some(key), Some(content)) = (key, content) else {
        return;
    };
    let Routing {
        apple,
        google,
        geo,
        with_query: _,
    } = &content.routing;
    let mut circle = Circle {
        validation,
        rules,
        key,
    };
    circle.refuse(&["url"], Some(&content.destination));
    circle.refuse(&["apple"], apple.as_ref());
    circle.refuse(&["google"], google.as_ref());
    circle.refuse_countries(geo);
}

/// Notes each destination in the patch that is the link's own address.
pub(super) fn refuse_circle_of_patch(
    validation: &mut Validation,
    rules: &Rules,
    key: Option<&LinkKey>,
    patch: &LinkPatch,
) {
    let Some(key) = key else { return };
    let mut circle = Circle {
        validation,
        rules,
        key,
    };
    circle.refuse(&["url"], patch.destination.as_ref());
    circle.refuse(&["apple"], set(&patch.apple));
    circle.refuse(&["google"], set(&patch.google));
    if let Some(geo) = set(&patch.geo) {
        circle.refuse_countries(geo);
    }
}

fn set<T>(change: &Change<T>) -> Option<&T> {
    match change {
        Change::Set(value) => Some(value),
        Change::Keep | Change::Clear => None,
    }
}

struct Circle<'c> {
    validation: &'c mut Validation,
    rules: &'c Rules,
    key: &'c LinkKey,
}

impl Circle<'_> {
    fn refuse_countries(&mut self, geo: &std::collections::BTreeMap<Country, Destination>) {
        for (country, destination) in geo {
            self.refuse(&["geo", country.as_str()], Some(destination));
        }
    }

    fn refuse(&mut self, path: &[&str], destination: Option<&Destination>) {
        let Some(destination) = destination else {
            return;
        };
        if self
            .rules
            .own_addresses
            .is_address_of(self.key, destination)
        {
            let message = format!(
                "{destination} is the address of this link, which would send visitors in circles"
            );
            let expected = "the address of another page".to_owned();
            self.validation
                .note(path, (IssueCode::Custom, message, expected));
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde::de::DeserializeOwned;
    use serde_json::{Value, json};

    use super::*;
    use crate::{
        links::{CreateLink, EditLink, ImportLink, PatchLink, UpdateLink},
        problem::Problem,
        reader::read,
    };

    fn rules() -> Rules {
        Rules::default().seen_at("https://sl.example")
    }

    fn faults_of<T: DeserializeOwned, O>(
        link: &Value,
        check: impl FnOnce(T, &Rules) -> Result<O, Problem>,
    ) -> Vec<String> {
        match check(read(link).unwrap(), &rules()) {
            Ok(_) => Vec::new(),
            Err(problem) => {
                let issues = problem.issues.iter();
                issues.map(|issue| issue.path.join(".")).collect()
            }
        }
    }

    #[rstest]
    #[case(json!({"slug": "Docs", "url": "https://sl.example/docs"}), &["url"])]
    #[case(
        json!({"slug": "docs", "url": "https://e.example/", "apple": "http://sl.example/docs/",
               "google": "https://sl.example/docs?x", "geo": {"DE": "https://sl.example/docs"}}),
        &["apple", "google", "geo.DE"]
    )]
    #[case(json!({"slug": "docs", "url": "https://sl.example/other"}), &[])]
    fn every_input_with_a_link_refuses_its_own_address(
        #[case] link: Value,
        #[case] paths: &[&str],
    ) {
        assert_eq!(faults_of(&link, |l: CreateLink, r| l.validate(r)), paths);
        assert_eq!(faults_of(&link, |l: EditLink, r| l.validate(r)), paths);
        assert_eq!(faults_of(&link, |l: PatchLink, r| l.validate(r)), paths);
        assert_eq!(faults_of(&link, |l: UpdateLink, r| l.validate(r)), paths);
        assert_eq!(faults_of(&link, |l: ImportLink, r| l.validate(r)), paths);
    }

    #[test]
    fn a_link_whose_slug_is_not_chosen_yet_may_lead_to_others() {
        let link = json!({"url": "https://sl.example/docs"});
        assert_eq!(faults_of(&link, |l: CreateLink, r| l.validate(r)), [""; 0]);
    }
}
