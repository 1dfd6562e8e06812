//! Refuses links that lead to themselves, or cannot pass on what stands behind their slug.

use std::collections::BTreeMap;

use slugline_domain::{
    Change, Country, Destination, Life, LinkContent, LinkKey, LinkPatch, Routing, Rules, Split,
    routing::{may_forward, misplaced_placeholder, placeholder_in},
};

use crate::{bounds::Bounds, issue::IssueCode, validation::Validation};

/// Notes each destination of the link that is its own address, and what keeps it from passing on
/// what stands behind its slug.
pub(super) fn refuse_circle(
    validation: &mut Validation,
    bounds: &Bounds,
    key: Option<&LinkKey>,
    content: Option<&LinkContent>,
) {
    let Some(content) = content else { return };
    let Routing {
        apple,
        google,
        geo,
        with_query: _,
        rules,
        split,
        split_until: _,
        forward_path: _,
    } = &content.routing;
    let mut circle = Circle {
        validation,
        bounds,
        key,
        forwards_path: content.routing.forwards_path(),
    };
    circle.refuse_slug();
    circle.refuse(&["url"], Some(&content.destination));
    circle.refuse_unfilled("apple", apple.as_ref());
    circle.refuse_unfilled("google", google.as_ref());
    circle.refuse_countries(geo);
    circle.refuse_rules(rules);
    circle.refuse_shares(split.as_ref());
    circle.refuse_life(&content.life);
}

/// Notes the same about the members in a patch.
pub(super) fn refuse_circle_of_patch(
    validation: &mut Validation,
    bounds: &Bounds,
    key: Option<&LinkKey>,
    patch: &LinkPatch,
) {
    let mut circle = Circle {
        validation,
        bounds,
        key,
        forwards_path: patch.forward_path == Change::Set(true),
    };
    circle.refuse_slug();
    circle.refuse(&["url"], patch.destination.as_ref());
    circle.refuse_unfilled("apple", set(&patch.apple));
    circle.refuse_unfilled("google", set(&patch.google));
    if let Some(geo) = set(&patch.geo) {
        circle.refuse_countries(geo);
    }
    if let Some(rules) = set(&patch.rules) {
        circle.refuse_rules(rules);
    }
    circle.refuse_shares(set(&patch.split));
    let mut life = Life::default();
    patch.start_url.clone().apply(&mut life.start_url);
    patch.expired_url.clone().apply(&mut life.expired_url);
    circle.refuse_life(&life);
}

fn set<T>(change: &Change<T>) -> Option<&T> {
    match change {
        Change::Set(value) => Some(value),
        Change::Keep | Change::Clear => None,
    }
}

struct Circle<'c> {
    validation: &'c mut Validation,
    bounds: &'c Bounds,
    key: Option<&'c LinkKey>,
    /// True if the link passes on what stands behind its slug.
    forwards_path: bool,
}

impl Circle<'_> {
    fn refuse_life(&mut self, life: &Life) {
        self.refuse_unfilled("startUrl", life.start_url.as_ref());
        self.refuse_unfilled("expiredUrl", life.expired_url.as_ref());
    }

    /// The same for a destination into which nothing is filled.
    fn refuse_unfilled(&mut self, name: &str, destination: Option<&Destination>) {
        let placeholder = destination.and_then(|to| placeholder_in(to.as_str()));
        match placeholder.filter(|_| self.forwards_path) {
            Some(placeholder) => {
                let message = format!("nothing is filled in for {placeholder} of {name}");
                self.note(
                    &[name],
                    message,
                    "an address without placeholders".to_owned(),
                );
            }
            None => self.refuse(&[name], destination),
        }
    }

    fn refuse_slug(&mut self) {
        let slug = self.key.map(|key| &key.slug);
        let kept = slug.filter(|slug| !may_forward(slug));
        if let Some(slug) = kept.filter(|_| self.forwards_path) {
            let message = format!(
                "a link with the slug {slug:?} cannot pass on what stands behind it, because the \
                 service has paths of its own there",
                slug = slug.as_str()
            );
            let expected = "another slug, or false".to_owned();
            self.note(&["forwardPath"], message, expected);
        }
    }

    fn refuse_countries(&mut self, geo: &BTreeMap<Country, Destination>) {
        for (country, destination) in geo {
            self.refuse(&["geo", country.as_str()], Some(destination));
        }
    }

    fn refuse_rules(&mut self, rules: &Rules) {
        for (index, rule) in rules.iter().enumerate() {
            let path = ["rules", &index.to_string(), "url"];
            self.refuse(&path, Some(rule.destination()));
        }
    }

    fn refuse_shares(&mut self, split: Option<&Split>) {
        for (index, share) in split.iter().flat_map(|split| split.shares()).enumerate() {
            let path = ["split", &index.to_string(), "url"];
            self.refuse(&path, Some(&share.destination));
        }
    }

    fn refuse(&mut self, path: &[&str], destination: Option<&Destination>) {
        let Some(destination) = destination else {
            return;
        };
        let misplaced = misplaced_placeholder(destination.as_str());
        if let Some(placeholder) = misplaced.filter(|_| self.forwards_path) {
            let message = format!("{placeholder} stands before the end of the host");
            let expected = "placeholders in the path, the query or the fragment".to_owned();
            self.note(path, message, expected);
        }
        let own = &self.bounds.own_addresses;
        let leads_to = |key: &&LinkKey| {
            own.is_address_of(key, destination)
                || (self.forwards_path && own.is_below(key, destination))
        };
        if self.key.as_ref().is_some_and(leads_to) {
            let message = format!(
                "{destination} is the address of this link, which would send visitors in circles"
            );
            self.note(path, message, "the address of another page".to_owned());
        }
    }

    fn note(&mut self, path: &[&str], message: String, expected: String) {
        self.validation
            .note(path, (IssueCode::Custom, message, expected));
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde::de::DeserializeOwned;
    use serde_json::{Value, json};

    use super::*;
    use crate::{
        Problem,
        faults::paths,
        links::{CreateLink, EditLink, ImportLink, PatchLink, UpdateLink},
        reader::read,
    };

    fn bounds() -> Bounds {
        Bounds::default().seen_at("https://sl.example")
    }

    fn faults_of<T: DeserializeOwned, O>(
        link: &Value,
        check: impl FnOnce(T, &Bounds) -> Result<O, Problem>,
    ) -> Vec<String> {
        paths(check(read(link).unwrap(), &bounds()))
    }

    #[rstest]
    #[case(json!({"slug": "Docs", "url": "https://sl.example/docs"}), &["url"])]
    #[case(
        json!({"slug": "docs", "url": "https://e.example/", "apple": "http://sl.example/docs/",
               "google": "https://sl.example/docs?x", "geo": {"DE": "https://sl.example/docs"},
               "startsAt": 5, "startUrl": "https://sl.example/docs",
               "expiredUrl": "https://sl.example/docs"}),
        &["apple", "google", "geo.DE", "startUrl", "expiredUrl"]
    )]
    #[case(json!({"slug": "docs", "url": "https://sl.example/other"}), &[])]
    #[case(json!({"slug": "docs", "url": "https://sl.example/docs/x"}), &[])]
    #[case(
        json!({"slug": "docs", "url": "https://sl.example/Docs/{path}", "forwardPath": true}),
        &["url"]
    )]
    #[case(
        json!({"slug": "docs", "url": "https://{1}.e.example/", "forwardPath": true}),
        &["url"]
    )]
    #[case(
        json!({"slug": "docs", "url": "https://e.example/{1}", "forwardPath": true,
               "apple": "https://apps.example/{path}", "google": "https://{1}.e.example/",
               "geo": {"DE": "https://e.example/{1}"}, "startsAt": 5,
               "startUrl": "https://e.example/#{9}", "expiredUrl": "https://e.example/{1}"}),
        &["apple", "google", "startUrl", "expiredUrl"]
    )]
    #[case(
        json!({"slug": "docs", "url": "https://e.example/", "expiredUrl": "https://e.example/{1}"}),
        &[]
    )]
    #[case(
        json!({"slug": "API", "url": "https://e.example/", "forwardPath": true}),
        &["forwardPath"]
    )]
    #[case(
        json!({"slug": "docs", "url": "https://e.example/",
               "rules": [{"when": {"bot": true}, "url": "https://e.example/"},
                         {"when": {"bot": true}, "url": "https://sl.example/docs"}],
               "split": [{"url": "https://sl.example/docs", "weight": 1}]}),
        &["rules.1.url", "split.0.url"]
    )]
    fn every_input_with_a_link_refuses_its_own_address(
        #[case] link: Value,
        #[case] expected: &[&str],
    ) {
        for found in [
            faults_of(&link, |l: CreateLink, r| l.validate(r)),
            faults_of(&link, |l: EditLink, r| l.validate(r)),
            faults_of(&link, |l: PatchLink, r| l.validate(r)),
            faults_of(&link, |l: UpdateLink, r| l.validate(r)),
            faults_of(&link, |l: ImportLink, r| l.validate(r)),
        ] {
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn a_link_whose_slug_is_not_chosen_yet_may_lead_to_others() {
        let link = json!({"url": "https://sl.example/docs"});
        assert_eq!(faults_of(&link, |l: CreateLink, r| l.validate(r)), [""; 0]);
    }
}
